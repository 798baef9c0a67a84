import { join } from 'node:path';
import { batchedByScope } from '../../../access/batch.ts';
import { holds } from '../../../access/permissions.ts';
import type { Ctx } from '../../../core/context.ts';
import { noAccess, notFound } from '../../../core/errors.ts';
import { originalPath } from '../../../core/paths.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { getMimeType } from '../../../media/formats.ts';
import { renderImage, renderVideo, transcodeVideo } from '../jobs.ts';
import type { MediaSize } from '../schemas.ts';
import { bareCopyOf } from './metadata-stripped-copy.domain.ts';
import { fileFinder, type FileView } from '../store.ts';

/** A file to send: what src/http/files.ts takes. */
export type ServedFile = {
  readonly path: string;
  readonly size: number;
  readonly etag: string;
  readonly type: string;
  readonly cacheControl: string;
  readonly disposition: { readonly kind: 'inline' | 'attachment'; readonly fileName: string };
  readonly onGone?: (() => void) | undefined;
};

const KINDS = {
  thumbnail: ['thumbnail'],
  preview: ['preview'],
  fullsize: ['fullsize', 'preview'],
  playback: ['encoded_video'],
  barePlayback: ['bare_video'],
  original: [],
  editedThumbnail: ['edited_thumbnail', 'thumbnail'],
  editedPreview: ['edited_preview', 'preview'],
  editedFullsize: ['edited_fullsize', 'fullsize', 'preview'],
  editedOriginal: ['edited_fullsize'],
} as const;
type Wanted = keyof typeof KINDS;

const findersOf = (kinds: readonly string[]) =>
  batchedByScope((ctx: Ctx) => fileFinder(ctx, kinds));
const FINDERS = {
  thumbnail: findersOf(KINDS.thumbnail),
  preview: findersOf(KINDS.preview),
  fullsize: findersOf(KINDS.fullsize),
  playback: findersOf(KINDS.playback),
  barePlayback: findersOf(KINDS.barePlayback),
  original: findersOf(KINDS.original),
  editedThumbnail: findersOf(KINDS.editedThumbnail),
  editedPreview: findersOf(KINDS.editedPreview),
  editedFullsize: findersOf(KINDS.editedFullsize),
  editedOriginal: findersOf(KINDS.editedOriginal),
} satisfies Record<Wanted, unknown>;

/** What was cut away is not for guests: they get the edited picture, whatever they ask for. */
const wantsEdited = ({ session }: Ctx, edited: boolean | undefined): boolean =>
  edited === true || session.kind === 'sharedLink';

/** Originals that every browser shows by itself. */
const SHOWN_BY_BROWSERS = new Set([
  'image/avif',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
]);

export type PictureWish = {
  readonly size?: MediaSize | undefined;
  /** With what the owner did to it. */
  readonly edited?: boolean | undefined;
};

export async function thumbnailOf(
  ctx: Ctx,
  id: string,
  { size = 'thumbnail', edited }: PictureWish,
): Promise<ServedFile> {
  const isEdited = wantsEdited(ctx, edited);
  if (size === 'original' || size === 'fullsize') return fullsizeOf(ctx, id, isEdited);
  const finder = isEdited ? EDITED[size] : size;
  const rows = await rowsOf(ctx, finder, id, 'asset.view');
  return firstOf(ctx, rows, finder) ?? missing('Asset media');
}

const EDITED = { thumbnail: 'editedThumbnail', preview: 'editedPreview' } as const;

/** The first of the wanted kinds that there is. */
function firstOf(ctx: Ctx, rows: readonly FileView[], wanted: Wanted): ServedFile | undefined {
  for (const kind of KINDS[wanted]) {
    const file = derivedFile(
      ctx,
      rows.find((row) => row.kind === kind),
    );
    if (file) return file;
  }
  return undefined;
}

/**
 * An original tells where it was taken: not for those who are not to know. Nor for those who may look
 * and not download, whatever they ask for: a guest of such a link, a key without that permission.
 */
const mayHaveOriginal = ({ session }: Ctx, { showsPlace }: FileView): boolean =>
  showsPlace &&
  (session.kind === 'user' ? holds(session.permissions, 'asset.download') : session.allowDownload);

