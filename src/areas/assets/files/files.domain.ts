import { batchedByScope } from '../../../access/batch.ts';
import { hasPermission } from '../../../access/permissions.ts';
import type { Ctx } from '../../../core/context.ts';
import { noAccess, notFound } from '../../../core/errors.ts';
import { getFirst } from '../../../core/required.ts';
import { countLinkUse } from '../../link-uses/index.ts';
import {
  getPlayedOriginal,
  createDamagedError,
  getSentOriginal,
} from '../originals/originals.domain.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { getContentType, isDisplayedByBrowsers } from '../../../media/formats.ts';
import { renderImage, renderVideo, transcodeVideo } from '../jobs.ts';
import type { MediaSize } from '../schemas.ts';
import { markPlayed } from '../transcodes/played-files.ts';
import { restoreTranscode } from '../transcodes/transcodes.domain.ts';
import { ensureMetadataStrippedCopy } from './metadata-stripped-copy.domain.ts';
import { createFileFinder, type AssetFileView } from '../store.ts';
import type { AssetFileKind } from '../../../db/tables/assets.ts';
import * as storage from '../../../storage/index.ts';

const FILE_KINDS = {
  thumbnail: ['thumbnail'],
  preview: ['preview'],
  fullsize: ['fullsize', 'preview'],
  playback: ['encoded_video'],
  strippedPlayback: ['bare_video'],
  original: [],
  editedThumbnail: ['edited_thumbnail', 'thumbnail'],
  editedPreview: ['edited_preview', 'preview'],
  editedFullsize: ['edited_fullsize', 'fullsize', 'preview'],
  editedOriginal: ['edited_fullsize'],
  placeless: [
    'edited_fullsize',
    'bare_image',
    'bare_video',
    'encoded_video',
    'fullsize',
    'preview',
  ],
} as const;
type FileSelection = keyof typeof FILE_KINDS;

const createBatchedFinder = (kinds: readonly AssetFileKind[]) =>
  batchedByScope((ctx: Ctx) => createFileFinder(ctx, kinds));
const FINDERS = {
  thumbnail: createBatchedFinder(FILE_KINDS.thumbnail),
  preview: createBatchedFinder(FILE_KINDS.preview),
  fullsize: createBatchedFinder(FILE_KINDS.fullsize),
  playback: createBatchedFinder(FILE_KINDS.playback),
  strippedPlayback: createBatchedFinder(FILE_KINDS.strippedPlayback),
  original: createBatchedFinder(FILE_KINDS.original),
  editedThumbnail: createBatchedFinder(FILE_KINDS.editedThumbnail),
  editedPreview: createBatchedFinder(FILE_KINDS.editedPreview),
  editedFullsize: createBatchedFinder(FILE_KINDS.editedFullsize),
  editedOriginal: createBatchedFinder(FILE_KINDS.editedOriginal),
  placeless: createBatchedFinder(FILE_KINDS.placeless),
} satisfies Record<FileSelection, unknown>;

/** Guests always get the edited picture: what the owner has cropped off is private. */
const mustServeEdited = ({ session }: Ctx, edited: boolean | undefined): boolean =>
  edited === true || session.kind === 'sharedLink';

export type PictureOptions = {
  readonly size?: MediaSize | undefined;
  /** With the owner's edits applied. */
  readonly edited?: boolean | undefined;
};

export async function getThumbnail(
  ctx: Ctx,
  id: string,
  { size = 'thumbnail', edited }: PictureOptions,
): Promise<ServedFile> {
  const isEdited = mustServeEdited(ctx, edited);
  if (size === 'original' || size === 'fullsize') return getFullsize(ctx, id, isEdited);
  const selection = isEdited ? EDITED_SELECTIONS[size] : size;
  const rows = await getFileRows(ctx, selection, id, 'asset.view');
  return serveDerived(ctx, findFirstFile(ctx, rows, selection));
}

const EDITED_SELECTIONS = { thumbnail: 'editedThumbnail', preview: 'editedPreview' } as const;

/** Returns the first existing file, in the order of the selection's kinds. */
function findFirstFile(
  ctx: Ctx,
  rows: readonly AssetFileView[],
  selection: FileSelection,
): DerivedFile | undefined {
  for (const kind of FILE_KINDS[selection]) {
    const file = toDerivedFile(
      ctx,
      rows.find((row) => row.kind === kind),
    );
    if (file) return file;
  }
  return undefined;
}

/**
 * Returns whether the caller may receive the uploaded file. It contains the place, and it needs the
 * download permission of the link or API key.
 */
