import { Elysia } from 'elysia';
import { formatContentDisposition } from '../../core/content-disposition.ts';
import type { Guard } from '../../http/guard.ts';
import { Binary } from '../../http/schemas.ts';
import { type Archive, openArchive, planDownload, openSidecarArchive } from './domain.ts';
import {
  DownloadArchiveDto,
  DownloadInfoDto,
  DownloadResponseDto,
  GuestOnlyQuery,
} from './schemas.ts';

export const downloadRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/download', tags: ['Download'] })
    .use(guard)
    .post('/info', async ({ ctx, body, status }) => status(201, await planDownload(ctx, body)), {
      permission: { of: 'asset.download', guest: 'byRequest' },
      cancelOnDisconnect: true,
      query: GuestOnlyQuery,
      body: DownloadInfoDto,
      response: { 201: DownloadResponseDto },
      detail: { operationId: 'getDownloadInfo', summary: 'Split a download into archives' },
    })
    .post('/archive', async ({ ctx, body }) => toResponse(await openArchive(ctx, body)), {
      permission: { of: 'asset.download', guest: true, renewable: true },
      query: GuestOnlyQuery,
      body: DownloadArchiveDto,
      response: { 200: Binary },
      detail: { operationId: 'downloadArchive', summary: 'Get originals as one archive' },
    })
    .post(
      '/archive-with-sidecars',
      async ({ ctx, body }) => toResponse(await openSidecarArchive(ctx, body)),
      {
        permission: { of: 'asset.download', also: ['asset.read'], renewable: true },
        body: DownloadArchiveDto,
        response: { 200: Binary },
        detail: {
          operationId: 'downloadSidecarArchive',
          summary: 'Get originals as one archive with XMP sidecars',
        },
      },
    );

const toResponse = ({ fileName, body }: Archive): Response =>
  new Response(body, {
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': formatContentDisposition({ kind: 'attachment', fileName }),
      'cache-control': 'private, no-store',
    },
  });
