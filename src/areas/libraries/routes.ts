import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { IdParams, NoContent } from '../../http/schemas.ts';
import {
  confirmMissing,
  createLibrary,
  deleteLibrary,
  getLibrary,
  getState,
  getStatistics,
  listLibraries,
  startScan,
  updateLibrary,
  validateLibrary,
} from './domain.ts';
import { listFolders } from './folder-list.domain.ts';
import {
  CreateLibraryDto,
  LibraryFolderQuery,
  LibraryFolderResponseDto,
  LibraryResponseDto,
  LibraryStateResponseDto,
  LibraryStatsResponseDto,
  UpdateLibraryDto,
  ValidateLibraryDto,
  ValidateLibraryResponseDto,
} from './schemas.ts';

export const libraryRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/libraries', tags: ['Libraries'] })
    .use(guard)
    .get('', ({ ctx }) => listLibraries(ctx), {
      permission: { of: 'library.read', admin: true },
      response: { 200: t.Array(LibraryResponseDto) },
      detail: { operationId: 'getAllLibraries', summary: 'List the external libraries' },
    })
    .post('', async ({ ctx, body, status }) => status(201, await createLibrary(ctx, body)), {
      permission: { of: 'library.create', admin: true },
      body: CreateLibraryDto,
      response: { 201: LibraryResponseDto },
      detail: { operationId: 'createLibrary', summary: 'Create an external library' },
    })
    .get('/folders', ({ ctx, query }) => listFolders(ctx, query), {
      permission: { of: 'library.read', admin: true },
      query: LibraryFolderQuery,
      response: { 200: LibraryFolderResponseDto },
      detail: {
        operationId: 'listLibraryFolders',
        summary: 'List folders of the server that libraries may be chosen from',
      },
    })
    .get('/:id', ({ ctx, params }) => getLibrary(ctx, params.id), {
      permission: { of: 'library.read', admin: true },
      params: IdParams,
      response: { 200: LibraryResponseDto },
      detail: { operationId: 'getLibrary', summary: 'Get an external library' },
    })
    .put('/:id', ({ ctx, params, body }) => updateLibrary(ctx, params.id, body), {
      permission: { of: 'library.update', admin: true },
      params: IdParams,
      body: UpdateLibraryDto,
      response: { 200: LibraryResponseDto },
      detail: {
        operationId: 'updateLibrary',
        summary: 'Change an external library',
        deprecated: true,
      },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteLibrary(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: { of: 'library.delete', admin: true },
        params: IdParams,
        response: { 204: NoContent },
        detail: {
          operationId: 'deleteLibrary',
          summary: 'Delete an external library and its items; its files stay',
        },
      },
    )
    .post(
      '/:id/scan',
      async ({ ctx, params, status }) => {
        await startScan(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: { of: 'library.update', admin: true },
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'scanLibrary', summary: 'Look for new, changed and deleted files' },
      },
    )
    .get('/:id/statistics', ({ ctx, params }) => getStatistics(ctx, params.id), {
      permission: { of: 'library.statistics', admin: true },
      params: IdParams,
      response: { 200: LibraryStatsResponseDto },
      detail: { operationId: 'getLibraryStatistics', summary: 'Count the items of a library' },
    })
    .post('/:id/validate', ({ ctx, params, body }) => validateLibrary(ctx, params.id, body), {
      permission: { of: 'all', admin: true },
      params: IdParams,
      body: ValidateLibraryDto,
      response: { 200: ValidateLibraryResponseDto },
      detail: { operationId: 'validate', summary: 'Tell whether folders can be imported' },
    })
    .get('/:id/state', ({ ctx, params }) => getState(ctx, params.id), {
      permission: { of: 'library.read', admin: true },
      params: IdParams,
      response: { 200: LibraryStateResponseDto },
      detail: { operationId: 'getLibraryState', summary: 'Tell what the last scan has found' },
    })
    .post('/:id/missing/confirm', ({ ctx, params }) => confirmMissing(ctx, params.id), {
      permission: { of: 'library.update', admin: true },
      params: IdParams,
      response: { 200: LibraryStateResponseDto },
      detail: {
        operationId: 'confirmMissingFiles',
        summary: 'Confirm that the files that the last scan did not find are gone',
      },
    });
