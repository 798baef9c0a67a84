import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ctx } from '../../../core/context.ts';
import { derivedName } from '../../../core/paths.ts';
import { getServedPath } from '../originals/originals.domain.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { selectStripFormat, stripMetadata } from '../../../media/metadata-stripping.ts';
import { MediaError } from '../../../media/errors.ts';
import { probe } from '../../../media/probe.ts';
import { type DerivedFile, lockAsset, saveFiles } from '../processing/processing.store.ts';
import type { AssetFileView } from '../store.ts';
import { createScratchPath, publishDerivedFile } from '../processing/derived-files.ts';

// Viewers who may not know where a video or sound was recorded get a copy of its streams without
// metadata. The copy is made on request: few are ever requested, and making one takes as long as
// reading the file.

const KIND = 'bare_video';
/** A guest who opens a whole album must not start a copy of every video at once. */
const MAX_CONCURRENT_COPIES = 2;

const pendingCopies = new Map<string, Promise<DerivedFile | undefined>>();
const waiters: (() => void)[] = [];
let runningCount = 0;

/**
 * Returns the copy and creates it if necessary. `row` comes from a finder of this kind. Returns
 * undefined when the file is broken or waits for its transcode. Throws 404 while its bytes are known to be wrong.
 */
export async function ensureMetadataStrippedCopy(
  ctx: Ctx,
  row: AssetFileView,
): Promise<DerivedFile | undefined> {
  if (row.name && (await isFileComplete(ctx, row))) return toDerivedFile(row);
  const { id } = row;
  const pending =
    pendingCopies.get(id) ??
    runLimited(() => createCopy(ctx, row)).finally(() => pendingCopies.delete(id));
  pendingCopies.set(id, pending);
  return pending;
}

/** The copy is not synced to the disk, so a power failure may have truncated it. */
async function isFileComplete({ paths }: Ctx, { name, size }: AssetFileView): Promise<boolean> {
  const info = await stat(join(paths.derived, name!)).catch(() => undefined);
  return info?.size === Number(size);
}

const toDerivedFile = ({ name, mimeType, size, tag }: AssetFileView): DerivedFile => ({
  kind: KIND,
  name: name!,
  mimeType: mimeType!,
  size: Number(size),
  tag: tag!,
});

async function runLimited<T>(work: () => Promise<T>): Promise<T> {
  if (runningCount >= MAX_CONCURRENT_COPIES)
    await new Promise<void>((resolve) => waiters.push(resolve));
  else runningCount += 1;
  try {
    return await work();
  } finally {
    // The slot passes to the next waiter, so the count stays.
    const next = waiters.shift();
    if (next) next();
    else runningCount -= 1;
  }
}

async function createCopy(
  ctx: Ctx,
  { id, sha256 }: AssetFileView,
): Promise<DerivedFile | undefined> {
  const path = await getServedPath(ctx, sha256);
  try {
    const probed = await probe(path);
    const form = selectStripFormat(probed);
    if (form === 'transcode') return undefined;
    const from = await createScratchPath(ctx.paths, form.extension);
    await stripMetadata(path, from, { probe: probed, form });
    return await publishCopy(ctx, { id, sha256 }, { from, ...form });
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    ctx.log.warn('metadata-stripped copy failed', { assetId: id, reason: error.message });
    return undefined;
  }
}

type StrippedFile = {
  readonly from: string;
  readonly extension: string;
  readonly mimeType: string;
};

async function publishCopy(
  ctx: Ctx,
  { id, sha256 }: Pick<AssetFileView, 'id' | 'sha256'>,
  { from, extension, mimeType }: StrippedFile,
): Promise<DerivedFile | undefined> {
  const name = derivedName(id, KIND, extension);
  const { size } = Bun.file(from);
  // The bytes are the same whenever the copy is made.
  const tag = Bun.hash(`${sha256}.${size}.${KIND}`).toString(36);
  const file: DerivedFile = { kind: KIND, name, mimeType, size, tag };
  const isSaved = await inTransaction(ctx, async ({ db, paths }) => {
    if (!(await lockAsset(db, id))) return false;
    await saveFiles(db, id, [file]);
    // Under the lock of the asset: no file is in its place without its row.
    await publishDerivedFile(paths, from, name);
    return true;
  });
  if (isSaved) return file;
  await rm(from, { force: true });
  return undefined;
}
