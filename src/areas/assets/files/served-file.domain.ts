import type { Ctx } from '../../../core/context.ts';
import { notFound } from '../../../core/errors.ts';
import { getContentType } from '../../../media/formats.ts';
import { type FileSource, findDerivedSource } from '../../../storage/file-objects.ts';
import { createObjectLink } from '../../../storage/object-links.ts';
import { getServedOriginal } from '../originals/originals.domain.ts';
import type { AssetFileView } from '../store.ts';

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
export type ServedFile = FileFacts & FileSource;

/** Throws 404 for a missing object, which is made again, as for a missing file when it is sent. */
export async function serveDerived(
  ctx: Ctx,
  file: DerivedFile | undefined,
  what = 'Asset media',
): Promise<ServedFile> {
  if (!file) throw notFound(what);
  const { name, ...facts } = file;
  const source = await findDerivedSource(ctx, name);
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
  const source = await getServedOriginal(ctx, row.sha256);
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
    ...('key' in source && {
      location: await createObjectLink(ctx, { ...facts, key: source.key, isLocked }),
    }),
  };
}

/**
 * Browsers must not store locked files, and must revalidate all others by ETag: after signing out or
 * the end of a link they must not show a cached copy.
 */
export const getCacheControl = (row: Pick<AssetFileView, 'isLocked'>): string =>
  row.isLocked ? 'private, no-store' : 'private, no-cache, no-transform';
