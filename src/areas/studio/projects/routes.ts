import { Elysia, t } from 'elysia';
import type { Guard } from '../../../http/guard.ts';
import { ErrorResponseDto, IdParams, NoContent } from '../../../http/schemas.ts';
import {
  createProject,
  deleteProject,
  getProject,
  getRevision,
  listProjects,
  listRevisions,
  storeProject,
} from './domain.ts';
import {
  RevisionParams,
  RevisionsQuery,
  StudioProjectCreateDto,
  StudioProjectDto,
  StudioProjectWriteDto,
  StudioRevisionDetailDto,
  StudioRevisionDto,
} from './schemas.ts';

export const studioProjectRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/studio/projects', tags: ['Studio'] })
    .use(guard)
    .get('', ({ ctx }) => listProjects(ctx), {
      permission: 'all',
      response: { 200: t.Array(StudioProjectDto) },
      detail: { operationId: 'getStudioProjects', summary: 'List own and shared projects' },
    })
    .post('', async ({ ctx, body, status }) => status(201, await createProject(ctx, body)), {
      permission: 'all',
      body: StudioProjectCreateDto,
      response: { 201: StudioProjectDto },
      detail: { operationId: 'createStudioProject', summary: 'Create a project' },
    })
    .get('/:id', ({ ctx, params }) => getProject(ctx, params.id), {
      permission: 'all',
      params: IdParams,
      response: { 200: StudioProjectDto, 404: ErrorResponseDto },
      detail: { operationId: 'getStudioProject', summary: 'Get the current revision of a project' },
    })
    .put('/:id', ({ ctx, params, body }) => storeProject(ctx, params.id, body), {
      permission: 'all',
      params: IdParams,
      body: StudioProjectWriteDto,
      response: { 200: StudioProjectDto, 404: ErrorResponseDto, 409: ErrorResponseDto },
      detail: { operationId: 'storeStudioProject', summary: 'Store the next revision' },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteProject(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'all',
        params: IdParams,
        response: { 204: NoContent, 404: ErrorResponseDto },
        detail: { operationId: 'deleteStudioProject', summary: 'Delete a project' },
      },
    )
    .get('/:id/revisions', ({ ctx, params, query }) => listRevisions(ctx, params.id, query), {
      permission: 'all',
      params: IdParams,
      query: RevisionsQuery,
      response: { 200: t.Array(StudioRevisionDto), 404: ErrorResponseDto },
      detail: { operationId: 'getStudioRevisions', summary: 'List revisions, the newest first' },
    })
    .get(
      '/:id/revisions/:revision',
      ({ ctx, params }) => getRevision(ctx, params.id, params.revision),
      {
        permission: 'all',
        params: RevisionParams,
        response: { 200: StudioRevisionDetailDto, 404: ErrorResponseDto },
        detail: { operationId: 'getStudioRevision', summary: 'Get a revision' },
      },
    );
