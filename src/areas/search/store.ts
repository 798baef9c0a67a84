import { and, type SQL, sql } from 'drizzle-orm';
import { isBehind, type Position } from '../../db/keyset.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import { bodyName, toViewOptions } from '../assets/index.ts';
import { MAX_UTC_OFFSET } from './match/filter.store.ts';
import {
  isOfExifValue,
  type Matching,
  selectInExifOrder,
  selectMatching,
  unionPerOwner,
  type Reader,
} from './match/matching.store.ts';

export type SearchQuery = Matching & {
  readonly field: 'fileCreatedAt' | 'localDateTime' | 'createdAt' | 'fileSizeInBytes' | 'rating';
  readonly direction: 'asc' | 'desc';
  readonly withExif: boolean;
};

/** An asset by the name of its body (`bodyName`), and its sort value. */
const FOUND_COLUMNS = { name: column.text, position: column.text };
export type FoundAsset = InferRow<typeof FOUND_COLUMNS>;

export type Window = {
  readonly start: Position | undefined;
  /** The first day of a month: only items that come before all items of earlier months, in an order with `isSince`. */
  readonly since?: string | undefined;
  /** Number of items to skip after the start. */
  readonly offset: number;
  readonly limit: number;
};

type OrderField = {
  readonly expression: SQL;
  readonly type: SQL;
  /** Leading index column that follows from the expression. */
  readonly lead?: SQL | undefined;
  /** True for items that come, newest first, before all items of months earlier than this one (its first day). */
  readonly isSince?: (month: string) => SQL;
  /** The column of the id, by which equal values are sorted. */
  readonly id?: SQL;
};

const RATING = sql`exif.rating`;
/** Sort value of unrated items: below rejected (-1). */
const UNRATED = '-2';
const FIELDS: Readonly<Record<SearchQuery['field'], OrderField>> = {
  fileCreatedAt: {
    expression: sql`asset.taken_at`,
    type: sql`timestamptz`,
    isSince: (month) =>
      sql`asset.taken_at >= ${month}::timestamp at time zone 'utc' + ${MAX_UTC_OFFSET}`,
  },
  localDateTime: {
    expression: sql`asset.local_taken_at`,
    type: sql`timestamp`,
    lead: sql`asset.local_month`,
    isSince: (month) => sql`asset.local_month >= ${month}::date`,
  },
  createdAt: { expression: sql`asset.created_at`, type: sql`timestamptz` },
  fileSizeInBytes: { expression: sql`asset.file_size`, type: sql`bigint` },
  rating: { expression: RATING, type: sql`int` },
};

/** The same as by `fileCreatedAt`, in the order of the indexes of asset_exif. */
const BY_EXIF: OrderField = {
  ...FIELDS.fileCreatedAt,
  expression: sql`exif.asset_taken_at`,
  id: sql`exif.asset_id`,
};

/** Returns the items of a window in order, `start` included. */
export async function findPage(
  reader: Reader,
  query: SearchQuery,
  window: Window,
): Promise<FoundAsset[]> {
  const from = window.offset > 0 ? await skipItems(reader, query, window) : window;
  if (!from) return [];
  const name = bodyName(toViewOptions(reader.session, query.withExif));
  return queryRows(
    reader.db,
    FOUND_COLUMNS,
    sql`select name, place::text as position from (${selectPage(reader, query, from, name)}) item`,
  );
}

/**
 * Returns the window from its first item on; undefined behind the last. Skipping 500,000 items takes 0.28 s of CPU, 1.2 s
 * with their names.
 */
async function skipItems(
  reader: Reader,
  query: SearchQuery,
  window: Window,
): Promise<Window | undefined> {
  const first = { ...window, limit: 1 };
  const page = selectPage(reader, { ...query, withExif: false }, first, sql`null`);
  const [start] = await queryRows(
    reader.db,
    { id: column.uuid, value: column.text },
    sql`select id, place::text as value from (${page}) item`,
  );
  return start && { ...window, start, offset: 0 };
}

/** Selects `id`, `place` and, as `name`, what is given. */
function selectPage(reader: Reader, query: SearchQuery, window: Window, name: SQL): SQL {
  const { offset, limit } = window;
  const direction = sql.raw(query.direction);
  const buildPagePart = query.field === 'rating' ? buildRatedPage : buildPage;
  // A literal limit lets the planner see that the page is small.
  const end = sql.raw(`limit ${limit + offset}`);
  const pages = sql.join(
    splitByScope(query).map((part) =>
      unionPerOwner(part, (owner) =>
        buildPagePart({ reader, query: part, window, owner, end, name }),
      ),
    ),
    sql` union all `,
  );
  return sql`select id, name, place from (${pages}) item
    order by place ${direction}, id ${direction} ${end} offset ${sql.raw(String(offset))}`;
}

