import { and, type SQL, sql } from 'drizzle-orm';
import {
  albumMembers,
  type AssetScope,
  ownAssets,
  type Suppressed,
  visibleAssets,
} from '../../access/scope.ts';
import type { Session } from '../../access/session.ts';
import { STACK_SIZE } from '../stacks/members/index.ts';
import type { Db } from '../../db/client.ts';
import { queryPrepared } from '../../db/query.ts';
import { uuids } from '../../db/arrays.ts';

/** What a listing is about, after the domain has decided who may ask for it. */
export type Selection = {
  /** The shelf; 'hidden' is what only its owner ever lists. */
  readonly shelf: Exclude<AssetScope, 'any'> | 'hidden';
  /** Narrows the library or the trash to one shelf. */
  readonly visibility: 'timeline' | 'archive' | undefined;
  /** Whose items; undefined: whatever the shared link or the album shows. */
  readonly owners: readonly string[] | undefined;
  readonly albumId: string | undefined;
  readonly isFavorite: boolean | undefined;
  readonly withoutStackChildren: boolean;
  readonly bbox: Box | undefined;
  /** With one of these tags of the caller. */
  readonly tagIds: readonly string[] | undefined;
  /** With a face of this person of the caller. */
  readonly personId: string | undefined;
  readonly by: 'takenAt' | 'createdAt';
  readonly order: 'asc' | 'desc';
};

/** Degrees. West over east crosses the date line. */
export type Box = {
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
};

export type Reader = { readonly db: Db; readonly session: Session };
/** A count as text, where it is one of PostgreSQL. */
export type BucketCount = { month: string; assets: string | number };

/** Months with at least one item, by the sums of the delta rows: nothing is counted. */
export async function sumByMonth(
  db: Db,
  selection: Selection & { readonly owners: readonly string[]; readonly isUnlocked: boolean },
): Promise<BucketCount[]> {
  return queryPrepared<BucketCount>(
    db,
    sql`select local_month::text as month, sum(assets) as assets from asset_count
      where owner_id = ${oneOf(selection.owners)} and ${cellsOf(selection)}
      group by local_month having sum(assets) > 0
      order by local_month ${direction(selection)}`,
  );
}

/** The same of all that an album shows. */
export const sumByMonthOfAlbum = (db: Db, albumId: string, selection: Selection) =>
  queryPrepared<BucketCount>(
    db,
    sql`select local_month::text as month, sum(assets) as assets from album_count
      where album_id = ${albumId}::uuid group by local_month having sum(assets) > 0
      order by local_month ${direction(selection)}`,
  );

type Counted = { readonly suppressed?: Suppressed; readonly months?: readonly string[] };

function cellsOf({ isUnlocked, ...selection }: Selection & { isUnlocked: boolean }): SQL {
  const { shelf, visibility, isFavorite } = selection;
  const shelves =
    shelf === 'timeline' || shelf === 'archive' || shelf === 'hidden' ? shelf : visibility;
  return and(
    shelves === undefined
      ? sql`visibility in ('timeline', 'archive')`
      : sql`visibility = ${sql.raw(`'${shelves}'`)}`,
    shelf === 'trash' ? sql`is_trashed` : sql`not is_trashed`,
    shelf === 'locked'
      ? sql`is_locked`
      : shelf === 'trash' && isUnlocked
        ? undefined
        : sql`not is_locked`,
    isFavorite === undefined ? undefined : isFavorite ? sql`is_favorite` : sql`not is_favorite`,
    selection.withoutStackChildren ? sql`not is_stack_child` : undefined,
  )!;
}

/**
 * The same by counting rows, for what the delta rows do not tell apart; 'only': what active rules of
 * the caller leave out. With `months`, which are those of capture, only of these.
 */
export async function countByMonth(
  reader: Reader,
  selection: Selection,
  counted: Counted = {},
): Promise<BucketCount[]> {
  const month =
    selection.by === 'takenAt'
      ? sql`asset.local_month`
      : sql`date_trunc('month', asset.created_at at time zone 'utc')::date`;
  const rows = await reader.db.execute<BucketCount>(
    sql`select month::text as month, count(*) as assets
      from (select ${month} as month ${itemsOf(reader, selection, counted)}) item
      group by item.month order by item.month ${direction(selection)}`,
  );
  return [...rows];
}

const instant = (clock: string) =>
  `'"' || to_char(${clock}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'`;
/** Else the place, and the zone that tells it, are not for the viewer. */
const ifPlace = (shown: string, hidden = 'null') =>
  `case when item.shows_place then ${shown} else ${hidden} end`;
const quoted = (text: string) => `coalesce('"' || ${text} || '"', 'null')`;
const json = (text: string) => `coalesce(to_json(${text})::text, 'null')`;

