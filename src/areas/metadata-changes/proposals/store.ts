import { type SQL, sql } from 'drizzle-orm';
import { ownAssets } from '../../../access/scope.ts';
import type { Session } from '../../../access/session.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column, type InferRow } from '../../../db/columns.ts';
import { isBehind, type Position } from '../../../db/keyset.ts';
import { queryRows } from '../../../db/query.ts';
import type { Neighbour } from './dates.ts';
import type { ProposalField } from './schemas.ts';

export type Reader = { readonly db: Db; readonly session: Session };

/**
 * Items of a page, and items of the library that one request reads at most: it may find fewer, or none. Only some
 * of those without a place are near others, which are looked for in one request.
 */
const PAGE_SIZE: Record<ProposalField, number> = { date: 50, place: 500 };
const WINDOW = 5000;

/** Nothing in or around the file tells when it was taken: it has the date of the file. */
const IS_UNDATED = sql`exif.date_source = 'FileModified'
  and not 'dateTimeOriginal' = any(exif.edited_fields)`;
/** A place follows from a date only where that is known. */
const IS_UNPLACED = sql`exif.latitude is null and not 'latitude' = any(exif.edited_fields)
  and (exif.date_source <> 'FileModified' or 'dateTimeOriginal' = any(exif.edited_fields))`;

const MISSING: Record<ProposalField, SQL> = { date: IS_UNDATED, place: IS_UNPLACED };

export type NearPlace = {
  readonly latitude: number;
  readonly longitude: number;
  readonly city: string | null;
  readonly state: string | null;
  readonly country: string | null;
};

const ITEM_COLUMNS = {
  id: column.uuid,
  fileName: column.text,
  /** The folder in an external library. */
  folder: column.text.orNull,
  localTakenAt: column.text,
  timeZone: column.text.orNull,
  /** The order of the list, as PostgreSQL prints it. */
  key: column.text,
  /** The nearest first. */
  neighbours: column.json<readonly Neighbour[]>().orNull,
  near: column.json<NearPlace>().orNull,
};
export type Item = InferRow<typeof ITEM_COLUMNS>;

export type ItemPage = { readonly items: readonly Item[]; readonly next: Position | undefined };

/** Returns a page of own items of timeline and archive that lack the field, newest first. */
export async function listMissing(
  { db, session }: Reader,
  field: ProposalField,
  after: Position | undefined,
): Promise<ItemPage> {
  const columns = [sql`asset.taken_at`, sql`asset.id`];
  const values = after && [sql`${after.value}::timestamptz`, sql`${after.id}::uuid`];
  const behind = values ? isBehind({ columns, values, direction: 'desc' }) : sql`true`;
  const scanned = await queryRows(
    db,
    { id: column.uuid, key: column.text },
    sql`
    select id, key from (
      select asset.id, asset.taken_at::text as key, row_number() over (
        order by asset.taken_at desc, asset.id desc) as place
      from ${ownAssets(db, session, 'library')} where ${behind}
      order by asset.taken_at desc, asset.id desc limit ${WINDOW}) scanned
    where place = ${WINDOW}`,
  );
  const last = scanned[0];
  const until = last
    ? isBehind({
        columns,
        values: [sql`${last.key}::timestamptz`, sql`${last.id}::uuid`],
        direction: 'desc',
      })
    : sql`false`;
  const items = await queryRows(
    db,
    ITEM_COLUMNS,
    sql`${selectItems({ db, session }, field, sql`${behind} and not ${until}`)}
    order by found.taken_at desc, found.id desc`,
  );
  const tail = items.length === PAGE_SIZE[field] ? items.at(-1) : last;
  return { items, next: tail && { value: tail.key, id: tail.id } };
}

/** Returns those of these items that still lack the field. */
export const filterMissing = (reader: Reader, field: ProposalField, ids: readonly string[]) =>
  queryRows(
    reader.db,
    ITEM_COLUMNS,
    selectItems(reader, field, sql`asset.id = any(${uuids(ids)})`, ids.length),
  );

