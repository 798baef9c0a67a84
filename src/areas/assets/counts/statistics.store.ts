import { sql } from 'drizzle-orm';
import { type AssetScope, ownAssets } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryPrepared, queryRows } from '../../../db/query.ts';
import type { AssetType } from '../../../db/tables/assets.ts';

export type CountFilter = {
  readonly visibilities: readonly ('timeline' | 'archive' | 'hidden')[];
  /** Undefined counts both. */
  readonly isLocked: boolean | undefined;
  readonly isTrashed: boolean;
  readonly isFavorite: boolean | undefined;
};

type Reader = { readonly db: Db; readonly session: UserSession };

/**
 * Returns the number of assets by type: the sums of the delta rows (a few thousand for a library of any
 * size), minus those that content rules suppress.
 */
export async function countByType(
  reader: Reader,
  filter: CountFilter,
): Promise<ReadonlyMap<AssetType, number>> {
  const sums = await sumCounts(reader, filter);
  if (reader.session.contentRules.length === 0) return sums;
  const suppressed = await countSuppressed(reader, filter);
  return new Map([...sums].map(([type, count]) => [type, count - (suppressed.get(type) ?? 0)]));
}

async function countSuppressed({ db, session }: Reader, filter: CountFilter) {
  const { isLocked, isFavorite, isTrashed, visibilities } = filter;
  const lens = toScope(filter);
  const rows = await queryRows(
    db,
    { type: column.text.as<AssetType>(), assets: column.bigint },
    sql`
    select asset.type, count(*) as assets
    from ${ownAssets(db, session, lens, { suppressed: 'only' })}
    where asset.visibility = any(${`{${visibilities.join(',')}}`}::text[])
      and ${isLocked === undefined ? sql`true` : sql`(asset.locked_at is not null) = ${isLocked}`}
      and (asset.trashed_at is not null) = ${isTrashed}
      and ${isFavorite === undefined ? sql`true` : sql`asset.is_favorite = ${isFavorite}`}
    group by asset.type`,
  );
  return new Map(rows.map(({ type, assets }) => [type, Number(assets)]));
}

/** Returns the scope that contains all counted assets. */
function toScope({ isLocked, isTrashed, visibilities }: CountFilter): AssetScope {
  if (visibilities.includes('hidden')) return 'any';
  return isTrashed ? 'trash' : isLocked ? 'locked' : 'library';
}

async function sumCounts({ db, session }: Reader, filter: CountFilter) {
  const { isLocked = null, isFavorite = null } = filter;
  const rows = await queryPrepared(
    db,
    { type: column.text.as<AssetType>(), assets: column.numeric },
    sql`select type, sum(assets) as assets from asset_count
      where owner_id = ${session.userId}
        and visibility = any(${`{${filter.visibilities.join(',')}}`}::text[])
        and (${isLocked}::boolean is null or is_locked = ${isLocked}::boolean)
        and is_trashed = ${filter.isTrashed}
        and (${isFavorite}::boolean is null or is_favorite = ${isFavorite}::boolean)
      group by type`,
  );
  return new Map(rows.map(({ type, assets }) => [type, Number(assets)]));
}
