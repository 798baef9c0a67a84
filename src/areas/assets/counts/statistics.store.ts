import { sql } from 'drizzle-orm';
import type { Sql } from 'postgres';
import { type AssetScope, ownAssets } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import { preparedRows } from '../../../db/prepared.ts';
import type { AssetType } from '../../../db/tables/assets.ts';

export type CountFilter = {
  /** Shelves that count. */
  readonly shelves: readonly ('timeline' | 'archive' | 'hidden')[];
  /** Undefined: locked or not. */
  readonly isLocked: boolean | undefined;
  readonly isTrashed: boolean;
  readonly isFavorite: boolean | undefined;
};

type Reader = { readonly db: Db; readonly sql: Sql; readonly session: UserSession };

/** Sums of the delta rows, a few thousand for a library of any size, less what rules leave out. */
export async function sumByType(
  reader: Reader,
  filter: CountFilter,
): Promise<ReadonlyMap<AssetType, number>> {
  const sums = await sumKept(reader, filter);
  if (reader.session.contentRules.length === 0) return sums;
  const less = await countSuppressed(reader, filter);
  return new Map([...sums].map(([type, count]) => [type, count - (less.get(type) ?? 0)]));
}

async function countSuppressed({ db, session }: Reader, filter: CountFilter) {
  const { isLocked, isFavorite, isTrashed, shelves } = filter;
  const lens = lensOf(filter);
  const rows = await db.execute<{ type: AssetType; assets: string }>(sql`
    select asset.type, count(*) as assets
    from ${ownAssets(db, session, lens, { suppressed: 'only' })}
    where asset.visibility = any(${`{${shelves.join(',')}}`}::text[])
      and ${isLocked === undefined ? sql`true` : sql`(asset.locked_at is not null) = ${isLocked}`}
      and (asset.trashed_at is not null) = ${isTrashed}
      and ${isFavorite === undefined ? sql`true` : sql`asset.is_favorite = ${isFavorite}`}
    group by asset.type`);
  return new Map(rows.map(({ type, assets }) => [type, Number(assets)]));
}

/** The shelf that has all of them. */
function lensOf({ isLocked, isTrashed, shelves }: CountFilter): AssetScope {
  if (shelves.includes('hidden')) return 'any';
  return isTrashed ? 'trash' : isLocked ? 'locked' : 'library';
}

async function sumKept({ sql: pool, session }: Reader, filter: CountFilter) {
  const { isLocked = null, isFavorite = null } = filter;
  const rows = await preparedRows<{ type: AssetType; assets: string }>(
    pool,
    sql`select type, sum(assets) as assets from asset_count
      where owner_id = ${session.userId}
        and visibility = any(${`{${filter.shelves.join(',')}}`}::text[])
        and (${isLocked}::boolean is null or is_locked = ${isLocked}::boolean)
        and is_trashed = ${filter.isTrashed}
        and (${isFavorite}::boolean is null or is_favorite = ${isFavorite}::boolean)
      group by type`,
  );
  return new Map(rows.map(({ type, assets }) => [type, Number(assets)]));
}
