import { Elysia, t } from 'elysia';
import { fileResponse } from '../../http/files.ts';
import type { Guard } from '../../http/guard.ts';
import { jsonBytesResponse } from '../../http/json.ts';
import {
  Binary,
  BulkIdResponseDto,
  BulkIdsDto,
  ErrorResponseDto,
  IdParams,
  NoContent,
} from '../../http/schemas.ts';
import { listCorrections, undoCorrection } from './corrections/corrections.domain.ts';
import { reassignFaces } from './corrections/decisions.domain.ts';
import {
  createPerson,
  deletePeople,
  deletePerson,
  getPerson,
  renderPersonStatistics,
  getRelation,
  listNamesOnAssets,
  listPeopleInAlbum,
  renderPeople,
  setRelation,
  updatePeople,
  updatePerson,
} from './domain.ts';
import { mergeIntoPerson, mergePeople } from './corrections/merge.domain.ts';
import {
  AssetFaceUpdateDto,
  AssetNamesDto,
  CorrectionsQuery,
  MergePersonDto,
  MergeSuggestionsResponseDto,
  NamesRequestDto,
  PeopleQuery,
  PeopleResponseDto,
  PeopleUpdateDto,
  PersonCorrectionDto,
  PersonCorrectionsResponseDto,
  PersonCreateDto,
  PersonMergeVerdictCreateDto,
  PersonMergeVerdictDeleteDto,
  PersonMergeVerdictResponseDto,
  PersonRelationDto,
  PersonResponseDto,
  PersonStatisticsResponseDto,
  PersonUpdateDto,
} from './schemas.ts';
import {
  deleteVerdicts,
  listMergeSuggestions,
  putVerdict,
} from './corrections/suggestions.domain.ts';
import { getPersonThumbnail } from './thumbnail/thumbnail.domain.ts';

export const peopleRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/people', tags: ['People'] })
    .use(guard)
    .get(
      '',
      async ({ ctx, query, request }) => jsonBytesResponse(request, await renderPeople(ctx, query)),
      {
        permission: 'person.read',
        query: PeopleQuery,
        response: { 200: PeopleResponseDto },
        detail: { operationId: 'getAllPeople', summary: "List the caller's people" },
      },
    )
    .post('', async ({ ctx, body, status }) => status(201, await createPerson(ctx, body)), {
      permission: 'person.create',
      body: PersonCreateDto,
      response: { 201: PersonResponseDto },
      detail: { operationId: 'createPerson', summary: 'Create a person' },
    })
    .put('', ({ ctx, body }) => updatePeople(ctx, body), {
      permission: 'person.update',
      body: PeopleUpdateDto,
      response: { 200: t.Array(BulkIdResponseDto) },
      detail: { operationId: 'updatePeople', summary: 'Change many people' },
    })
    .delete(
      '',
      async ({ ctx, body, status }) => {
        await deletePeople(ctx, body.ids);
        return status(204, undefined);
      },
      {
        permission: 'person.delete',
        body: BulkIdsDto,
        response: { 204: NoContent },
        detail: { operationId: 'deletePeople', summary: 'Delete people; their faces stay' },
      },
    )
    .post('/names', ({ ctx, body }) => listNamesOnAssets(ctx, body.assetIds), {
      permission: 'person.read',
      body: NamesRequestDto,
      response: { 200: t.Array(AssetNamesDto) },
      detail: {
        operationId: 'getPeopleNames',
        summary: "List who is on some of the caller's items",
      },
    })
    .use(mergeRoutes(guard))
    .use(correctionRoutes(guard))
    .use(personRoutes(guard));

const mergeRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .post(
      '/merge',
      async ({ ctx, body, status }) => status(200, await mergePeople(ctx, body.ids)),
      {
        permission: 'person.merge',
        body: MergePersonDto,
        response: { 200: t.Array(BulkIdResponseDto) },
        detail: { operationId: 'mergePeople', summary: 'Merge people into the first one' },
      },
    )
    .get('/merge-suggestions', ({ ctx }) => listMergeSuggestions(ctx), {
      permission: 'person.read',
      response: { 200: MergeSuggestionsResponseDto },
      detail: { operationId: 'getMergeSuggestions', summary: 'List pairs that may be one person' },
    })
    .put('/merge-suggestions/verdicts', ({ ctx, body }) => putVerdict(ctx, body), {
      permission: 'person.update',
      body: PersonMergeVerdictCreateDto,
      response: { 200: PersonMergeVerdictResponseDto },
      detail: { operationId: 'putMergeVerdict', summary: 'Say whether two people are one' },
    })
    .delete(
      '/merge-suggestions/verdicts',
      async ({ ctx, body, status }) => {
        await deleteVerdicts(ctx, body);
        return status(204, undefined);
      },
      {
        permission: 'person.update',
        body: PersonMergeVerdictDeleteDto,
        response: { 204: NoContent },
        detail: { operationId: 'deleteMergeVerdict', summary: 'Delete the verdict on a pair' },
      },
    )
    .post(
      '/:id/merge',
      async ({ ctx, params, body, status }) =>
        status(200, await mergeIntoPerson(ctx, params.id, body.ids)),
      {
        permission: 'person.merge',
        params: IdParams,
        body: MergePersonDto,
        response: { 200: t.Array(BulkIdResponseDto) },
        detail: {
          operationId: 'mergePersonLegacy',
          summary: 'Merge people into this one',
          deprecated: true,
        },
      },
    );

const correctionRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .post(
      '/corrections/:id/undo',
      async ({ ctx, params, status }) => status(200, await undoCorrection(ctx, params.id)),
      {
        permission: 'person.update',
        params: IdParams,
        response: { 200: PersonCorrectionDto, 409: ErrorResponseDto },
        detail: { operationId: 'undoPersonCorrection', summary: 'Undo a correction' },
      },
    )
    .get('/:id/corrections', ({ ctx, params, query }) => listCorrections(ctx, params.id, query), {
      permission: 'person.read',
      params: IdParams,
      query: CorrectionsQuery,
      response: { 200: PersonCorrectionsResponseDto },
      detail: { operationId: 'getPersonCorrections', summary: 'List the corrections of a person' },
    });

const personRoutes = (guard: Guard) =>
  new Elysia()
    .use(guard)
    .get('/:id', ({ ctx, params }) => getPerson(ctx, params.id), {
      permission: 'person.read',
      params: IdParams,
      response: { 200: PersonResponseDto },
      detail: { operationId: 'getPerson', summary: 'Get one person' },
    })
    .put('/:id', ({ ctx, params, body }) => updatePerson(ctx, params.id, body), {
      permission: 'person.update',
      params: IdParams,
      body: PersonUpdateDto,
      response: { 200: PersonResponseDto },
      detail: { operationId: 'updatePerson', summary: 'Change one person', deprecated: true },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deletePerson(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'person.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deletePerson', summary: 'Delete a person; the faces stay' },
      },
    )
    .get('/:id/relation', ({ ctx, params }) => getRelation(ctx, params.id), {
      permission: 'person.read',
      params: IdParams,
      response: { 200: PersonRelationDto },
      detail: { operationId: 'getPersonRelation', summary: 'Get what a person is to the caller' },
    })
    .put('/:id/relation', ({ ctx, params, body }) => setRelation(ctx, params.id, body.relation), {
      permission: 'person.update',
      params: IdParams,
      body: PersonRelationDto,
      response: { 200: PersonRelationDto },
      detail: { operationId: 'setPersonRelation', summary: 'Say what a person is to the caller' },
    })
    .put('/:id/reassign', ({ ctx, params, body }) => reassignFaces(ctx, params.id, body), {
      permission: 'person.reassign',
      params: IdParams,
      body: AssetFaceUpdateDto,
      response: { 200: t.Array(PersonResponseDto) },
      detail: { operationId: 'reassignFaces', summary: 'Move faces of other people to this one' },
    })
    .get(
      '/:id/statistics',
      async ({ ctx, params, request }) =>
        jsonBytesResponse(request, await renderPersonStatistics(ctx, params.id)),
      {
        permission: { of: 'person.statistics', isRemembered: true },
        params: IdParams,
        response: { 200: PersonStatisticsResponseDto },
        detail: { operationId: 'getPersonStatistics', summary: 'Count Timeline items of a person' },
      },
    )
    .get(
      '/:id/thumbnail',
      async ({ ctx, params, request }) =>
        fileResponse(request, await getPersonThumbnail(ctx, params.id)),
      {
        permission: 'person.read',
        params: IdParams,
        response: { 200: Binary },
        detail: { operationId: 'getPersonThumbnail', summary: 'Get the thumbnail of a person' },
      },
    );

export const albumPeopleRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/albums', tags: ['People'] })
    .use(guard)
    .get('/:id/people', ({ ctx, params }) => listPeopleInAlbum(ctx, params.id), {
      permission: 'person.read',
      cancelOnDisconnect: true,
      params: IdParams,
      response: { 200: t.Array(PersonResponseDto) },
      detail: {
        operationId: 'getAlbumPeople',
        summary: "List the caller's people on items of an album",
      },
    });