const canReceiveOriginal = ({ session }: Ctx, { showsPlace }: AssetFileView): boolean =>
  showsPlace &&
  (session.kind === 'user'
    ? hasPermission(session.permissions, 'asset.download')
    : session.allowDownload);

/** Callers who may not receive the original get the largest derived picture. */
async function getFullsize(ctx: Ctx, id: string, isEdited: boolean): Promise<ServedFile> {
  const selection = isEdited ? 'editedFullsize' : 'fullsize';
  const rows = await getFileRows(ctx, selection, id, 'asset.view');
  const row = getFirst(rows);
  const canServeOriginal =
    canReceiveOriginal(ctx, row) && isDisplayedByBrowsers(getContentType(row));
  if (canServeOriginal && !rows.some(({ kind }) => kind === 'edited_fullsize')) {
    return toOriginalFile(ctx, row, 'inline');
  }
  return serveDerived(ctx, findFirstFile(ctx, rows, selection));
}

/** Guests who may download, but not know the place, get a copy without metadata instead of the file. */
export const receivesPlacelessCopies = ({ session }: Pick<Ctx, 'session'>): boolean =>
  session.kind === 'sharedLink' && session.hidesPlaces && session.allowDownload;

/**
 * Returns the edited picture or the copy without metadata that such a guest downloads: a JPEG or a video
 * as it is, of other pictures the largest derived one. Undefined when there is none yet.
 */
export async function findPlacelessCopy(ctx: Ctx, id: string): Promise<AssetFileView | undefined> {
  const rows = await getFileRows(ctx, 'placeless', id, 'asset.download');
  const [first] = rows;
  const findRow = (kind: string) => rows.find((row) => row.kind === kind && row.name !== null);
  const edited = findRow('edited_fullsize');
  if (!first || edited) return edited;
  const kind = first.type === 'IMAGE' ? 'bare_image' : 'bare_video';
  const none = { ...first, kind: null, name: null, mimeType: null, size: null, tag: null };
  const copy = await ensureMetadataStrippedCopy(ctx, findRow(kind) ?? none);
  if (copy) return { ...first, ...copy, size: String(copy.size) };
  if (first.type !== 'IMAGE') return findRow('encoded_video');
  return findRow('fullsize') ?? findRow('preview');
}

async function getPlacelessDownload(ctx: Ctx, row: AssetFileView): Promise<ServedFile> {
  const copy = await findPlacelessCopy(ctx, row.id);
  const file = await serveDerived(ctx, toDerivedFile(ctx, copy));
  const fileName = row.fileName.replace(/(\.[^.]*)?$/, getExtension(copy?.name ?? ''));
  return { ...file, disposition: { kind: 'attachment', fileName } };
}

/** Returns the uploaded file, or on request the edited picture. Throws 400 without access. */
export async function getOriginal(
  ctx: Ctx,
  id: string,
  { edited }: Pick<PictureOptions, 'edited'> = {},
): Promise<ServedFile> {
  const selection = mustServeEdited(ctx, edited) ? 'editedOriginal' : 'original';
  const rows = await getFileRows(ctx, selection, id, 'asset.download');
  const row = getFirst(rows);
  const isPlaceless = receivesPlacelessCopies(ctx);
  if (!isPlaceless && !canReceiveOriginal(ctx, row)) throw noAccess('asset.download');
  await countLinkUse(ctx, 'downloaded');
  if (isPlaceless) return getPlacelessDownload(ctx, row);
  const picture = findFirstFile(ctx, rows, selection);
  if (!picture) return toOriginalFile(ctx, row, 'attachment');
  const fileName = row.fileName.replace(/(\.[^.]*)?$/, getExtension(picture.name));
  return { ...(await serveDerived(ctx, picture)), disposition: { kind: 'attachment', fileName } };
}

/**
 * Returns the transcode, else the original; a transcode that was deleted is made again. Callers who may not receive the
 * original get a metadata-stripped copy instead. Throws 404 for other types, for what no player can read, and while no
 * playable file exists.
 */
export async function getPlayback(ctx: Ctx, id: string): Promise<ServedFile> {
  const row = getFirst(await getFileRows(ctx, 'playback', id, 'asset.view'));
  if (row.type !== 'VIDEO' && row.type !== 'AUDIO') throw notFound('Video');
  const transcoded = toDerivedFile(ctx, row);
  if (transcoded) {
    const stored = storage.derivedFile(ctx.paths, transcoded.name);
    await markPlayed(stored.path);
    const { size, type, disposition } = transcoded;
    const { isLocked } = row;
    const file = await serveDerived(ctx, transcoded);
    const link = { size, type, isLocked, disposition };
    return { ...file, location: await storage.link(ctx, stored, link) };
  }
  await restoreTranscode(ctx, row.id);
  if (row.isBroken) throw notFound('Video');
  if (canReceiveOriginal(ctx, row)) return toOriginalFile(ctx, row, 'inline');
  const strippedRow = getFirst(await getFileRows(ctx, 'strippedPlayback', id, 'asset.view'));
  const stripped = await ensureMetadataStrippedCopy(ctx, strippedRow);
  const file = toDerivedFile(ctx, stripped && { ...row, ...stripped, size: String(stripped.size) });
  if (file) await markPlayed(storage.derivedFile(ctx.paths, file.name).path);
  return serveDerived(ctx, file, 'Video');
}

