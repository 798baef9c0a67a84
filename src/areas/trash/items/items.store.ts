import { checkedAssets } from '../../../access/unscoped.ts';
import { type SQL, sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import type { KnownPage } from '../../../read-cache/pages.ts';
import type { Db } from '../../../db/client.ts';
import { containsText } from '../../../db/folded.ts';
import { isBehind, type Position } from '../../../db/keyset.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { getRow, queryPrepared, queryRows } from '../../../db/query.ts';
import type { AssetType } from '../../../db/tables/assets.ts';
import type { ItemSort } from '../schemas.ts';

export type ItemReader = { readonly db: Db; readonly session: Session };

export type Listing = {
  readonly sort: ItemSort;
  readonly type: AssetType | undefined;
  /** Words that the file name must contain. */
  readonly words: readonly string[];
};

/** Returns a version that changes with every change of the trash, and the number of items. */
export async function getTrashVersion(
  db: Db,
  wanted: {
    readonly userId: string;
    readonly isUnlocked: boolean;
    readonly type: AssetType | undefined;
  },
): Promise<{ readonly version: string; readonly total: number }> {
  const { userId, isUnlocked, type = null } = wanted;
  const row = getRow(
    await queryPrepared(
      db,
      { version: column.text.orNull, total: column.numeric },
      sql`select bit_xor(stamp)::text as version,
        coalesce(sum(assets) filter (where visibility in ('timeline', 'archive')
          and (${isUnlocked}::boolean or not is_locked)
          and (${type}::text is null or type = ${type}::text)), 0) as total
      from asset_count where owner_id = ${userId} and is_trashed`,
    ),
  );
  return { version: row.version ?? '', total: Number(row.total) };
}

type Order = { readonly key: string; readonly cast: string; readonly direction: 'asc' | 'desc' };

const ORDERS: Record<ItemSort, Order> = {
  'trashed-newest': { key: 'asset.trashed_at', cast: 'timestamptz', direction: 'desc' },
  'trashed-oldest': { key: 'asset.trashed_at', cast: 'timestamptz', direction: 'asc' },
  'taken-newest': { key: 'asset.local_taken_at', cast: 'timestamp', direction: 'desc' },
  'taken-oldest': { key: 'asset.local_taken_at', cast: 'timestamp', direction: 'asc' },
  largest: { key: 'asset.file_size', cast: 'bigint', direction: 'desc' },
  smallest: { key: 'asset.file_size', cast: 'bigint', direction: 'asc' },
  name: { key: 'lower(asset.file_name)', cast: 'text', direction: 'asc' },
};

const ITEM_COLUMNS = {
  id: column.uuid,
  key: column.text,
  type: column.text.as<AssetType>(),
  fileName: column.text,
  fileSize: column.bigint,
  takenAt: column.timestamptz,
  trashedAt: column.timestamptz,
  isLocked: column.boolean,
  durationMs: column.integer.orNull,
  thumbhash: column.text.orNull,
  liveVideoId: column.uuid.orNull,
};

export type ItemRow = InferRow<typeof ITEM_COLUMNS>;

/** Returns `limit` rows from `offset` on; rows are skipped from `known`, the last row before a page. */
export async function listPage(
  reader: ItemReader,
  listing: Listing,
  {
    known,
    offset,
    limit,
  }: {
    known: KnownPage<Position> | undefined;
    offset: number;
    limit: number;
  },
): Promise<ItemRow[]> {
  const { key, cast, direction } = ORDERS[listing.sort];
  const order = sql.raw(`${key} ${direction}, asset.id ${direction}`);
  const behind = known
    ? isBehind({
        columns: [sql.raw(key), sql`asset.id`],
        values: [sql`${known.position.value}::${sql.raw(cast)}`, sql`${known.position.id}::uuid`],
        direction,
      })
    : sql`true`;
  // Selects the ids first, by an index-only scan: skipped rows are not fetched.
  const query = sql`
    with page as materialized (
      select asset.id, ${sql.raw(key)} as key ${selectMatching(reader, listing)} and ${behind}
      order by ${order} offset ${offset - (known?.offset ?? 0)} limit ${limit}
    )
    select asset.id, page.key::text as key, asset.type, asset.file_name as "fileName",
      asset.file_size as "fileSize", asset.taken_at as "takenAt", asset.trashed_at as "trashedAt",
      asset.locked_at is not null as "isLocked", asset.duration_ms as "durationMs",
      encode(asset.thumbhash, 'base64') as thumbhash, asset.live_video_id as "liveVideoId"
    from page join ${checkedAssets} on asset.id = page.id
    order by page.key ${sql.raw(direction)}, page.id ${sql.raw(direction)}`;
  // Searches are not prepared: each number of words is another statement.
  if (listing.words.length === 0) return queryPrepared(reader.db, ITEM_COLUMNS, query);
  return queryRows(reader.db, ITEM_COLUMNS, query);
}

export async function countItems(reader: ItemReader, listing: Listing): Promise<number> {
  const row = getRow(
    await queryRows(
      reader.db,
      { count: column.bigint },
      sql`select count(*) as count ${selectMatching(reader, listing)}`,
    ),
  );
  return Number(row.count);
}

const selectMatching = ({ db, session }: ItemReader, { type, words }: Listing): SQL => {
  const named = words.map((word) => sql`and ${containsText(sql`asset.file_name`, word)}`);
  return sql`from ${ownAssets(db, session, 'trash')}
    where ${type ? sql`asset.type = ${type}` : sql`true`} ${sql.join(named, sql` `)}`;
};
