import { Elysia, t } from 'elysia';
import { fileResponse } from '../../../http/files.ts';
import type { Guard } from '../../../http/guard.ts';
import { Binary, ErrorResponseDto, IdParams, NoContent } from '../../../http/schemas.ts';
import { createExport, deleteExport, getExport, getFilm, listExports } from './domain.ts';
import { ExportParams, StudioExportCreateDto, StudioExportDto } from './schemas.ts';

export const studioExportRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/studio', tags: ['Studio exports'] })
    .use(guard)
    .post(
      '/projects/:id/exports',
      async ({ ctx, params, body, status }) =>
        status(201, await createExport(ctx, params.id, body)),
      {
        permission: 'all',
        params: IdParams,
        body: StudioExportCreateDto,
        response: {
          201: StudioExportDto,
          404: ErrorResponseDto,
          409: ErrorResponseDto,
          429: ErrorResponseDto,
          507: ErrorResponseDto,
        },
        detail: { operationId: 'createStudioExport', summary: 'Make a film of a project' },
      },
    )
    .get('/projects/:id/exports', ({ ctx, params }) => listExports(ctx, params.id), {
      permission: 'all',
      params: IdParams,
      response: { 200: t.Array(StudioExportDto), 404: ErrorResponseDto },
      detail: { operationId: 'getStudioExports', summary: 'List own films of a project' },
    })
    .get('/exports/:id', ({ ctx, params }) => getExport(ctx, params.id), {
      permission: 'all',
      params: ExportParams,
      response: { 200: StudioExportDto, 404: ErrorResponseDto },
      detail: { operationId: 'getStudioExport', summary: 'Get how far a film is' },
    })
    .delete(
      '/exports/:id',
      async ({ ctx, params, status }) => {
        await deleteExport(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'all',
        params: ExportParams,
        response: { 204: NoContent, 404: ErrorResponseDto },
        detail: {
          operationId: 'deleteStudioExport',
          summary: 'Cancel a film, or delete one that is over with its file',
        },
      },
    )
    .get(
      '/exports/:id/file',
      async ({ ctx, params, request }) => {
        const { endedAt, fileName, ...file } = await getFilm(ctx, params.id);
        return fileResponse(request, {
          ...file,
          type: 'video/mp4',
          etag: `"${params.id.toLowerCase()}"`,
          lastModified: endedAt,
          cacheControl: 'private, no-store',
          disposition: { kind: 'attachment', fileName },
        });
      },
      {
        permission: 'all',
        params: ExportParams,
        response: { 200: Binary, 404: ErrorResponseDto },
        detail: { operationId: 'getStudioExportFile', summary: 'Download a film' },
      },
    );