/** Who may not have the original gets the largest picture made from it. */
async function fullsizeOf(ctx: Ctx, id: string, isEdited: boolean): Promise<ServedFile> {
  const finder = isEdited ? 'editedFullsize' : 'fullsize';
  const rows = await rowsOf(ctx, finder, id, 'asset.view');
  const row = rows[0]!;
  const isShown = mayHaveOriginal(ctx, row) && SHOWN_BY_BROWSERS.has(getMimeType(row.fileName));
  if (isShown && !rows.some(({ kind }) => kind === 'edited_fullsize')) {
    return originalFile(ctx, row, 'inline');
  }
  return firstOf(ctx, rows, finder) ?? missing('Asset media');
}

/** The file that was uploaded; of an edited picture, on request, what the edits made of it. */
export async function originalOf(
  ctx: Ctx,
  id: string,
  { edited }: Pick<PictureWish, 'edited'> = {},
): Promise<ServedFile> {
  const finder = wantsEdited(ctx, edited) ? 'editedOriginal' : 'original';
  const rows = await rowsOf(ctx, finder, id, 'asset.download');
  const row = rows[0]!;
  if (!mayHaveOriginal(ctx, row)) throw noAccess('asset.download');
  const picture = firstOf(ctx, rows, finder);
  if (!picture) return originalFile(ctx, row, 'attachment');
  const fileName = row.fileName.replace(/(\.[^.]*)?$/, extensionOf(row.name!));
  return { ...picture, disposition: { kind: 'attachment', fileName } };
}

/**
 * Who may not have the original gets the transcode or, of a video that needed none, a copy of picture and
 * sound without the metadata: to play a video is to receive it, but never the file that was uploaded.
 */
export async function playbackOf(ctx: Ctx, id: string): Promise<ServedFile> {
  const rows = await rowsOf(ctx, 'playback', id, 'asset.view');
  const row = rows[0]!;
  if (row.type !== 'VIDEO' && row.type !== 'AUDIO') throw notFound('Video');
  const transcoded = derivedFile(ctx, row);
  if (transcoded) return transcoded;
  if (mayHaveOriginal(ctx, row)) return originalFile(ctx, row, 'inline');
  const [known] = await rowsOf(ctx, 'barePlayback', id, 'asset.view');
  const bare = await bareCopyOf(ctx, known!);
  return derivedFile(ctx, bare && { ...row, ...bare, size: String(bare.size) }) ?? missing('Video');
}

async function rowsOf(ctx: Ctx, finder: Wanted, id: string, permission: string) {
  const rows = await FINDERS[finder](ctx, id.toLowerCase());
  if (!rows) throw noAccess(permission);
  return rows;
}

function missing(what: string): never {
  throw notFound(what);
}

function derivedFile(ctx: Ctx, row: FileView | undefined): ServedFile | undefined {
  if (!row?.name) return undefined;
  return {
    path: join(ctx.paths.derived, row.name),
    size: Number(row.size),
    etag: `"${row.tag}"`,
    type: row.mimeType!,
    cacheControl: cacheControlOf(row),
    disposition: { kind: 'inline', fileName: `${row.id}_${row.kind}${extensionOf(row.name)}` },
    onGone: () => remake(ctx, row),
  };
}

/** What was made from an original is not made durable, and can be made again. */
function remake(ctx: Ctx, { id, type, kind }: FileView): void {
  // Whoever asks for it next makes it.
  if (kind === 'bare_video') return;
  const video = kind === 'encoded_video' ? transcodeVideo : renderVideo;
  enqueue(ctx.db, type === 'VIDEO' ? video : renderImage, { assetId: id }).catch((error: unknown) =>
    ctx.log.error('a missing file cannot be made again', { assetId: id, error }),
  );
}

const extensionOf = (name: string): string => name.slice(name.lastIndexOf('.'));

const originalFile = (ctx: Ctx, row: FileView, kind: 'inline' | 'attachment'): ServedFile => ({
  path: originalPath(ctx.paths, Buffer.from(row.sha256, 'hex')),
  size: Number(row.fileSize),
  etag: `"${row.sha256}"`,
  type: getMimeType(row.fileName),
  cacheControl: cacheControlOf(row),
  disposition: { kind, fileName: row.fileName },
});

/**
 * What is locked leaves no copy behind in the browser. Everything else is asked for again, with its
 * ETag: after signing out, or when a link ends, a browser must not show what it has kept.
 */
const cacheControlOf = (row: FileView): string =>
  row.isLocked ? 'private, no-store' : 'private, no-cache, no-transform';
