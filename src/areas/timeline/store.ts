import { and, type SQL, sql } from 'drizzle-orm';
import {
  albumMembers,
  type AssetScope,
  ownAssets,
  type Suppressed,
  visibleAssets,
} from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { column } from '../../db/columns.ts';
import { joinWithAnd, queryPrepared, queryRows } from '../../db/query.ts';
import { uuids } from '../../db/arrays.ts';

/** A validated timeline query: the domain has checked access. */
export type Selection = {
  /** The scope; only owners list 'hidden'. */
  readonly scope: Exclude<AssetScope, 'any'> | 'hidden';
  /** Restricts the library or the trash to one visibility. */
  readonly visibility: 'timeline' | 'archive' | undefined;
  /** Owners of the items; undefined for all that the shared link or album shows. */
  readonly owners: readonly string[] | undefined;
  readonly albumId: string | undefined;
  readonly isFavorite: boolean | undefined;
  readonly withoutStackChildren: boolean;
  readonly bbox: Box | undefined;
  /** Items with one of these tags of the caller. */
  readonly tagIds: readonly string[] | undefined;
  /** Items with a face of this person of the caller. */
  readonly personId: string | undefined;
  readonly type: 'IMAGE' | 'VIDEO' | 'AUDIO' | 'OTHER' | undefined;
  /** Items of cameras of this model. */
  readonly model: string | undefined;
  readonly by: 'takenAt' | 'createdAt';
  readonly order: 'asc' | 'desc';
};

/** Degrees. A west greater than east crosses the date line. */
export type Box = {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
};

export type TimelineReader = { readonly db: Db; readonly session: Session };
const SUM_COLUMNS = { month: column.text, assets: column.numeric };

/** `assets` is text when it comes from PostgreSQL's bigint. */
export type BucketCount = { month: string; assets: string | number };

/** Returns the months with items from precomputed counts. */
export async function sumByMonth(
  db: Db,
  selection: Selection & { readonly owners: readonly string[]; readonly isUnlocked: boolean },
): Promise<BucketCount[]> {
  return queryPrepared(
    db,
    SUM_COLUMNS,
    sql`select local_month::text as month, sum(assets) as assets from asset_count
      where owner_id = ${equalsAny(selection.owners)} and ${countConditions(selection)}
      group by local_month having sum(assets) > 0
      order by local_month ${orderDirection(selection)}`,
  );
}

/** Returns the months of an album with items from precomputed counts. */
export const sumByMonthOfAlbum = (db: Db, albumId: string, selection: Selection) =>
  queryPrepared(
    db,
    SUM_COLUMNS,
    sql`select local_month::text as month, sum(assets) as assets from album_count
      where album_id = ${albumId}::uuid group by local_month having sum(assets) > 0
      order by local_month ${orderDirection(selection)}`,
  );

type CountOptions = { readonly suppressed?: Suppressed; readonly months?: readonly string[] };

function countConditions({ isUnlocked, ...selection }: Selection & { isUnlocked: boolean }): SQL {
  const { scope, visibility, isFavorite } = selection;
  const visibilities =
    scope === 'timeline' || scope === 'archive' || scope === 'hidden' ? scope : visibility;
  return joinWithAnd(
    visibilities === undefined
      ? sql`visibility in ('timeline', 'archive')`
      : sql`visibility = ${sql.raw(`'${visibilities}'`)}`,
    scope === 'trash' ? sql`is_trashed` : sql`not is_trashed`,
    scope === 'locked'
      ? sql`is_locked`
      : scope === 'trash' && isUnlocked
        ? undefined
        : sql`not is_locked`,
    isFavorite === undefined ? undefined : isFavorite ? sql`is_favorite` : sql`not is_favorite`,
    selection.withoutStackChildren ? sql`not is_stack_child` : undefined,
  );
}

/**
 * Counts rows by month, for filters that precomputed counts do not cover. `suppressed: 'only'` counts
 * what the caller's content rules suppress. `months` restricts it to these months of capture.
 */
export async function countByMonth(
  reader: TimelineReader,
  selection: Selection,
  counted: CountOptions = {},
): Promise<BucketCount[]> {
  const month =
    selection.by === 'takenAt'
      ? sql`asset.local_month`
      : sql`date_trunc('month', asset.created_at at time zone 'utc')::date`;
  return queryRows(
    reader.db,
    { month: column.text, assets: column.bigint },
    sql`select month::text as month, count(*) as assets
      from (select ${month} as month ${selectItems(reader, selection, counted)}) item
      group by item.month order by item.month ${orderDirection(selection)}`,
  );
}

/** Favorites are private to the owner: others must not find them by filtering. */
export const isOwnFavorite = ({ session }: TimelineReader): SQL =>
  session.kind === 'user'
    ? sql`(asset.is_favorite and asset.owner_id = ${session.userId}::uuid)`
    : sql`false`;