/**
 * Returns where the file of a video is, to be transcoded for the caller; undefined when no player can read it. Throws
 * 404 for other types.
 */
export async function getStreamedFile(
  ctx: Ctx,
  id: string,
): Promise<{ readonly path: string; readonly sha256: string } | undefined> {
  const [row] = await getFileRows(ctx, 'original', id, 'asset.view');
  if (row?.type !== 'VIDEO') throw notFound('Video');
  const { sha256 } = row;
  return row.isBroken ? undefined : { path: await getPlayedOriginal(ctx, sha256), sha256 };
}

async function getFileRows(ctx: Ctx, selection: FileSelection, id: string, permission: string) {
  const rows = await FINDERS[selection](ctx, id.toLowerCase());
  if (!rows) throw noAccess(permission);
  return rows;
}

function toDerivedFile(ctx: Ctx, row: AssetFileView | undefined): DerivedFile | undefined {
  if (!row?.name || row.mimeType === null) return undefined;
  return {
    name: row.name,
    size: Number(row.size),
    etag: `"${row.tag}"`,
    type: row.mimeType,
    cacheControl: getCacheControl(row),
    disposition: { kind: 'inline', fileName: `${row.id}_${row.kind}${getExtension(row.name)}` },
    onGone: () => enqueueRegeneration(ctx, row),
  };
}

/** Enqueues the job that recreates a lost derived file: derived files are not synced to the disk. */
function enqueueRegeneration(ctx: Ctx, { id, type, kind }: AssetFileView): void {
  // The next request creates it.
  if (kind === 'bare_video' || kind === 'bare_image') return;
  const video = kind === 'encoded_video' ? transcodeVideo : renderVideo;
  enqueue(ctx.db, type === 'IMAGE' ? renderImage : video, { assetId: id }).catch((error: unknown) =>
    ctx.log.error('enqueueing a missing derived file failed', { assetId: id, error }),
  );
}

const getExtension = (name: string): string => name.slice(name.lastIndexOf('.'));

type FileFacts = {
  readonly size: number;
  readonly etag: string;
  readonly type: string;
  readonly cacheControl: string;
  readonly disposition: { readonly kind: 'inline' | 'attachment'; readonly fileName: string };
  readonly onGone?: (() => void) | undefined;
  /** Where a client may fetch it instead, as src/http/files.ts takes it. */
  readonly location?: string | undefined;
};

/** Its name tells where it lies. */
type DerivedFile = FileFacts & { readonly name: string };

/** A file to send, as src/http/files.ts takes it. */
export type ServedFile = FileFacts & storage.FileSource;

/** Throws 404 for a missing object, which is made again, as for a missing file when it is sent. */
async function serveDerived(
  ctx: Ctx,
  file: DerivedFile | undefined,
  what = 'Asset media',
): Promise<ServedFile> {
  if (!file) throw notFound(what);
  const { name, ...facts } = file;
  const source = await storage.open(ctx, storage.derivedFile(ctx.paths, name));
  if (source) return { ...facts, ...source };
  facts.onGone?.();
  throw notFound(what);
}

async function toOriginalFile(
  ctx: Ctx,
  row: AssetFileView,
  kind: 'inline' | 'attachment',
): Promise<ServedFile> {
  const { fileName, isLocked } = row;
  const file = await getSentOriginal(ctx, row.sha256);
  const source = await storage.open(ctx, file);
  if (!source) throw createDamagedError();
  const facts = {
    size: Number(row.fileSize),
    type: getContentType(row),
    disposition: { kind, fileName },
  };
  return {
    ...source,
    ...facts,
    etag: `"${row.sha256}"`,
    cacheControl: getCacheControl(row),
    location: await storage.link(ctx, file, { ...facts, isLocked }),
  };
}

/**
 * Browsers must not store locked files, and must revalidate all others by ETag: after signing out or
 * the end of a link they must not show a cached copy.
 */
export const getCacheControl = (row: Pick<AssetFileView, 'isLocked'>): string =>
  row.isLocked ? 'private, no-store' : 'private, no-cache, no-transform';