/** Members of the answer that differ by item, as JSON made by PostgreSQL: cheaper than rows. */
const COLUMNS = {
  id: `'"' || item.id || '"'`,
  ownerId: `'"' || item.owner_id || '"'`,
  ratio: `case when item.width > 0 and item.height > 0
    then round(item.width::numeric / item.height, 3)::text else '1' end`,
  isFavorite: 'item.is_favorite::text',
  visibility: `case when item.locked_at is null then '"' || item.visibility || '"' else '"locked"' end`,
  isTrashed: '(item.trashed_at is not null)::text',
  isImage: `(item.type = 'IMAGE')::text`,
  thumbhash: quoted(`encode(item.thumbhash, 'base64')`),
  fileCreatedAt: instant(ifPlace(`item.taken_at at time zone 'utc'`, 'item.local_taken_at')),
  createdAt: instant(`item.created_at at time zone 'utc'`),
  /** What the clock showed, written as if it were UTC. */
  localAt: instant('item.local_taken_at'),
  localOffsetHours: ifPlace(
    `(extract(epoch from item.local_taken_at - item.taken_at at time zone 'utc')::float8
      / 3600)::text`,
    `'0'`,
  ),
  duration: `coalesce(item.duration_ms::text, 'null')`,
  projectionType: json('item.projection_type'),
  livePhotoVideoId: quoted('item.live_video_id::text'),
  city: json(ifPlace('item.city')),
  country: json(ifPlace('item.country')),
  latitude: `coalesce(${ifPlace('item.latitude')}::text, 'null')`,
  longitude: `coalesce(${ifPlace('item.longitude')}::text, 'null')`,
  // A stack of which only this item is shown is none.
  stack: `case when item.stack_size > 1
    then '["' || item.stack_id || '","' || item.stack_size || '"]' else 'null' end`,
} as const;
export type Column = keyof typeof COLUMNS;

/** Each column as the inside of a JSON array; empty text when there is no item. */
export type Columns = { readonly count: number; readonly of: ReadonlyMap<Column, string> };

export async function readBucket(
  reader: Reader,
  selection: Selection,
  month: string,
  columns: readonly Column[],
): Promise<Columns> {
  const lists = columns.map((name) => `string_agg(${COLUMNS[name]}, ',') as "${name}"`).join(', ');
  const by = selection.by === 'takenAt' ? sql`asset.local_taken_at` : sql`asset.created_at`;
  const order = direction(selection);
  const [row] = await queryPrepared<Record<Column, string | null> & { count: string }>(
    reader.db,
    sql`select count(*) as count, ${sql.raw(lists)}
      from (
        select asset.id, asset.owner_id, asset.width, asset.height,
          ${isOwnFavorite(reader)} as is_favorite,
          asset.visibility, asset.locked_at, asset.trashed_at, asset.type, asset.thumbhash,
          asset.taken_at, asset.local_taken_at, asset.created_at, asset.duration_ms,
          asset.live_video_id, asset.stack_id, ${STACK_SIZE} as stack_size,
          exif.projection_type, asset.shows_place, exif.city, exif.country, exif.latitude,
          exif.longitude
        ${itemsOf(reader, selection, { month })}
        order by ${by} ${order}, asset.id ${order}
      ) item`,
  );
  return {
    count: Number(row!.count),
    of: new Map(columns.map((name) => [name, row![name] ?? ''])),
  };
}

/** Favorites are the owner's own business, in albums too: nobody finds them out by asking for them. */
const isOwnFavorite = ({ session }: Reader): SQL =>
  session.kind === 'user'
    ? sql`(asset.is_favorite and asset.owner_id = ${session.userId}::uuid)`
    : sql`false`;

/** `from … where …`, with the items named asset and what was read from their files named exif. */
function itemsOf(
  reader: Reader,
  selection: Selection,
  { month, months, suppressed = 'out' }: Counted & { readonly month?: string },
): SQL {
  const { owners, albumId, isFavorite, bbox } = selection;
  const isBaseOfAlbum = albumId !== undefined && isShownByAlbum(selection.shelf);
  return sql`from ${baseOf(reader, selection, suppressed)}
    left join asset_exif exif on exif.asset_id = asset.id
    where ${and(
      owners && !isBaseOfAlbum ? sql`asset.owner_id = ${oneOf(owners)}` : undefined,
      albumId === undefined
        ? undefined
        : isBaseOfAlbum
          ? sql`asset.album_id = ${albumId}::uuid`
          : isMember(albumId),
      selection.shelf === 'hidden'
        ? sql`asset.visibility = 'hidden' and asset.locked_at is null and asset.trashed_at is null`
        : undefined,
      selection.visibility && sql`asset.visibility = ${sql.raw(`'${selection.visibility}'`)}`,
      isFavorite === undefined
        ? undefined
        : isFavorite
          ? isOwnFavorite(reader)
          : sql`not ${isOwnFavorite(reader)}`,
      selection.withoutStackChildren ? sql`not asset.is_stack_child` : undefined,
      // Where no places are shown, none can be found out by asking for them.
      bbox && and(isInside(bbox), sql`asset.shows_place`),
      ...linksOf(selection, { month, months }),
      months && sql`asset.local_month = ${oneOfDays(months)}`,
      month === undefined ? undefined : isInMonth(selection, month),
      sql`true`,
    )}`;
}

