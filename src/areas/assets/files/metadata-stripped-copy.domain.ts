import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ctx } from '../../../core/context.ts';
import { derivedName, originalPath } from '../../../core/paths.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { selectStripFormat, stripMetadata } from '../../../media/metadata-stripping.ts';
import { MediaError } from '../../../media/errors.ts';
import { probe } from '../../../media/probe.ts';
import { type DerivedFile, lockAsset, saveFiles } from '../processing/processing.store.ts';
import type { FileView } from '../store.ts';
import { publishDerived, removeDerived, scratchFile } from '../processing/tools.ts';

// Videos and sounds tell where they were recorded, in ways that are many. Who is not to know gets the
// picture and the sound without the rest. The copy is made when somebody asks for it, for few are
// ever asked for, and it takes as long as reading the file does.

const KIND = 'bare_video';
/** Whoever leafs through an album of strangers must not fill the disk with all of it at once. */
const AT_ONCE = 2;

const making = new Map<string, Promise<DerivedFile | undefined>>();
const waiting: (() => void)[] = [];
let running = 0;

/**
 * `row` as found for this kind. Undefined when none can be made: the file is broken, or has to wait
 * for its transcode.
 */
export async function bareCopyOf(ctx: Ctx, row: FileView): Promise<DerivedFile | undefined> {
  if (row.name && (await isWhole(ctx, row))) return fileOf(row);
  const { id } = row;
  const begun = making.get(id) ?? inTurn(() => make(ctx, row)).finally(() => making.delete(id));
  making.set(id, begun);
  return begun;
}

/** It is replaceable, and so not pushed to the disk: a power cut may have taken it. */
async function isWhole({ paths }: Ctx, { name, size }: FileView): Promise<boolean> {
  const found = await stat(join(paths.derived, name!)).catch(() => undefined);
  return found?.size === Number(size);
}

const fileOf = ({ name, mimeType, size, tag }: FileView): DerivedFile => ({
  kind: KIND,
  name: name!,
  mimeType: mimeType!,
  size: Number(size),
  tag: tag!,
});

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    // The place goes to the next one as it is.
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

async function make(ctx: Ctx, { id, sha256 }: FileView): Promise<DerivedFile | undefined> {
  const path = originalPath(ctx.paths, Buffer.from(sha256, 'hex'));
  try {
    const found = await probe(path);
    const form = selectStripFormat(found);
    if (form === 'transcode') return undefined;
    const from = await scratchFile(ctx.paths, form.extension);
    await stripMetadata(path, from, { probe: found, form });
    return await keep(ctx, { id, sha256 }, { from, ...form });
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    ctx.log.warn('no copy without metadata can be made', { assetId: id, reason: error.message });
    return undefined;
  }
}

type Made = { readonly from: string; readonly extension: string; readonly mimeType: string };

async function keep(
  ctx: Ctx,
  { id, sha256 }: Pick<FileView, 'id' | 'sha256'>,
  { from, extension, mimeType }: Made,
): Promise<DerivedFile | undefined> {
  const name = derivedName(id, KIND, extension);
  const { size } = Bun.file(from);
  // The same bytes whenever it is made.
  const tag = Bun.hash(`${sha256}.${size}.${KIND}`).toString(36);
  const file: DerivedFile = { kind: KIND, name, mimeType, size, tag };
  await publishDerived(ctx.paths, from, name);
  const isKept = await inTransaction(ctx, async ({ db }) => {
    if (!(await lockAsset(db, id))) return false;
    await saveFiles(db, id, [file]);
    return true;
  });
  if (isKept) return file;
  await removeDerived(ctx.paths, [name]);
  return undefined;
}
