import { and, type SQL, sql } from 'drizzle-orm';
import { preparedRows } from '../../db/prepared.ts';
import { ASSET_COLUMNS, type AssetView, EXIF_COLUMNS } from '../assets/index.ts';
import type { Position } from './cursor.ts';
import { readsExif } from './match/filter.store.ts';
import {
  filtersOf,
  type Matching,
  matchingOf,
  ofEachOwner,
  type Reader,
  rowsOnce,
} from './match/matching.store.ts';

export type SearchQuery = Matching & {
  readonly field: 'fileCreatedAt' | 'localDateTime' | 'fileSizeInBytes' | 'rating';
  readonly direction: 'asc' | 'desc';
  readonly withExif: boolean;
};

export type Found = AssetView & { readonly position: string };

export type Window = {
  readonly start: Position | undefined;
  /** Only what was taken before this instant: where `offset` counts from, instead of `start`. */
  readonly before?: string | undefined;
  /** Items to skip after the start. */
  readonly offset: number;
  readonly limit: number;
};

type Field = {
  readonly expression: SQL;
  readonly type: SQL;
  /** Follows from the expression and comes before it, as the index that has the order. */
  readonly lead?: SQL | undefined;
};

const RATING = sql`exif.rating`;
/** Unrated comes after rejected. */
const UNRATED = '-2';
const FIELDS: Readonly<Record<SearchQuery['field'], Field>> = {
  fileCreatedAt: { expression: sql`asset.taken_at`, type: sql`timestamptz` },
  localDateTime: {
    expression: sql`asset.local_taken_at`,
    type: sql`timestamp`,
    lead: sql`asset.local_month`,
  },
  fileSizeInBytes: { expression: sql`asset.file_size`, type: sql`bigint` },
  rating: { expression: RATING, type: sql`int` },
};

/** The items of a window in order, `start` included. */
export async function findPage(
  reader: Reader,
  query: SearchQuery,
  window: Window,
): Promise<Found[]> {
  const { offset, limit } = window;
  const direction = sql.raw(query.direction);
  const pageOf = query.field === 'rating' ? ratedPages : plainPage;
  // The literal limit lets the planner see that a page is small.
  const end = sql.raw(`limit ${limit + offset}`);
  const pages = sql.join(
    shelvesInOrder(query).map((part) =>
      ofEachOwner(part, (owner) => pageOf({ reader, query: part, window, owner, end })),
    ),
    sql` union all `,
  );
  const statement = sql`select * from (${pages}) item
    order by place ${direction}, id ${direction} ${end} offset ${sql.raw(String(offset))}`;
  return isCommon(reader, query, window)
    ? preparedRows<Found>(reader.sql, statement)
    : rowsOnce(reader.sql, statement);
}

/** By the clock, and of videos, Timeline and archive have an index each: their pages are merged. */
const shelvesInOrder = (query: SearchQuery): SearchQuery[] =>
  query.shelf === 'library' &&
  query.owners !== undefined &&
  (query.field === 'localDateTime' || query.filter.type !== undefined) &&
  !query.withTrashed
    ? [
        { ...query, shelf: 'timeline' },
        { ...query, shelf: 'archive' },
      ]
    : [query];

type Part = {
  readonly reader: Reader;
  readonly query: SearchQuery;
  readonly window: Window;
  readonly owner: string | undefined;
  readonly end: SQL;
};

const columnsOf = ({ query }: Part, place: SQL) => sql`select ${ASSET_COLUMNS},
  ${query.withExif ? EXIF_COLUMNS : sql`null as city`}, (${place})::text as position,
  ${place} as place`;

function plainPage(part: Part): SQL {
  const { reader, query, window, owner, end } = part;
  const { expression, type, lead } = FIELDS[query.field];
  const { start, before } = window;
  const direction = sql.raw(query.direction);
  const only = and(
    start && isAfter(query, { lead, expression, type, start }),
    before === undefined ? undefined : sql`${expression} < ${before}::${type}`,
  );
  const order = sql`${expression} ${direction}, asset.id ${direction}`;
  // The index of a shelf begins with the month; others, as favorites' and trash, do not.
  const isByMonth = lead && (query.shelf === 'timeline' || query.shelf === 'archive');
  return sql`${columnsOf(part, expression)}
    ${matchingOf(reader, query, owner, { joinsExif: query.withExif, only })}
    order by ${isByMonth ? sql`${lead} ${direction}, ${order}` : order} ${end}`;
}

/** Of a listing by the time of capture: from this position on. */
export const placeAfter = (query: SearchQuery, start: Position): SQL =>
  isAfter(query, { ...FIELDS.fileCreatedAt, start });

const comparisonOf = ({ direction }: SearchQuery) =>
  direction === 'desc' ? sql.raw('<=') : sql.raw('>=');

function isAfter(query: SearchQuery, from: Field & { readonly start: Position }): SQL {
  const { lead, expression, type, start } = from;
  const value = sql`${start.value}::${type}`;
  const comparison = comparisonOf(query);
  return lead
    ? sql`(${lead}, ${expression}, asset.id) ${comparison}
        (date_trunc('month', ${value})::date, ${value}, ${start.id}::uuid)`
    : sql`(${expression}, asset.id) ${comparison} (${value}, ${start.id}::uuid)`;
}

/**
 * Few have a rating: these are found by the index of it, the others by their ids. Sorting all by
 * what most of them lack would read the whole library.
 */
function ratedPages(part: Part): SQL {
  const { reader, query, window, owner, end } = part;
  const { start } = window;
  const direction = sql.raw(query.direction);
  const comparison = comparisonOf(query);
  const isAmongUnrated = start?.value === UNRATED;
  const ratedOnly = and(
    sql`${RATING} <> 0`,
    start === undefined
      ? undefined
      : sql`(${RATING}, exif.asset_id) ${comparison} (${start.value}::int, ${start.id}::uuid)`,
  );
  const isBehind = query.direction === 'asc' ? sql`false` : undefined;
  const unratedOnly = and(
    sql`(${RATING} is null or ${RATING} = 0)`,
    isAmongUnrated ? sql`asset.id ${comparison} ${start.id}::uuid` : start && isBehind,
  );
  const matching = (only: SQL | undefined) =>
    matchingOf(reader, query, owner, { joinsExif: true, only });
  return sql`select * from (
      (${columnsOf(part, sql`${RATING}`)} ${matching(ratedOnly)}
        order by ${RATING} ${direction}, exif.asset_id ${direction} ${end})
      union all
      (${columnsOf(part, sql`${sql.raw(UNRATED)}`)} ${matching(unratedOnly)}
        order by asset.id ${direction} ${end})
    ) part order by place ${direction}, id ${direction} ${end}`;
}

const COMMON_LIMITS = new Set([51, 101, 201, 251, 501, 1001]);

/** A plan is kept for each text of a statement, so only few texts may have one. */
const isCommon = (reader: Reader, query: SearchQuery, window: Window) =>
  query.filter.or === undefined &&
  query.words === undefined &&
  query.hidden === undefined &&
  query.field !== 'rating' &&
  !readsExif(query.filter) &&
  filtersOf(reader, query, query.owners?.[0]).length <= 2 &&
  window.offset === 0 &&
  window.before === undefined &&
  (query.owners?.length ?? 0) <= 2 &&
  COMMON_LIMITS.has(window.limit);