const SPLIT_FIELDS: ReadonlySet<string> = new Set(['localDateTime', 'fileSizeInBytes']);

/**
 * Timeline and archive have separate indexes by local time, size and type: their pages are merged. Of 1,000,000 assets, both
 * at once take 1 s by size or local time and 0.2 s of a type without items, merged 2, 19 and 2 ms.
 */
const splitByScope = (query: SearchQuery): SearchQuery[] =>
  query.scope === 'library' &&
  query.ids === undefined &&
  query.owners !== undefined &&
  (SPLIT_FIELDS.has(query.field) || query.filter.type !== undefined) &&
  !query.withTrashed
    ? [
        { ...query, scope: 'timeline' },
        { ...query, scope: 'archive' },
      ]
    : [query];

type PagePart = {
  readonly reader: Reader;
  readonly query: SearchQuery;
  readonly window: Window;
  readonly owner: string | undefined;
  readonly end: SQL;
  readonly name: SQL;
};

const selectColumns = ({ name }: PagePart, place: SQL): SQL =>
  sql`select asset.id, ${name} as name, ${place} as place`;

function buildPage(part: PagePart): SQL {
  const { reader, query, window, owner, end } = part;
  const byExif = query.field === 'fileCreatedAt' && isOfExifValue(query) ? owner : undefined;
  const field = byExif === undefined ? FIELDS[query.field] : BY_EXIF;
  const { expression, lead, isSince, id = sql`asset.id` } = field;
  const { start, since } = window;
  const direction = sql.raw(query.direction);
  const only = and(
    start && isFromPosition(query, { ...field, start }),
    since === undefined ? undefined : isSince?.(since),
  );
  const order = sql`${expression} ${direction}, ${id} ${direction}`;
  // Timeline and archive indexes lead with the month; those of favorites and trash do not.
  const isByMonth = lead && (query.scope === 'timeline' || query.scope === 'archive');
  const items =
    byExif === undefined
      ? selectMatching(reader, query, owner, { joinsExif: query.withExif, only })
      : selectInExifOrder(reader, query, byExif, only);
  return sql`${selectColumns(part, expression)} ${items}
    order by ${isByMonth ? sql`${lead} ${direction}, ${order}` : order} ${end}`;
}

/** Returns the value by which a listing is sorted. */
export const getPlace = ({ field }: SearchQuery): SQL => FIELDS[field].expression;

/** Returns the keyset condition of a listing: `start` and what follows it. */
export const isAtOrBehind = (query: SearchQuery, start: Position): SQL =>
  isFromPosition(query, { ...FIELDS[query.field], start });

function isFromPosition(query: SearchQuery, from: OrderField & { readonly start: Position }): SQL {
  const { lead, expression, type, start, id: ids = sql`asset.id` } = from;
  const value = sql`${start.value}::${type}`;
  const { direction } = query;
  const id = sql`${start.id}::uuid`;
  return isBehind(
    lead
      ? {
          columns: [lead, expression, ids],
          values: [sql`date_trunc('month', ${value})::date`, value, id],
          direction,
          isInclusive: true,
        }
      : { columns: [expression, ids], values: [value, id], direction, isInclusive: true },
  );
}

/**
 * Reads rated items through the rating index and unrated ones by id: sorting everything by a mostly
 * empty column would read the whole library, 600 ms of 1,000,000 assets and 38 of 20,000 instead of 5.
 */
function buildRatedPage(part: PagePart): SQL {
  const { reader, query, window, owner, end } = part;
  const { start } = window;
  const direction = sql.raw(query.direction);
  const id = sql`${start?.id}::uuid`;
  const toKeyset = (columns: SQL[], values: SQL[]) =>
    start && isBehind({ columns, values, direction: query.direction, isInclusive: true });
  const ratedOnly = and(
    sql`${RATING} <> 0`,
    toKeyset([RATING, sql`exif.asset_id`], [sql`${start?.value}::int`, id]),
  );
  const isAmongUnrated = start?.value === UNRATED;
  const areUnratedBehind = query.direction === 'asc' ? sql`false` : undefined;
  const unratedOnly = and(
    sql`(${RATING} is null or ${RATING} = 0)`,
    isAmongUnrated ? toKeyset([sql`asset.id`], [id]) : start && areUnratedBehind,
  );
  const matching = (only: SQL | undefined) =>
    selectMatching(reader, query, owner, { joinsExif: true, only });
  return sql`select * from (
      (${selectColumns(part, sql`${RATING}`)} ${matching(ratedOnly)}
        order by ${RATING} ${direction}, exif.asset_id ${direction} ${end})
      union all
      (${selectColumns(part, sql`${sql.raw(UNRATED)}`)} ${matching(unratedOnly)}
        order by asset.id ${direction} ${end})
    ) part order by place ${direction}, id ${direction} ${end}`;
}
