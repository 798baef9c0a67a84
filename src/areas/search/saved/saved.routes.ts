import { Elysia, t } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { IdParams, NoContent } from '../../../http/schemas.ts';
import { deleteSavedSearch, listSavedSearches, saveSearch } from './saved.domain.ts';
import { SavedSearchCreateDto, SavedSearchDto } from './saved.schemas.ts';

export const savedSearchRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/search/saved', tags: ['Search'] })
    .use(guard)
    .get('', ({ ctx }) => listSavedSearches(ctx), {
      permission: 'userPreference.read',
      response: { 200: t.Array(SavedSearchDto) },
      detail: { operationId: 'getSavedSearches', summary: "List the caller's saved searches" },
    })
    .post('', async ({ ctx, body, status }) => status(201, await saveSearch(ctx, body)), {
      permission: 'userPreference.update',
      body: SavedSearchCreateDto,
      response: { 201: SavedSearchDto },
      detail: { operationId: 'saveSearch', summary: 'Save a search under a name' },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteSavedSearch(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'userPreference.update',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteSavedSearch', summary: 'Delete a saved search' },
      },
    );
