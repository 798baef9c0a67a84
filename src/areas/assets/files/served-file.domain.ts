import type { Ctx } from '../../../core/context.ts';
import { notFound } from '../../../core/errors.ts';
import { getContentType } from '../../../media/formats.ts';
import { createDamagedError, getSentOriginal } from '../originals/originals.domain.ts';
import type { AssetFileView } from '../store.ts';
import * as storage from '../../../storage/index.ts';

export type FileFacts = {
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
export type DerivedFile = FileFacts & { readonly name: string };

/** A file to send, as src/http/files.ts takes it. */
export type ServedFile = FileFacts & storage.FileSource;

/** Throws 404 for a missing object, which is made again, as for a missing file when it is sent. */
export async function serveDerived(
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

export async function toOriginalFile(
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
