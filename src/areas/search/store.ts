import { and, type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import type { Sql } from 'postgres';
import { ownAssets, visibleAssets } from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { preparedRows } from '../../db/prepared.ts';
import { ASSET_COLUMNS, type AssetView, EXIF_COLUMNS } from '../assets/index.ts';
import type { Position } from './cursor.ts';
import type { Filter } from './filter.schemas.ts';
import { conditionsOf, readsExif } from './filter.store.ts';

/** Which rows a search looks at, before its filters. */
export type Shelf = 'timeline' | 'archive' | 'locked' | 'hidden' | 'mixed';

export type SearchQuery = {
  /** 'mixed': the filter itself compares the visibility. */
  readonly shelf: Shelf;
  readonly withTrashed: boolean;
  /** The caller and the partners whose Timelines are searched too; undefined for a guest. */
  readonly owners: readonly string[] | undefined;
  readonly filter: Filter;
  readonly field: 'fileCreatedAt' | 'localDateTime' | 'fileSizeInBytes' | 'rating';
  readonly direction: 'asc' | 'desc';
  readonly withExif: boolean;
};

export type Reader = { readonly db: Db; readonly sql: Sql; readonly session: Session };
export type Found = AssetView & { readonly position: string };

const FIELDS = {
  fileCreatedAt: { expression: sql`asset.taken_at`, type: sql`timestamptz` },
  localDateTime: { expression: sql`asset.local_taken_at`, type: sql`timestamp` },
  fileSizeInBytes: { expression: sql`asset.file_size`, type: sql`bigint` },
  // Unrated comes after rejected.
  rating: { expression: sql`coalesce(exif.rating, -2)`, type: sql`int` },
} as const;

export type Window = {
  readonly start: Position | undefined;
  /** Items to skip after the start. */
  readonly offset: number;
  readonly limit: number;
};

/** The items of a window in order, `start` included. */
export async function findPage(
  reader: Reader,
  query: SearchQuery,
  window: Window,
): Promise<Found[]> {
  const { start, offset, limit } = window;
  const { expression, type } = FIELDS[query.field];
  const direction = sql.raw(query.direction);
  const isAfter = query.direction === 'desc' ? sql`<=` : sql`>=`;
  const joinsExif = query.withExif || query.field === 'rating' || readsExif(query.filter);
  const viewerId = reader.session.kind === 'user' ? reader.session.userId : undefined;
  const filters = conditionsOf(query.filter, viewerId);
  // The literal limit lets the planner see that a page is small.
  const end = sql.raw(`limit ${limit + offset}`);
  const pageOf = (owner: SQL | undefined) => sql`
    select ${ASSET_COLUMNS}, ${query.withExif ? EXIF_COLUMNS : sql`null as city`},
      (${expression})::text as position, ${expression} as place
    from ${baseOf(reader, query)}
    ${joinsExif ? sql`left join asset_exif exif on exif.asset_id = asset.id` : sql``}
    where ${and(
      owner,
      stateOf(reader, query),
      ...filters,
      start &&
        sql`(${expression}, asset.id) ${isAfter} (${start.value}::${type}, ${start.id}::uuid)`,
      sql`true`,
    )}
    order by ${expression} ${direction}, asset.id ${direction} ${end}`;

  const statement = sql`select * from (${mergedPages(query.owners, pageOf)}) item
    order by place ${direction}, id ${direction} ${end} offset ${sql.raw(String(offset))}`;
  return isCommon(query, filters, window)
    ? preparedRows<Found>(reader.sql, statement)
    : rowsOnce(reader.sql, statement);
}

/**
 * One page per owner, merged: each is a range of an index, where all owners at once would have to be
 * sorted.
 */
function mergedPages(
  owners: readonly string[] | undefined,
  pageOf: (owner: SQL | undefined) => SQL,
): SQL {
  if (owners === undefined) return pageOf(undefined);
  const pages = owners.map((owner) => sql`(${pageOf(sql`asset.owner_id = ${owner}::uuid`)})`);
  return sql.join(pages, sql` union all `);
}

function baseOf({ db, session }: Reader, query: SearchQuery) {
  const { shelf, withTrashed, owners = [] } = query;
  const sharers = session.kind === 'user' ? owners.filter((id) => id !== session.userId) : [];
  if (session.kind === 'sharedLink') {
    return visibleAssets(db, session, shelf === 'mixed' || shelf === 'hidden' ? 'library' : shelf);
  }
  const isPlain = !withTrashed && shelf !== 'mixed' && shelf !== 'hidden';
  if (isPlain) return visibleAssets(db, session, shelf, { sharers });
  return sharers.length === 0
    ? ownAssets(db, session, 'any')
    : visibleAssets(db, session, 'any', { sharers });
}

/** What `baseOf` could not narrow by a lens. */
function stateOf({ session }: Reader, { shelf, withTrashed }: SearchQuery): SQL | undefined {
  if (session.kind === 'sharedLink') return shelf === 'hidden' ? sql`false` : undefined;
  if (!withTrashed && shelf !== 'mixed' && shelf !== 'hidden') return undefined;
  const isOnShelf = {
    timeline: sql`asset.visibility = 'timeline' and asset.locked_at is null`,
    archive: sql`asset.visibility = 'archive' and asset.locked_at is null`,
    hidden: sql`asset.visibility = 'hidden' and asset.locked_at is null`,
    locked: sql`asset.locked_at is not null and asset.visibility <> 'hidden'`,
    mixed: undefined,
  }[shelf];
  // The lens 'any' also reaches what others put into albums, and the videos of partners' photos.
  const isMine = sql`asset.owner_id = ${session.userId}::uuid`;
  const isPartners = sql`asset.visibility = 'timeline' and asset.locked_at is null
    and asset.trashed_at is null`;
  return and(
    isOnShelf,
    sql`(${isMine} or ${isPartners})`,
    withTrashed ? undefined : sql`asset.trashed_at is null`,
  );
}

const COMMON_LIMITS = new Set([51, 101, 201, 251, 501, 1001]);

/** A plan is kept for each text of a statement, so only few texts may have one. */
const isCommon = ({ filter, owners }: SearchQuery, filters: readonly SQL[], window: Window) =>
  filter.or === undefined &&
  filters.length <= 2 &&
  window.offset === 0 &&
  (owners?.length ?? 0) <= 2 &&
  COMMON_LIMITS.has(window.limit);

const dialect = new PgDialect();

async function rowsOnce(pool: Sql, query: SQL): Promise<Found[]> {
  const { sql: text, params } = dialect.sqlToQuery(query);
  return [...(await pool.unsafe<Found[]>(text, params as never[]))];
}