/** Returns `from … where …` with the items named asset and their metadata named exif. */
export function selectItems(
  reader: TimelineReader,
  selection: Selection,
  { month, months, suppressed = 'out' }: CountOptions & { readonly month?: string },
): SQL {
  const { owners, albumId, isFavorite, bbox } = selection;
  const isBaseOfAlbum = albumId !== undefined && isAlbumScope(selection.scope);
  return sql`from ${selectBase(reader, selection, suppressed)}
    left join asset_exif exif on exif.asset_id = asset.id
    where ${and(
      owners && !isBaseOfAlbum ? sql`asset.owner_id = ${equalsAny(owners)}` : undefined,
      albumId === undefined
        ? undefined
        : isBaseOfAlbum
          ? sql`asset.album_id = ${albumId}::uuid`
          : isAlbumMember(albumId),
      selection.scope === 'hidden'
        ? sql`asset.visibility = 'hidden' and asset.locked_at is null and asset.trashed_at is null`
        : undefined,
      selection.visibility && sql`asset.visibility = ${sql.raw(`'${selection.visibility}'`)}`,
      isFavorite === undefined
        ? undefined
        : isFavorite
          ? isOwnFavorite(reader)
          : sql`not ${isOwnFavorite(reader)}`,
      selection.withoutStackChildren ? sql`not asset.is_stack_child` : undefined,
      selection.type && sql`asset.type = ${selection.type}`,
      selection.model === undefined ? undefined : sql`exif.model = ${selection.model}`,
      // Hidden places must not be found by searching for them.
      bbox && and(isInBox(bbox), sql`asset.shows_place`),
      ...labelConditions(selection, { month, months }),
      months && sql`asset.local_month = ${equalsAnyDay(months)}`,
      month === undefined ? undefined : isInMonth(selection, month),
      sql`true`,
    )}`;
}

/**
 * Returns whether the base set is the album's members. Trash and locked items are selected by owner.
 */
const isAlbumScope = (scope: Selection['scope']) => scope === 'library';

function selectBase(
  { db, session }: TimelineReader,
  { scope, albumId, owners }: Selection,
  suppressed: Suppressed,
) {
  if (albumId !== undefined && isAlbumScope(scope)) {
    return albumMembers(db, session, { suppressed });
  }
  if (session.kind === 'sharedLink') {
    // A link shows no hidden items; its empty locked scope stands for them.
    return visibleAssets(db, session, scope === 'hidden' ? 'locked' : scope);
  }
  if (scope === 'hidden') return ownAssets(db, session, 'any', { suppressed });
  const sharers = owners?.filter((id) => id !== session.userId) ?? [];
  return visibleAssets(db, session, scope, { sharers, suppressed });
}

const isAlbumMember = (albumId: string) => sql`exists (
  select 1 from album_asset member
  where member.album_id = ${albumId} and member.asset_id = asset.id)`;

type MonthFilter = {
  readonly month: string | undefined;
  readonly months: readonly string[] | undefined;
};

/** Conditions on tags and faces, whose rows contain the month of capture. */
function labelConditions(
  { tagIds, personId, by }: Selection,
  { month, months }: MonthFilter,
): SQL[] {
  const named = months ?? (month !== undefined && by === 'takenAt' ? [month] : undefined);
  const isOn = (table: string, condition: SQL) =>
    month !== undefined && by !== 'takenAt'
      ? // Probes the few items of a month one by one instead of joining.
        sql`exists (select 1 from ${sql.raw(table)} link
          where link.asset_id = asset.id and ${condition} offset 0)`
      : sql`asset.id in (select link.asset_id from ${sql.raw(table)} link
          where ${condition} ${named && sql`and link.local_month = ${equalsAnyDay(named)}`})`;
  return [
    ...(tagIds ? [isOn('tag_asset', sql`link.tag_id = ${equalsAny(tagIds)}`)] : []),
    ...(personId === undefined
      ? []
      : [isOn('face', sql`link.person_id = ${personId}::uuid and not link.is_hidden`)]),
  ];
}

const isInBox = ({ west, south, east, north }: Box) =>
  and(
    sql`exif.latitude between ${south} and ${north}`,
    west <= east
      ? sql`exif.longitude between ${west} and ${east}`
      : sql`(exif.longitude >= ${west} or exif.longitude <= ${east})`,
  );

/**
 * Restricts to a month, with conditions on other columns that let each scope use its index. No time
 * zone is a day away from UTC.
 */
function isInMonth({ by, scope, albumId }: Selection, month: string): SQL {
  if (by === 'createdAt') {
    return sql`asset.created_at >= ${month}::timestamp at time zone 'utc'
      and asset.created_at < (${month}::timestamp + interval '1 month') at time zone 'utc'`;
  }
  if (albumId !== undefined && isAlbumScope(scope)) {
    return sql`asset.member_month = ${month}::date`;
  }
  const isMonth = sql`asset.local_month = ${month}::date`;
  if (scope === 'locked' || scope === 'trash') {
    return sql`${isMonth} and asset.local_taken_at >= ${month}::timestamp
      and asset.local_taken_at < ${month}::timestamp + interval '1 month'`;
  }
  if (scope !== 'library') return isMonth;
  return sql`${isMonth}
    and asset.taken_at >= (${month}::timestamp - interval '1 day') at time zone 'utc'
    and asset.taken_at < (${month}::timestamp + interval '1 month 1 day') at time zone 'utc'`;
}

export const orderDirection = ({ order }: Selection) => sql.raw(order);

export const equalsAnyDay = (days: readonly string[]): SQL =>
  days.length === 1 ? sql`${days[0]}::date` : sql`any(${`{${days.join(',')}}`}::date[])`;

/** Compares one id with `=`, which preserves index order, and several with `any`. */
export const equalsAny = (ids: readonly string[]): SQL =>
  ids.length === 1 ? sql`${ids[0]}::uuid` : sql`any(${uuids(ids)})`;
