import { Elysia } from 'elysia';
import { formatContentDisposition } from '../../http/files.ts';
import type { Guard } from '../../http/guard.ts';
import { Binary } from '../../http/schemas.ts';
import { openArchive, planDownload } from './domain.ts';
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
    .post(
      '/archive',
      async ({ ctx, body }) => {
        const { fileName, body: stream } = await openArchive(ctx, body);
        return new Response(stream, {
          headers: {
            'content-type': 'application/octet-stream',
            'content-disposition': formatContentDisposition({ kind: 'attachment', fileName }),
            'cache-control': 'private, no-store',
          },
        });
      },
      {
        permission: { of: 'asset.download', guest: true, renewable: true },
        query: GuestOnlyQuery,
        body: DownloadArchiveDto,
        response: { 200: Binary },
        detail: { operationId: 'downloadArchive', summary: 'Get originals as one archive' },
      },
    );
