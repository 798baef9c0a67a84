import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { jsonResponse } from '../../http/json.ts';
import { multipartForm } from '../../http/schemas.ts';
import { checkBulkUpload } from './publish/bulk-check.domain.ts';
import { parseChecksumHeader } from './publish/checksum.ts';
import { uploadAsset } from './form/form.domain.ts';
import {
  AssetBulkUploadCheckDto,
  AssetBulkUploadCheckResponseDto,
  AssetMediaCreateDto,
  AssetMediaResponseDto,
  UploadHeaders,
  UploadQuery,
} from './schemas.ts';
import { saveAssets } from './save/save.domain.ts';
import { SaveAssetsDto, SavedAssetDto } from './save/save.schemas.ts';

export const saveRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/assets', tags: ['Assets'] })
    .use(guard)
    .post('/save', ({ ctx, body }) => saveAssets(ctx, body.ids), {
      permission: { of: 'asset.upload', also: ['asset.download'], renewable: true },
      body: SaveAssetsDto,
      response: { 200: t.Array(SavedAssetDto) },
      detail: {
        operationId: 'saveAssets',
        summary: "Add copies of others' assets to the caller's own library",
      },
    });

export const uploadRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/assets', tags: ['Assets'] })
    .use(guard)
    .post(
      '',
      async ({ ctx, request, status }) => {
        const length = request.headers.get('content-length');
        const uploaded = await uploadAsset(ctx, {
          contentType: request.headers.get('content-type'),
          body: request.body,
          sha1: parseChecksumHeader(request.headers),
          contentLength: length === null ? undefined : Number(length),
        });
        return status(uploaded.status === 'created' ? 201 : 200, uploaded);
      },
      {
        permission: { of: 'asset.upload', guest: true },
        // The form is parsed as a stream: files are never held in memory.
        parse: 'none',
        query: UploadQuery,
        headers: UploadHeaders,
        response: { 200: AssetMediaResponseDto, 201: AssetMediaResponseDto },
        detail: {
          operationId: 'uploadAsset',
          summary: 'Upload a photo, video or sound; 200 when the caller already has it',
          ...multipartForm(AssetMediaCreateDto),
        },
      },
    )
    .post(
      '/bulk-upload-check',
      async ({ ctx, body, request }) =>
        jsonResponse(request, { results: await checkBulkUpload(ctx, body.assets) }),
      {
        permission: 'asset.upload',
        body: AssetBulkUploadCheckDto,
        response: { 200: AssetBulkUploadCheckResponseDto },
        detail: {
          operationId: 'checkBulkUpload',
          summary: 'Check by SHA-1 which files the caller already has',
        },
      },
    );
