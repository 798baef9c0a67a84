import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { decodeCursor, encodeCursor } from '../../../db/keyset.ts';
import type { RawPairs, RawPairsFilter } from './raw-pairs.schemas.ts';
import { listRawPairPage, type PairRow, sumRawPairs } from './raw-pairs.store.ts';

const DEFAULT_SIZE = 100;

/** The sums are read with the first page: they cost as much as all pages. */
export async function listRawPairs(
  ctx: Ctx,
  { cursor, size = DEFAULT_SIZE }: RawPairsFilter,
): Promise<RawPairs> {
  requireUser(ctx.session);
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const total = after ? null : await sumRawPairs(ctx);
  if (total?.files === 0) return { items: [], total, nextCursor: null };
  const rows = await listRawPairPage(ctx, { after, limit: size + 1 });
  const page = rows.slice(0, size);
  const last = page.at(-1);
  return {
    items: page.map(toPair),
    total,
    nextCursor:
      rows.length > size && last ? encodeCursor({ value: last.key, id: last.rawId }) : null,
  };
}

const toPair = (row: PairRow) => ({
  raw: {
    id: row.rawId,
    originalFileName: row.rawName,
    fileSizeInBytes: Number(row.rawSize),
  },
  picture: {
    id: row.pictureId,
    originalFileName: row.pictureName,
    fileSizeInBytes: Number(row.pictureSize),
  },
  fileCreatedAt: new Date(row.takenAt).toISOString(),
  isStacked: row.isStacked,
});
