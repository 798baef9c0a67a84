import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { AssetResponseDto } from '../assets/index.ts';
import { countFolderItems, listFolderItems, listFolders } from './folders.domain.ts';

const FolderCountDto = t.Object(
  { path: t.String(), count: t.Integer({ minimum: 1 }) },
  { title: 'FolderCountDto' },
);

export const folderRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/view/folder', tags: ['Views'] })
    .use(guard)
    .get('', ({ ctx, query }) => listFolderItems(ctx, query.path), {
      permission: 'folder.read',
      query: t.Object({ path: t.String({ maxLength: 4_096 }) }),
      response: { 200: t.Array(AssetResponseDto) },
      detail: { operationId: 'getAssetsByOriginalPath', summary: 'List the items in a folder' },
    })
    .get('/counts', ({ ctx }) => countFolderItems(ctx), {
      permission: 'folder.read',
      response: { 200: t.Array(FolderCountDto) },
      detail: { operationId: 'getFolderCounts', summary: 'Count the items in each folder' },
    })
    .get('/unique-paths', ({ ctx }) => listFolders(ctx), {
      permission: 'folder.read',
      response: { 200: t.Array(t.String()) },
      detail: { operationId: 'getUniqueOriginalPaths', summary: 'List the folders of the items' },
    });