/** Albums show what everyone put in; the caller's own trash and locked items are found by owner. */
const isShownByAlbum = (shelf: Selection['shelf']) => shelf === 'library';

function baseOf(
  { db, session }: Reader,
  { shelf, albumId, owners }: Selection,
  suppressed: Suppressed,
) {
  if (albumId !== undefined && isShownByAlbum(shelf)) {
    return albumMembers(db, session, { suppressed });
  }
  if (session.kind === 'sharedLink') {
    // A link has no hidden shelf: the empty one of the locked items stands for it.
    return visibleAssets(db, session, shelf === 'hidden' ? 'locked' : shelf);
  }
  if (shelf === 'hidden') return ownAssets(db, session, 'any', { suppressed });
  const sharers = owners?.filter((id) => id !== session.userId) ?? [];
  return visibleAssets(db, session, shelf, { sharers, suppressed });
}

const isMember = (albumId: string) => sql`exists (
  select 1 from album_asset member
  where member.album_id = ${albumId} and member.asset_id = asset.id)`;

type Narrowed = {
  readonly month: string | undefined;
  readonly months: readonly string[] | undefined;
};

/** Tags and faces that the items must have. Their rows know the month of capture, too. */
function linksOf({ tagIds, personId, by }: Selection, { month, months }: Narrowed): SQL[] {
  const named = months ?? (month !== undefined && by === 'takenAt' ? [month] : undefined);
  const isOn = (table: string, condition: SQL) =>
    month !== undefined && by !== 'takenAt'
      ? // Of the few items of a month each is looked up, and nothing is joined.
        sql`exists (select 1 from ${sql.raw(table)} link
          where link.asset_id = asset.id and ${condition} offset 0)`
      : sql`asset.id in (select link.asset_id from ${sql.raw(table)} link
          where ${condition} ${named && sql`and link.local_month = ${oneOfDays(named)}`})`;
  return [
    ...(tagIds ? [isOn('tag_asset', sql`link.tag_id = ${oneOf(tagIds)}`)] : []),
    ...(personId === undefined
      ? []
      : [isOn('face', sql`link.person_id = ${personId}::uuid and not link.is_hidden`)]),
  ];
}

const isInside = ({ west, south, east, north }: Box) =>
  and(
    sql`exif.latitude between ${south} and ${north}`,
    west <= east
      ? sql`exif.longitude between ${west} and ${east}`
      : sql`(exif.longitude >= ${west} or exif.longitude <= ${east})`,
  );

/**
 * The month, and what follows from it for the other columns, so that each shelf has an index to
 * use: no zone is a day away from UTC.
 */
function isInMonth({ by, shelf, albumId }: Selection, month: string): SQL {
  if (by === 'createdAt') {
    return sql`asset.created_at >= ${month}::timestamp at time zone 'utc'
      and asset.created_at < (${month}::timestamp + interval '1 month') at time zone 'utc'`;
  }
  if (albumId !== undefined && isShownByAlbum(shelf)) {
    return sql`asset.member_month = ${month}::date`;
  }
  const isMonth = sql`asset.local_month = ${month}::date`;
  if (shelf === 'locked' || shelf === 'trash') {
    return sql`${isMonth} and asset.local_taken_at >= ${month}::timestamp
      and asset.local_taken_at < ${month}::timestamp + interval '1 month'`;
  }
  if (shelf !== 'library') return isMonth;
  return sql`${isMonth}
    and asset.taken_at >= (${month}::timestamp - interval '1 day') at time zone 'utc'
    and asset.taken_at < (${month}::timestamp + interval '1 month 1 day') at time zone 'utc'`;
}

const direction = ({ order }: Selection) => sql.raw(order);

const oneOfDays = (days: readonly string[]): SQL =>
  days.length === 1 ? sql`${days[0]}::date` : sql`any(${`{${days.join(',')}}`}::date[])`;

/** One id is compared, many are looked up in a list: only the first keeps the order of an index. */
export const oneOf = (ids: readonly string[]): SQL =>
  ids.length === 1 ? sql`${ids[0]}::uuid` : sql`any(${uuids(ids)})`;