function selectItems(
  reader: Reader,
  field: ProposalField,
  condition: SQL,
  limit = PAGE_SIZE[field],
): SQL {
  const { db, session } = reader;
  return sql`
    select found.id, found.file_name as "fileName", found.folder,
      to_char(found.local_taken_at, 'YYYY-MM-DD"T"HH24:MI:SS.MS') as "localTakenAt",
      found.time_zone as "timeZone", found.taken_at::text as key,
      ${field === 'date' ? selectNeighbours(reader) : sql`null::json`} as neighbours,
      ${field === 'place' ? selectNear(reader) : sql`null::json`} as near
    from (
      select asset.id, asset.file_name, asset.folder, asset.local_taken_at, asset.taken_at,
        asset.local_day, asset.created_at, exif.time_zone
      from ${ownAssets(db, session, 'library')}
      join asset_exif exif on exif.asset_id = asset.id
      where ${condition} and ${MISSING[field]} and not exists (
        select from metadata_dismissal dismissed
        where dismissed.asset_id = asset.id and dismissed.field = ${field})
      order by asset.taken_at desc, asset.id desc limit ${limit}
    ) found`;
}

/** Uploads of one camera come in the order in which it took them, within minutes. */
function selectNeighbours({ db, session }: Reader): SQL {
  const side = (order: 'asc' | 'desc') => sql`(
    select asset.created_at, asset.local_taken_at, exif.time_zone, exif.date_source, exif.edited_fields
    from ${ownAssets(db, session, 'library')} join asset_exif exif on exif.asset_id = asset.id
    where asset.id <> found.id and ${
      order === 'asc'
        ? sql`asset.created_at between found.created_at and found.created_at + interval '10 minutes'`
        : sql`asset.created_at between found.created_at - interval '10 minutes' and found.created_at`
    }
    order by asset.created_at ${sql.raw(order)}, asset.id ${sql.raw(order)} limit 3)`;
  return sql`(
    select json_agg(json_build_object(
      'local', to_char(local_taken_at, 'YYYY-MM-DD"T"HH24:MI:SS'), 'timeZone', time_zone)
      order by abs(extract(epoch from created_at - found.created_at)))
    from (${side('asc')} union ${side('desc')}) beside
    where date_source <> 'FileModified' or 'dateTimeOriginal' = any(edited_fields))`;
}

/** The nearest item in time with a place, on the same day and within two hours. */
function selectNear({ db, session }: Reader): SQL {
  const side = (order: 'asc' | 'desc') => sql`(
    select asset.taken_at, exif.latitude, exif.longitude, exif.city, exif.state, exif.country
    from ${ownAssets(db, session, 'library')} join asset_exif exif on exif.asset_id = asset.id
    where exif.latitude is not null and exif.longitude is not null
      and asset.local_day = found.local_day and ${
        order === 'asc'
          ? sql`asset.taken_at between found.taken_at and found.taken_at + interval '2 hours'`
          : sql`asset.taken_at between found.taken_at - interval '2 hours' and found.taken_at`
      }
    order by asset.taken_at ${sql.raw(order)}, asset.id ${sql.raw(order)} limit 1)`;
  return sql`(
    select json_build_object('latitude', latitude, 'longitude', longitude, 'city', city,
      'state', state, 'country', country)
    from (${side('asc')} union all ${side('desc')}) beside
    order by abs(extract(epoch from taken_at - found.taken_at)) limit 1)`;
}

/** Saves that the list leaves items out, or shows them again. */
export async function saveDismissed(
  db: Db,
  field: ProposalField,
  ids: readonly string[],
  isDismissed: boolean,
): Promise<void> {
  await queryRows(
    db,
    isDismissed
      ? sql`insert into metadata_dismissal (asset_id, field)
          select id, ${field} from unnest(${uuids(ids)}) id on conflict do nothing`
      : sql`delete from metadata_dismissal
          where field = ${field} and asset_id = any(${uuids(ids)})`,
  );
}
