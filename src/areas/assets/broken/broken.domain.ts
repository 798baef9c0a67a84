import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { decodeCursor, encodeCursor } from '../../../db/keyset.ts';
import type { BrokenAssetCount, BrokenAssets, BrokenAssetsFilter } from './broken.schemas.ts';
import { countAllBroken, countBroken, listBrokenPage } from './broken.store.ts';

const DEFAULT_SIZE = 100;

export async function listBroken(
  ctx: Ctx,
  { cursor, size = DEFAULT_SIZE }: BrokenAssetsFilter,
): Promise<BrokenAssets> {
  requireUser(ctx.session);
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const rows = await listBrokenPage(ctx, { after, limit: size + 1 });
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return {
    items: page.map((row) => ({
      id: row.id,
      type: row.type,
      originalFileName: row.fileName,
      fileSizeInBytes: Number(row.fileSize),
      createdAt: new Date(row.createdAt).toISOString(),
      updatedAt: new Date(row.updatedAt).toISOString(),
      reason: row.reason,
      isLocked: row.isLocked,
    })),
    total: await countBroken(ctx),
    nextCursor: rows.length > size && last ? encodeCursor({ value: last.key, id: last.id }) : null,
  };
}

/** Returns how many files of all accounts could not be decoded, and nothing else about them. */
export const getBrokenCount = async ({ db }: Ctx): Promise<BrokenAssetCount> => ({
  total: await countAllBroken(db),
});
