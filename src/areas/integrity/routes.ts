import { basename } from 'node:path';
import { Elysia } from 'elysia';
import { formatContentDisposition } from '../../core/content-disposition.ts';
import { fileResponse } from '../../http/files.ts';
import type { Guard } from '../../http/guard.ts';
import { toByteStream } from '../../http/json-list.ts';
import { Binary, ErrorResponseDto, NoContent, renameParams } from '../../http/schemas.ts';
import { getEntryFile, getRuns, getSummary, listReport, renderCsv } from './domain.ts';
import { deleteEntry } from './removal.domain.ts';
import { repairEntry } from './repair.domain.ts';
import {
  IntegrityCheckRunsResponseDto,
  IntegrityReportResponseDto,
  IntegrityReportSummaryResponseDto,
  ReportParams,
  ReportQuery,
  TypeParams,
} from './schemas.ts';

const permission = { of: 'maintenance', admin: true } as const;

export const integrityRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin/integrity', tags: ['Maintenance'] })
    .use(guard)
    .get('/summary', ({ ctx }) => getSummary(ctx), {
      permission,
      response: { 200: IntegrityReportSummaryResponseDto },
      detail: { operationId: 'getIntegrityReportSummary', summary: 'Count what checks have found' },
    })
    .get('/runs', ({ ctx }) => getRuns(ctx), {
      permission,
      response: { 200: IntegrityCheckRunsResponseDto },
      detail: { operationId: 'getIntegrityCheckRuns', summary: 'Tell when each check last ended' },
    })
    .get('/report', ({ ctx, query }) => listReport(ctx, query), {
      permission,
      query: ReportQuery,
      response: { 200: IntegrityReportResponseDto },
      detail: { operationId: 'getIntegrityReport', summary: 'List what a check has found' },
    })
    .get(
      '/report/:id/csv',
      ({ ctx, params: { type } }) =>
        new Response(toByteStream(renderCsv(ctx.db, type)), {
          headers: {
            'content-type': 'text/csv; charset=utf-8; header=present',
            'x-content-type-options': 'nosniff',
            'content-disposition': formatContentDisposition({
              kind: 'attachment',
              fileName: `${type}.csv`,
            }),
          },
        }),
      {
        permission,
        params: TypeParams,
        response: { 200: Binary },
        detail: {
          ...renameParams({ id: 'type' }),
          operationId: 'getIntegrityReportCsv',
          summary: 'Download a report as CSV',
        },
      },
    )
    .get(
      '/report/:id/file',
      async ({ ctx, params, request }) => {
        const { path, size } = await getEntryFile(ctx, params.id);
        return fileResponse(request, {
          path,
          size,
          type: 'application/octet-stream',
          cacheControl: 'no-store',
          disposition: { kind: 'attachment', fileName: basename(path) },
        });
      },
      {
        permission,
        params: ReportParams,
        response: { 200: Binary, 404: ErrorResponseDto },
        detail: { operationId: 'getIntegrityReportFile', summary: 'Download the file of an entry' },
      },
    )
    .post(
      '/report/:id/repair',
      async ({ ctx, params, status }) => {
        await repairEntry(ctx, params.id);
        return status(204, undefined);
      },
      {
        permission,
        params: ReportParams,
        response: { 204: NoContent, 404: ErrorResponseDto },
        detail: {
          operationId: 'repairIntegrityReport',
          summary: 'Replace a missing or damaged file by a copy with the right bytes',
        },
      },
    )
    .delete('/report/:id', ({ ctx, params }) => deleteEntry(ctx, params.id), {
      permission,
      params: ReportParams,
      response: { 200: NoContent },
      detail: {
        operationId: 'deleteIntegrityReport',
        summary: 'Delete an untracked file, or trash the items of a missing or damaged one',
      },
    });
