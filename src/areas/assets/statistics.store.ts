import { sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import { preparedRows } from '../../db/prepared.ts';
import type { AssetType } from '../../db/tables/assets.ts';

export type CountFilter = {
  readonly ownerId: string;
  /** Shelves that count. */
  readonly shelves: readonly ('timeline' | 'archive' | 'hidden')[];
  /** Undefined: locked or not. */
  readonly isLocked: boolean | undefined;
  readonly isTrashed: boolean;
  readonly isFavorite: boolean | undefined;
};

/** Sums of the delta rows: a few thousand rows for a library of any size. */
export async function sumByType(
  pool: Sql,
  filter: CountFilter,
): Promise<ReadonlyMap<AssetType, number>> {
  const { isLocked = null, isFavorite = null } = filter;
  const rows = await preparedRows<{ type: AssetType; assets: string }>(
    pool,
    sql`select type, sum(assets) as assets from asset_count
      where owner_id = ${filter.ownerId}
        and visibility = any(${`{${filter.shelves.join(',')}}`}::text[])
        and (${isLocked}::boolean is null or is_locked = ${isLocked}::boolean)
        and is_trashed = ${filter.isTrashed}
        and (${isFavorite}::boolean is null or is_favorite = ${isFavorite}::boolean)
      group by type`,
  );
  return new Map(rows.map(({ type, assets }) => [type, Number(assets)]));
}
