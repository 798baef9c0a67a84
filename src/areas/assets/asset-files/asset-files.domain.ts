import { basename } from 'node:path';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { badRequest, noAccess, notFound } from '../../../core/errors.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { getCacheControl, type ServedFile } from '../files/files.domain.ts';
import { renderEdits, renderImage, renderVideo, transcodeVideo } from '../jobs.ts';
import { toInstant } from '../view.ts';
import type { AssetFile, AssetFileFilter } from './asset-files.schemas.ts';
import * as store from './asset-files.store.ts';
import { getFileType, isEdited, listFileRefs, toFileId } from './file-id.ts';
import * as storage from '../../../storage/index.ts';

/** Returns the files of an asset. Throws 400 without access to the asset. */
export async function searchAssetFiles(
  ctx: Ctx,
  { assetId, ...filter }: AssetFileFilter,
): Promise<AssetFile[]> {
  const rows = await store.listFiles(ctx.db, requireUser(ctx.session), assetId);
  if (!rows) throw noAccess('asset.read');
  const files = await Promise.all(rows.map((row) => toAssetFile(ctx, row)));
  const wanted = Object.entries(filter) as [keyof typeof filter, unknown][];
  return files.filter((file) =>
    wanted.every(([name, value]) => value === undefined || file[name] === value),
  );
}

export const getAssetFile = async (ctx: Ctx, id: string): Promise<AssetFile> =>
  toAssetFile(ctx, await requireFile(ctx, id, 'assetFile.read'));

export async function downloadAssetFile(ctx: Ctx, id: string): Promise<ServedFile> {
  const row = await requireFile(ctx, id, 'assetFile.download');
  const source = await storage.open(ctx, storage.derivedFile(ctx.paths, row.name));
  if (!source) throw notFound('Asset file');
  return {
    ...source,
    size: Number(row.size),
    etag: `"${row.tag}"`,
    type: row.mimeType,
    cacheControl: getCacheControl(row),
    disposition: { kind: 'attachment', fileName: basename(row.name) },
  };
}

/**
 * Deletes a derived file of an own asset, which is then made anew if it is needed. Files of an edited
 * picture stay until then: the unedited one would be shown in their place. Throws 400 for a sidecar.
 */
export async function deleteAssetFile(ctx: Ctx, id: string): Promise<void> {
  const file = await store.findOwnFile(ctx.db, requireUser(ctx.session), listFileRefs(id));
  if (!file) throw noAccess('assetFile.delete');
  if (file.kind === 'sidecar') throw badRequest('Sidecar files cannot be deleted');
  const isDeleted = await inTransaction(ctx, async ({ db }) => {
    await enqueue(db, getRenderingJob(file), { assetId: file.assetId });
    return !isEdited(file.kind) && (await store.deleteFile(db, file));
  });
  if (isDeleted) await storage.remove(storage.derivedFiles(ctx.paths, [file.name]));
}

function getRenderingJob({ type, kind }: store.FileRow) {
  if (isEdited(kind)) return renderEdits;
  if (kind === 'encoded_video') return transcodeVideo;
  return type === 'IMAGE' ? renderImage : renderVideo;
}

async function requireFile(ctx: Ctx, id: string, permission: string): Promise<store.FileRow> {
  const row = await store.findFile(ctx.db, requireUser(ctx.session), listFileRefs(id));
  if (!row) throw noAccess(permission);
  return row;
}

async function toAssetFile(ctx: Ctx, row: store.FileRow): Promise<AssetFile> {
  const createdAt = toInstant(row.createdAt);
  const path = row.mimeType.startsWith('image/')
    ? await storage.locate(ctx, storage.derivedFile(ctx.paths, row.name))
    : undefined;
  return {
    id: toFileId(row.assetId, row.kind),
    createdAt,
    // A file is never changed, but made anew.
    updatedAt: createdAt,
    type: getFileType(row.kind),
    path: row.name,
    isEdited: isEdited(row.kind),
    ...(await readPictureFlags(path)),
  };
}

type PictureFlags = { readonly isProgressive: boolean; readonly isTransparent: boolean };

const NONE: PictureFlags = { isProgressive: false, isTransparent: false };
/** Headers end long before. */
const HEAD_BYTES = 64 * 1024;

/** Returns whether a file is a progressive JPEG or a transparent WebP; neither for a file that is gone. */
async function readPictureFlags(path: string | undefined): Promise<PictureFlags> {
  if (path === undefined) return NONE;
  try {
    return parsePictureFlags(await Bun.file(path).slice(0, HEAD_BYTES).bytes());
  } catch {
    return NONE;
  }
}

export function parsePictureFlags(bytes: Uint8Array): PictureFlags {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length > 4 && view.readUInt16BE(0) === 0xffd8) {
    return { ...NONE, isProgressive: isProgressiveJpeg(view) };
  }
  if (view.length > 30 && view.toString('latin1', 0, 4) === 'RIFF') {
    return { ...NONE, isTransparent: isTransparentWebp(view) };
  }
  return NONE;
}

/** Looks for the first start-of-frame marker (ITU-T T.81 B.1.1.3); that of a progressive one is C2. */
function isProgressiveJpeg(view: Buffer): boolean {
  for (let at = 2; at + 4 <= view.length && view[at] === 0xff;) {
    const marker = view.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return marker === 0xc2;
    at += 2 + view.readUInt16BE(at + 2);
  }
  return false;
}

/** Reads the alpha flag of the extended and of the lossless format (RFC 9649 §2.7, §3.4). */
function isTransparentWebp(view: Buffer): boolean {
  const chunk = view.toString('latin1', 12, 16);
  if (chunk === 'VP8X') return (view.readUInt8(20) & 0x10) !== 0;
  return chunk === 'VP8L' && (view.readUInt32LE(21) & 0x1000_0000) !== 0;
}
