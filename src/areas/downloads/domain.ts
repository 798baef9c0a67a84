import { canOpenAlbum } from '../../access/albums.ts';
import type { Session } from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, noAccess, notFound } from '../../core/errors.ts';
import { findPlacelessCopy, receivesPlacelessCopies, findSidecarValues } from '../assets/index.ts';
import { countLinkUse } from '../link-uses/index.ts';
import { toSafeEntryName } from './entry-names.ts';
import type { ArchiveWish, DownloadPlan, DownloadWish } from './schemas.ts';
import {
  findFiles,
  type DownloadItem,
  listItems,
  findSizes,
  type DownloadSource,
  type ArchivedFile,
} from './store.ts';
import { isFileComplete, createZipStream, type ToSidecar } from './zip.ts';
import { ownAssets, requireUser } from '../../access/scope.ts';
import { formatXmp, type SidecarValues } from '../../media/xmp.ts';

const DEFAULT_ARCHIVE_BYTES = 4 * 1024 ** 3;

/** Splits a download into archives of about the requested size. Files are not split. Throws 400. */
export async function planDownload(ctx: Ctx, request: DownloadWish): Promise<DownloadPlan> {
  const source = await toSource(ctx, request);
  const target = request.archiveSize ?? DEFAULT_ARCHIVE_BYTES;
  const archives: DownloadPlan['archives'] = [];
  let current: DownloadPlan['archives'][number] = { assetIds: [], size: 0 };
  const seen = new Set<string>();
  const add = (id: string, size: number) => {
    if (seen.has(id)) return;
    seen.add(id);
    current.assetIds.push(id);
    current.size += size;
  };
  for await (const batch of toBatches(listItems(ctx, source))) {
    const videoIds = batch.flatMap(({ liveVideoId }) => liveVideoId ?? []);
    const videoSizes = await findSizes(ctx, videoIds);
    for (const { id, size, liveVideoId } of batch) {
      add(id, size);
      // A live photo is not split between archives.
      const videoSize = liveVideoId === null ? undefined : videoSizes.get(liveVideoId);
      if (liveVideoId !== null && videoSize !== undefined) add(liveVideoId, videoSize);
      if (current.size < target) continue;
      archives.push(current);
      current = { assetIds: [], size: 0 };
    }
  }
  if (current.assetIds.length > 0) archives.push(current);
  return { archives, totalSize: archives.reduce((sum, { size }) => sum + size, 0) };
}

async function* toBatches(items: AsyncIterable<DownloadItem>): AsyncGenerator<DownloadItem[]> {
  let batch: DownloadItem[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < 5000) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

async function toSource(
  ctx: Ctx,
  { assetIds, albumId, userId }: DownloadWish,
): Promise<DownloadSource> {
  const { session } = ctx;
  const mayDownload = session.kind === 'user' || session.allowDownload;
  if (assetIds !== undefined) {
    const ids = [...new Set(assetIds.map((id) => id.toLowerCase()))];
    const visible = await findSizes(ctx, mayDownload ? ids : []);
    if (visible.size < ids.length) throw noAccess('asset.download');
    return { assetIds: ids };
  }
  if (albumId !== undefined) {
    const id = albumId.toLowerCase();
    if (!mayDownload || !(await canOpenAlbum(ctx.db, session, id)))
      throw noAccess('album.download');
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
 * Returns a ZIP archive as a stream that reads one file at a time. Files are stored uncompressed, as
 * photos and videos are compressed already. Throws 400 for assets that the caller may not download; the stream fails
 * at the first one that the caller may not download any more when its turn comes.
 */
export async function openArchive(
  ctx: Ctx,
  request: ArchiveWish,
  toSidecar?: ToSidecar,
): Promise<Archive> {
  const ids = [...new Set(request.assetIds.map((id) => id.toLowerCase()))];
  // Guests always get edited pictures: cropped areas are private.
  const edited = request.edited === true || ctx.session.kind === 'sharedLink';
  const files = await findFiles(ctx, ids, { edited });
  if (files.size < ids.length) throw noAccess('asset.download');
  const name = toSafeEntryName(request.archiveName?.replace(/\.zip$/i, '') || 'photos');
  const stored = ids.flatMap((id) => files.get(id) ?? []);
  if (stored.length > 0 && !(await hasAnyFile(ctx, stored))) throw notFound('Asset media');
  await countLinkUse(ctx, 'downloaded');
  return {
    fileName: `${name}.zip`,
    body: createZipStream(ctx, whileAllowed(ctx, stored), toSidecar),
  };
}

const CHECK_MS = 1000;
/** Files that one check is about. */
const CHECKED = 200;

/** Yields the files, and throws at the first one that the caller may not download any more: checked each second. */
async function* whileAllowed(
  ctx: Ctx,
  files: readonly ArchivedFile[],
): AsyncGenerator<ArchivedFile, void> {
  let allowed: ReadonlySet<string> = new Set(files.map(({ id }) => id));
  let checkedAt = performance.now();
  for (const [index, file] of files.entries()) {
    if (!allowed.has(file.id) || performance.now() - checkedAt > CHECK_MS) {
      const next = files.slice(index, index + CHECKED).map(({ id }) => id);
      const found = await findSizes({ ...ctx, session: await renewSession(ctx) }, next);
      allowed = new Set(found.keys());
      checkedAt = performance.now();
    }
    if (!allowed.has(file.id)) throw noAccess('asset.download');
    yield receivesPlacelessCopies(ctx) ? await toPlaceless(ctx, file) : file;
  }
}

/** Returns the file with the copy to send instead; without one it is left out as a damaged file is. */
async function toPlaceless(ctx: Ctx, file: ArchivedFile): Promise<ArchivedFile> {
  const copy = await findPlacelessCopy(ctx, file.id);
  return copy?.name
    ? { ...file, editedName: copy.name, editedSize: copy.size }
    : { ...file, isDamaged: true };
}

/** A download of Locked items goes on when the session is not unlocked any more. */
async function renewSession({ session, renewSession }: Ctx): Promise<Session> {
  const renewed = (await renewSession?.()) ?? session;
  return renewed.kind === 'user' && session.kind === 'user'
    ? { ...renewed, unlocked: session.unlocked }
    : renewed;
}

/** Usually the first file exists. */
async function hasAnyFile(ctx: Ctx, files: readonly ArchivedFile[]): Promise<boolean> {
  for (const file of files) if (await isFileComplete(ctx, file)) return true;
  return false;
}

/** Items that one statement reads ahead. */
const BATCH_SIZE = 200;

/**
 * Returns a ZIP archive as openArchive does, with a file `name.ext.xmp` behind each item of the caller: date,
 * place, rating, description, tags and people as the owner has changed them. Items of others have none.
 */
export function openSidecarArchive(ctx: Ctx, request: ArchiveWish): Promise<Archive> {
  const { db, session } = ctx;
  requireUser(session);
  const ids = [...new Set(request.assetIds.map((id) => id.toLowerCase()))];
  let known: ReadonlyMap<string, SidecarValues> = new Map();
  let end = 0;
  const toSidecar = async (id: string): Promise<string | undefined> => {
    const at = ids.indexOf(id, Math.max(0, end - BATCH_SIZE));
    if (at >= end) {
      const batch = ids.slice(at, at + BATCH_SIZE);
      known = await findSidecarValues(db, ownAssets(db, session, 'any'), batch);
      end = at + batch.length;
    }
    const values = known.get(id);
    return values && formatXmp(values);
  };
  return openArchive(ctx, request, toSidecar);
}
