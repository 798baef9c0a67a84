import { Elysia, t } from 'elysia';
import { fileResponse } from '../../../http/files.ts';
import type { Guard } from '../../../http/guard.ts';
import { Binary, ErrorResponseDto, IdParams, NoContent } from '../../../http/schemas.ts';
import { pickLanguage } from '../../../core/languages.ts';
import { StudioProjectDto } from '../../studio/index.ts';
import {
  cancelExport,
  createExport,
  deleteExport,
  getDownload,
  getExport,
  listExports,
  saveToLibrary,
} from './domain.ts';
import { openInStudio } from './film/project.domain.ts';
import { requireFilm, toFilmOptions } from './options.ts';
import {
  MemoryExportCreateDto,
  MemoryExportResponseDto,
  MemoryExportsQuery,
  MemoryFilmDto,
} from './schemas.ts';

/** One table of operations, each with its permission and schemas. */
export const memoryExportRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/memories', tags: ['Memories'] })
    .use(guard)
    .get('/exports', ({ ctx, query }) => listExports(ctx, query.memoryId), {
      permission: 'memory.read',
      query: MemoryExportsQuery,
      response: { 200: t.Array(MemoryExportResponseDto) },
      detail: { operationId: 'listMemoryExports', summary: "List the caller's exports" },
    })
    .get('/exports/:id', ({ ctx, params }) => getExport(ctx, params.id), {
      permission: 'memory.read',
      params: IdParams,
      response: { 200: MemoryExportResponseDto },
      detail: { operationId: 'getMemoryExport', summary: 'Get one export' },
    })
    .delete(
      '/exports/:id',
      async ({ ctx, params, status }) => {
        await deleteExport(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission: 'memory.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteMemoryExport', summary: 'Delete an export with its file' },
      },
    )
    .post(
      '/exports/:id/cancel',
      async ({ ctx, params, status }) => status(200, await cancelExport(ctx, params.id)),
      {
        permission: 'memory.update',
        params: IdParams,
        response: { 200: MemoryExportResponseDto },
        detail: { operationId: 'cancelMemoryExport', summary: 'Cancel an export' },
      },
    )
    .get(
      '/exports/:id/download',
      async ({ ctx, params, request }) => {
        const { fileName, finishedAt, ...file } = await getDownload(ctx, params.id);
        return fileResponse(request, {
          ...file,
          etag: `"${params.id.toLowerCase()}"`,
          lastModified: finishedAt,
          cacheControl: 'private, no-store',
          disposition: { kind: 'attachment', fileName },
        });
      },
      {
        permission: 'memory.read',
        params: IdParams,
        response: { 200: Binary },
        detail: { operationId: 'downloadMemoryExport', summary: 'Get the archive or the film' },
      },
    )
    .post(
      '/exports/:id/library',
      async ({ ctx, params, status }) => status(200, await saveToLibrary(ctx, params.id)),
      {
        permission: 'memory.update',
        params: IdParams,
        response: { 200: MemoryExportResponseDto },
        detail: { operationId: 'saveMemoryExport', summary: 'Save the film to the library' },
      },
    )
    .post(
      '/:id/studio',
      async ({ ctx, params, body, request, status }) => {
        const language = pickLanguage(request.headers.get('accept-language'));
        const options = toFilmOptions(body);
        return status(201, await openInStudio(ctx, params.id, options, language));
      },
      {
        permission: 'all',
        params: IdParams,
        body: MemoryFilmDto,
        response: { 201: StudioProjectDto },
        detail: {
          operationId: 'openMemoryInStudio',
          summary: 'Create a project with the film of a memory',
        },
      },
    )
    .post(
      '/:id/exports',
      async ({ ctx, params, body, request, status }) => {
        const language = pickLanguage(request.headers.get('accept-language'));
        const { kind = 'highlight-video', ...options } = body;
        requireFilm(kind, options);
        const order = { kind, options: toFilmOptions(options), language };
        return status(201, await createExport(ctx, params.id, order));
      },
      {
        permission: 'memory.update',
        params: IdParams,
        body: MemoryExportCreateDto,
        response: { 201: MemoryExportResponseDto, 507: ErrorResponseDto },
        detail: { operationId: 'createMemoryExport', summary: 'Export a memory' },
      },
    );
