import { rm } from 'node:fs/promises';
import type { Ctx } from '../../../core/context.ts';
import { openFile } from '../../../core/guarded-path.ts';
import { createLimiter } from '../../../core/limiter.ts';
import { getPlayedOriginal } from '../originals/originals.domain.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { selectStripFormat, stripMetadata } from '../../../media/metadata-stripping.ts';
import { parseJpegHeader } from '../../../media/jpeg.ts';
import { stripJpegMetadata } from '../../../media/jpeg-stripping.ts';
import { MediaError } from '../../../media/errors.ts';
import { probe } from '../../../media/probe.ts';
import { type DerivedFile, lockAsset, saveFiles } from '../processing/processing.store.ts';
import type { AssetFileView } from '../store.ts';
import { createScratchPath } from '../processing/derived-files.ts';
import * as storage from '../../../storage/index.ts';

// Viewers who may not know where a video or sound was recorded get a copy of its streams without
// metadata, and guests who may download, but not know the place, a copy of the picture. The copy is made on
// request: few are ever requested, and making one takes as long as reading the file.

type Kind = 'bare_video' | 'bare_image';
const getKind = ({ type }: Pick<AssetFileView, 'type'>): Kind =>
  type === 'IMAGE' ? 'bare_image' : 'bare_video';
/** Guests get the preview of a larger picture. */
const MAX_IMAGE_BYTES = 128 * 1024 ** 2;
/** A guest who opens a whole album must not start a copy of every video at once. */
const MAX_CONCURRENT_COPIES = 2;

const pendingCopies = new Map<string, Promise<DerivedFile | undefined>>();
const runLimited = createLimiter(MAX_CONCURRENT_COPIES);

/**
 * Returns the copy and creates it if necessary. `row` comes from a finder of its kind. Returns undefined when
 * the file is broken, waits for its transcode, or is a picture of another format than JPEG. Throws 404 while its bytes are known to be wrong.
 */
export async function ensureMetadataStrippedCopy(
  ctx: Ctx,
  row: AssetFileView,
): Promise<DerivedFile | undefined> {
  const known = toFile(row);
  if (known && (await isFileComplete(ctx, known))) return known;
  const { id } = row;
  const pending =
    pendingCopies.get(id) ??
    runLimited(() => createCopy(ctx, row)).finally(() => pendingCopies.delete(id));
  pendingCopies.set(id, pending);
  return pending;
}

/** The copy is not synced to the disk, so a power failure may have truncated it. */
const isFileComplete = (ctx: Ctx, { name, size }: DerivedFile): Promise<boolean> =>
  storage.has(ctx, storage.derivedFile(ctx.paths, name), size);

function toFile({ type, name, mimeType, size, tag }: AssetFileView): DerivedFile | undefined {
  if (name === null || mimeType === null || tag === null) return undefined;
  return { kind: getKind({ type }), name, mimeType, size: Number(size), tag };
}

async function createCopy(ctx: Ctx, row: AssetFileView): Promise<DerivedFile | undefined> {
  const { id, sha256 } = row;
  const path = await getPlayedOriginal(ctx, sha256);
  try {
    const stripped = row.type === 'IMAGE' ? await stripImage(ctx, path) : await strip(ctx, path);
    return stripped && (await publishCopy(ctx, row, stripped));
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    ctx.log.warn('metadata-stripped copy failed', { assetId: id, reason: error.message });
    return undefined;
  }
}

async function strip(ctx: Ctx, path: string): Promise<StrippedFile | undefined> {
  const probed = await probe(path);
  const form = selectStripFormat(probed);
  if (form === 'transcode') return undefined;
  const from = await createScratchPath(ctx.paths, form.extension);
  await stripMetadata(path, from, { probe: probed, form });
  return { from, ...form };
}

async function stripImage(ctx: Ctx, path: string): Promise<StrippedFile | undefined> {
  const file = await openFile(path);
  try {
    if ((await file.stat()).size > MAX_IMAGE_BYTES) return undefined;
    const bytes = await file.readFile();
    const parts = stripJpegMetadata(bytes, parseJpegHeader(bytes, true)?.orientation);
    if (!parts) return undefined;
    const from = await createScratchPath(ctx.paths, 'jpg');
    await Bun.write(from, Buffer.concat(parts));
    return { from, extension: 'jpg', mimeType: 'image/jpeg' };
  } finally {
    await file.close();
  }
}

type StrippedFile = {
  readonly from: string;
  readonly extension: string;
  readonly mimeType: string;
};

async function publishCopy(
  ctx: Ctx,
  { id, sha256, type }: Pick<AssetFileView, 'id' | 'sha256' | 'type'>,
  { from, extension, mimeType }: StrippedFile,
): Promise<DerivedFile | undefined> {
  const kind = getKind({ type });
  const { size } = Bun.file(from);
  const name = await storage.putDerived(ctx, from, { id, kind, extension });
  // The bytes are the same whenever the copy is made.
  const tag = Bun.hash(`${sha256}.${size}.${kind}`).toString(36);
  const file: DerivedFile = { kind, name, mimeType, size, tag };
  const isSaved = await inTransaction(ctx, async ({ db }) => {
    if (!(await lockAsset(db, id))) return false;
    await saveFiles(db, id, [file]);
    // Under the lock of the asset: no file is in its place without its row.
    await storage.place(ctx, from, storage.derivedFile(ctx.paths, name));
    return true;
  });
  if (isSaved) return file;
  await rm(from, { force: true });
  return undefined;
}
