import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { IdParams } from '../../http/schemas.ts';
import { createPet, getPet, listPetAssets, listPets, mergePets, updatePet } from './domain.ts';
import { updateObservation, listObservations, listUnconfirmed } from './observations.domain.ts';
import {
  ObservationsQuery,
  PetAssetsQuery,
  PetAssetsResponseDto,
  PetCreateDto,
  PetMergeDto,
  PetObservationResponseDto,
  PetObservationUpdateDto,
  PetResponseDto,
  PetUpdateDto,
  UnconfirmedQuery,
} from './schemas.ts';

export const petRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/pets', tags: ['Pets'] })
    .use(guard)
    .get('', ({ ctx }) => listPets(ctx), {
      permission: 'person.read',
      response: { 200: t.Array(PetResponseDto) },
      detail: { operationId: 'getPets', summary: "The caller's pets" },
    })
    .post('', async ({ ctx, body, status }) => status(201, await createPet(ctx, body)), {
      permission: 'person.create',
      body: PetCreateDto,
      response: { 201: PetResponseDto },
      detail: { operationId: 'createPet', summary: 'Create a pet' },
    })
    .post('/merge', async ({ ctx, body, status }) => status(200, await mergePets(ctx, body.ids)), {
      permission: 'person.merge',
      body: PetMergeDto,
      response: { 200: PetResponseDto },
      detail: { operationId: 'mergePets', summary: 'Merge pets into the first one' },
    })
    .use(observationRoutes(guard))
    .get('/:id', ({ ctx, params }) => getPet(ctx, params.id), {
      permission: 'person.read',
      params: IdParams,
      response: { 200: PetResponseDto },
      detail: { operationId: 'getPet', summary: 'Get one pet' },
    })
    .put('/:id', ({ ctx, params, body }) => updatePet(ctx, params.id, body), {
      permission: 'person.update',
      params: IdParams,
      body: PetUpdateDto,
      response: { 200: PetResponseDto },
      detail: { operationId: 'updatePet', summary: 'Name or confirm a pet' },
    })
    .get('/:id/assets', ({ ctx, params, query }) => listPetAssets(ctx, params.id, query), {
      permission: 'person.read',
      params: IdParams,
      query: PetAssetsQuery,
      response: { 200: PetAssetsResponseDto },
      detail: { operationId: 'getPetAssets', summary: 'Timeline items that show a pet' },
    })
    .get(
      '/:id/undecided',
      ({ ctx, params, query }) => listUnconfirmed(ctx, params.id, query.size),
      {
        permission: 'person.read',
        params: IdParams,
        query: UnconfirmedQuery,
        response: { 200: t.Array(PetObservationResponseDto) },
        detail: {
          operationId: 'getUndecidedPetObservations',
          summary: 'List unconfirmed observations of a pet',
        },
      },
    );

const observationRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/observations' })
    .use(guard)
    .get('', ({ ctx, query }) => listObservations(ctx, query.assetId), {
      permission: 'person.read',
      query: ObservationsQuery,
      response: { 200: t.Array(PetObservationResponseDto) },
      detail: { operationId: 'getPetObservations', summary: 'List the animals on a photo' },
    })
    .put('/:id', ({ ctx, params, body }) => updateObservation(ctx, params.id, body), {
      permission: 'person.update',
      params: IdParams,
      body: PetObservationUpdateDto,
      response: { 200: PetObservationResponseDto },
      detail: {
        operationId: 'updatePetObservation',
        summary: 'Confirm, deny or assign an observation',
      },
    });
