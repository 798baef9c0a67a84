import { canOpenAlbum } from '../../access/albums.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, noAccess, notFound } from '../../core/errors.ts';
import { safeName } from './names.ts';
import type { ArchiveWish, DownloadPlan, DownloadWish } from './schemas.ts';
import { findFiles, type Item, itemsOf, sizesOf, type Source, type StoredFile } from './store.ts';
import { isWhole, zipOf } from './zip.ts';

const DEFAULT_ARCHIVE_BYTES = 4 * 1024 ** 3;

/** Splits what is wished for into archives of about the wished size; no file is ever cut. */
export async function planDownload(ctx: Ctx, wish: DownloadWish): Promise<DownloadPlan> {
  const source = await sourceOf(ctx, wish);
  const target = wish.archiveSize ?? DEFAULT_ARCHIVE_BYTES;
  const archives: DownloadPlan['archives'] = [];
  let current: DownloadPlan['archives'][number] = { assetIds: [], size: 0 };
  const seen = new Set<string>();
  const add = (id: string, size: number) => {
    if (seen.has(id)) return;
    seen.add(id);
    current.assetIds.push(id);
    current.size += size;
  };
  for await (const batch of inBatches(itemsOf(ctx, source))) {
    const videoIds = batch.flatMap(({ liveVideoId }) => liveVideoId ?? []);
    const videoSizes = await sizesOf(ctx, videoIds);
    for (const { id, size, liveVideoId } of batch) {
      add(id, size);
      // Both halves of a live photo go into one archive.
      const videoSize = liveVideoId === null ? undefined : videoSizes.get(liveVideoId);
      if (videoSize !== undefined) add(liveVideoId!, videoSize);
      if (current.size < target) continue;
      archives.push(current);
      current = { assetIds: [], size: 0 };
    }
  }
  if (current.assetIds.length > 0) archives.push(current);
  return { archives, totalSize: archives.reduce((sum, { size }) => sum + size, 0) };
}

async function* inBatches(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < 5000) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

async function sourceOf(ctx: Ctx, { assetIds, albumId, userId }: DownloadWish): Promise<Source> {
  const { session } = ctx;
  if (assetIds !== undefined) {
    const ids = [...new Set(assetIds.map((id) => id.toLowerCase()))];
    const visible = await sizesOf(ctx, ids);
    if (visible.size < ids.length) throw noAccess('asset.download');
    return { assetIds: ids };
  }
  if (albumId !== undefined) {
    const id = albumId.toLowerCase();
    if (!(await canOpenAlbum(ctx.db, session, id))) throw noAccess('album.download');
    return { albumId: id };
  }
  if (userId !== undefined) {
    const ownerId = userId.toLowerCase();
    const isShown =
      session.kind === 'user' &&
      (session.userId === ownerId ||
        (session.sharers.includes(ownerId) && !session.placelessSharers.includes(ownerId)));
    if (!isShown) throw noAccess('timeline.download');
    return { ownerId };
  }
  throw badRequest('assetIds, albumId, or userId is required');
}

export type Archive = { readonly fileName: string; readonly body: ReadableStream<Uint8Array> };

/**
 * A ZIP file made while it is sent: photos and videos are compressed already, so they are stored as
 * they are. One file is open at a time.
 */
export async function openArchive(ctx: Ctx, wish: ArchiveWish): Promise<Archive> {
  const ids = [...new Set(wish.assetIds.map((id) => id.toLowerCase()))];
  // What was cut away is not for guests.
  const edited = wish.edited === true || ctx.session.kind === 'sharedLink';
  const files = await findFiles(ctx, ids, { edited });
  if (files.size < ids.length) throw noAccess('asset.download');
  const name = safeName(wish.archiveName?.replace(/\.zip$/i, '') || 'photos');
  const stored = ids.map((id) => files.get(id)!);
  if (stored.length > 0 && !(await hasAny(ctx, stored))) throw notFound('Asset media');
  return { fileName: `${name}.zip`, body: zipOf(ctx.paths, stored) };
}

/** Mostly the first one is there. */
async function hasAny({ paths }: Ctx, files: readonly StoredFile[]): Promise<boolean> {
  for (const file of files) if (await isWhole(paths, file)) return true;
  return false;
}
