import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { IdParams } from '../../http/schemas.ts';
import { listPets, updatePet } from './domain.ts';
import { PetResponseDto, PetUpdateDto } from './schemas.ts';

export const petRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/pets', tags: ['Pets'] })
    .use(guard)
    .get('', ({ ctx }) => listPets(ctx), {
      permission: 'person.read',
      response: { 200: t.Array(PetResponseDto) },
      detail: { operationId: 'getPets', summary: "The caller's pets" },
    })
    .put('/:id', ({ ctx, params, body }) => updatePet(ctx, params.id, body), {
      permission: 'person.update',
      params: IdParams,
      body: PetUpdateDto,
      response: { 200: PetResponseDto },
      detail: { operationId: 'updatePet', summary: 'Name or confirm a pet' },
    });
