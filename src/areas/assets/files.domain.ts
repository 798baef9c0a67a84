import { join } from 'node:path';
import { batchedByScope } from '../../access/batch.ts';
import type { Ctx } from '../../core/context.ts';
import { noAccess, notFound } from '../../core/errors.ts';
import { originalPath } from '../../core/paths.ts';
import { enqueue } from '../../jobs/queue.ts';
import { mimeOf } from '../../media/formats.ts';
import { renderImage, renderVideo, transcodeVideo } from './jobs.ts';
import type { MediaSize } from './schemas.ts';
import { fileFinder, type FileView } from './store.ts';

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
  original: [],
} as const;

const findersOf = (kinds: readonly string[]) =>
  batchedByScope((ctx: Ctx) => fileFinder(ctx, kinds));
const FINDERS = {
  thumbnail: findersOf(KINDS.thumbnail),
  preview: findersOf(KINDS.preview),
  fullsize: findersOf(KINDS.fullsize),
  playback: findersOf(KINDS.playback),
  original: findersOf(KINDS.original),
};

/** Originals that every browser shows by itself. */
const SHOWN_BY_BROWSERS = new Set([
  'image/avif',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
]);

export async function thumbnailOf(ctx: Ctx, id: string, size: MediaSize): Promise<ServedFile> {
  if (size === 'original' || size === 'fullsize') return fullsizeOf(ctx, id);
  const [row] = await rowsOf(ctx, size, id, 'asset.view');
  return derivedFile(ctx, row) ?? missing('Asset media');
}

/** A guest who may not have the original gets the largest picture made from it. */
async function fullsizeOf(ctx: Ctx, id: string): Promise<ServedFile> {
  const rows = await rowsOf(ctx, 'fullsize', id, 'asset.view');
  const row = rows[0]!;
  const { session } = ctx;
  const mayHaveOriginal =
    session.kind === 'user' || (session.allowDownload && session.showMetadata);
  if (mayHaveOriginal && SHOWN_BY_BROWSERS.has(mimeOf(row.fileName))) {
    return originalFile(ctx, row, 'inline');
  }
  const byKind = (kind: string) =>
    derivedFile(
      ctx,
      rows.find((file) => file.kind === kind),
    );
  return byKind('fullsize') ?? byKind('preview') ?? missing('Asset media');
}

export async function originalOf(ctx: Ctx, id: string): Promise<ServedFile> {
  const [row] = await rowsOf(ctx, 'original', id, 'asset.download');
  return originalFile(ctx, row!, 'attachment');
}

export async function playbackOf(ctx: Ctx, id: string): Promise<ServedFile> {
  const [row] = await rowsOf(ctx, 'playback', id, 'asset.view');
  if (row!.type !== 'VIDEO' && row!.type !== 'AUDIO') throw notFound('Video');
  return derivedFile(ctx, row) ?? originalFile(ctx, row!, 'inline');
}

async function rowsOf(ctx: Ctx, finder: keyof typeof FINDERS, id: string, permission: string) {
  const rows = await FINDERS[finder](ctx, id.toLowerCase());
  if (!rows) throw noAccess(permission);
  return rows;
}

function missing(what: string): never {
  throw notFound(what);
}

function derivedFile(ctx: Ctx, row: FileView | undefined): ServedFile | undefined {
  if (!row?.name) return undefined;
  const extension = row.name.slice(row.name.lastIndexOf('.'));
  return {
    path: join(ctx.paths.derived, row.name),
    size: Number(row.size),
    etag: `"${row.tag}"`,
    type: row.mimeType!,
    cacheControl: cacheControlOf(row),
    disposition: { kind: 'inline', fileName: `${row.id}_${row.kind}${extension}` },
    onGone: () => remake(ctx, row),
  };
}

/** What was made from an original is not made durable, and can be made again. */
function remake(ctx: Ctx, { id, type, kind }: FileView): void {
  const video = kind === 'encoded_video' ? transcodeVideo : renderVideo;
  enqueue(ctx.db, type === 'VIDEO' ? video : renderImage, { assetId: id }).catch((error: unknown) =>
    ctx.log.error('a missing file cannot be made again', { assetId: id, error }),
  );
}

const originalFile = (ctx: Ctx, row: FileView, kind: 'inline' | 'attachment'): ServedFile => ({
  path: originalPath(ctx.paths, Buffer.from(row.sha256, 'hex')),
  size: Number(row.fileSize),
  etag: `"${row.sha256}"`,
  type: mimeOf(row.fileName),
  cacheControl: cacheControlOf(row),
  disposition: { kind, fileName: row.fileName },
});

/** What is locked leaves no copy behind in the browser. */
const cacheControlOf = (row: FileView): string =>
  row.isLocked ? 'private, no-store' : 'private, max-age=86400, no-transform';
