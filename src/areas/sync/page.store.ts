import { type SQL, sql } from 'drizzle-orm';
import { ownerAssets } from '../../access/unscoped.ts';
import { texts, uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { isBehind } from '../../db/keyset.ts';
import { type Column, column, type DescribedColumn } from '../../db/columns.ts';
import { type DescribedRow, type DescribedRows, getRow, queryDescribed } from '../../db/query.ts';
import { toInstant, toLocal } from '../assets/index.ts';
import type { LogPosition } from './acks.ts';
import type { EntityType } from './types.ts';

/** Query for an entity of the copy. `from` refers to the row `n` that identifies it. */
export type Entity = {
  /** The members of its JSON. */
  readonly columns: SQL;
  readonly from: SQL;
  /** Expression that is equal for log rows of the same entity. */
  readonly identity: SQL;
};

/** A page of rows (scope_id, kind, subject_id, other_id, key, ack, ord), whose `ord` is their place from 1 on. */
export type Source = {
  readonly rows: SQL;
  /** Makes the ack of `n` where its column is not the text of it. */
  readonly ack?: SQL;
  readonly isLog: boolean;
  /** Each row has the columns of its asset, too, which the reader may see. */
  readonly hasAssets?: boolean;
};

export type Page = {
  /** JSON lines. */
  readonly lines: string;
  /** Ack behind which the next page begins; null after the last one. */
  readonly next: string | null;
};

/** Rows per page. Tests lower it. */
export const paging = { rows: 5000 };

/** A scope of the log and the kinds of its rows that are read. */
export type LogScope = { readonly id: string; readonly kinds: readonly string[] };

export type LogRange = {
  readonly scopes: readonly LogScope[];
  readonly after: LogPosition;
  /** Exclusive transaction id. */
  readonly before: bigint;
  /** Only changes of what the reader could see before. */
  readonly audience?: 'open' | 'shared' | undefined;
  /** The entity that the subjects identify: all changes count if the reader may see it again. */
  readonly parent?: Entity | undefined;
};

function selectAudience({ scopes, before, audience, parent }: LogRange): SQL {
  if (!audience) return sql``;
  if (audience === 'shared') return sql`and n.is_shared`;
  if (!parent) return sql`and n.is_open`;
  // Also if it went to Locked while this stream ran: its removal may not have been sent.
  return sql`and (n.is_open or exists (select ${parent.from}) or n.subject_id in (
    select subject_id from change where scope_id = any(${uuids(scopes.map(({ id }) => id))})
      and xid >= ${String(before)}::xid8 and kind = 'shown' and is_open))`;
}

/** Faces that were deleted with their asset are not named: clients drop them with it. */
const IS_NOT_DELETED_WITH_ASSET = sql`and (n.kind <> 'face_gone'
  or exists (
    select from ${ownerAssets} where asset.owner_id = n.scope_id and asset.id = n.subject_id))`;

/** Selects the next rows of the log over all scopes, by position. */
export const selectLogPage = (range: LogRange): Source => ({
  isLog: true,
  rows: sql`
    select scope_id, kind, subject_id, other_id, key, xid || '-' || id as ack,
      (row_number() over (order by xid, id))::int as ord
    from (
      select found.* from unnest(${uuids(range.scopes.map(({ id }) => id))},
          ${texts(range.scopes.map(({ kinds }) => toArrayLiteral(kinds)))}) scope (id, kinds)
      cross join lateral (
        select * from change n where n.scope_id = scope.id
          ${IS_NOT_DELETED_WITH_ASSET}
          and ${isBehind({
            columns: [sql`n.xid`, sql`n.id`],
            values: [sql`${String(range.after.xid)}::xid8`, sql`${String(range.after.id)}::bigint`],
            direction: 'asc',
          })}
          and n.xid < ${String(range.before)}::xid8
          and n.kind = any(scope.kinds::text[]) ${selectAudience(range)}
        order by n.xid, n.id limit ${paging.rows}) found
      order by found.xid, found.id limit ${paging.rows}) page`,
});

/** Things that appeared after the start of the stream: rows that refer to them wait for the next one. */
export type Late = {
  readonly kinds: readonly string[];
  readonly since: bigint;
};

export type PageRequest = {
  readonly type: EntityType;
  readonly source: Source;
  readonly entity: Entity;
  /** Prefix of the ack of each row. */
  readonly ackPrefix: string;
  /** Ack of lines that do not carry the position of their row. */
  readonly ackBefore: string;
  /** False: every line has `ackPrefix` as its ack. */
  readonly hasOwnAck?: boolean;
  readonly late?: Late | undefined;
};

/** Returns the lines of entities that the reader may see. */
export const readShownPage = (db: Db, request: PageRequest): Promise<Page> =>
  readPage(
    db,
    request,
    sql`select n.ord, ${selectAck(request)}, shown.*
      from n cross join lateral (select ${request.entity.columns} ${request.entity.from}) shown
      ${request.late ? IS_NOT_LATE : sql``}`,
  );

/** Returns removal lines of entities that are gone or that the reader may not see. */
export const readRemovedPage = (db: Db, request: PageRequest & { gone: SQL }): Promise<Page> =>
  readPage(
    db,
    request,
    sql`select n.ord, ${selectAck(request)}, ${request.gone} from n
      where not exists (select ${request.entity.from})`,
  );

const ACK = sql`n.ack::text`;
const selectAck = ({ source }: PageRequest) => sql`${source.ack ?? ACK} as ack`;

/** A late row without `other_id` is about everything of its subject. */
const IS_NOT_LATE = sql`where not exists (select from late
  where late.scope_id = n.scope_id and late.subject_id = n.subject_id
    and (late.other_id = n.other_id) is not false)`;

async function readPage(db: Db, request: PageRequest, shown: SQL): Promise<Page> {
  const { source, entity, late } = request;
  const described = await queryDescribed(
    db,
    sql`with page as materialized (${source.rows}),
      ${late ? selectLate(late) : sql``}
      n as (${source.isLog ? selectNewest(entity.identity) : sql`select * from page`})
    select last.next, line.*
    from (select (select ${source.ack ?? ACK} from page n where n.ord = ${paging.rows}) as next) last
    left join (${shown}) line on true`,
  );
  const { next } = getRow(described.rows);
  return { lines: formatLines(described, request), next: next as string | null };
}

function formatLines({ rows, columns }: DescribedRows, request: PageRequest): string {
  const { type, ackPrefix, ackBefore, hasOwnAck = true } = request;
  const format = createFormat(columns);
  // PostgreSQL would sort what usually is in order already.
  const sorted = rows.toSorted((a, b) => Number(a['ord']) - Number(b['ord']));
  const lines = sorted.map((row, at) => {
    const { ord, ack } = row;
    if (ord === null) return '';
    // A row may yield several lines: only the last one carries its position.
    const isLast = sorted[at + 1]?.['ord'] !== ord;
    const own = hasOwnAck ? `${ackPrefix}${String(ack)}` : ackPrefix;
    return `{"type":"${type}","ack":"${isLast ? own : ackBefore}","data":${format(row)}}\n`;
  });
  return lines.join('');
}

/** How values of some types of PostgreSQL, which are text in the driver, are written in JSON. */
const FORMATS: readonly (readonly [Column<string>, (text: string) => unknown])[] = [
  [column.timestamptz, toInstant],
  [column.timestamp, toLocal],
  [column.bigint, Number],
];

/** Returns what makes JSON of a row: PostgreSQL would take twice the time of plain columns. */
function createFormat(columns: readonly DescribedColumn[]) {
  const formats = FORMATS.flatMap(([{ oids }, format]) =>
    columns.flatMap(({ name, type }) => (oids.includes(type) ? [[name, format] as const] : [])),
  );
  return (row: DescribedRow): string => {
    for (const [name, format] of formats) {
      const value = row[name];
      if (typeof value === 'string') row[name] = format(value);
    }
    // Quicker than a copy without them.
    row['ord'] = row['ack'] = row['next'] = undefined;
    return JSON.stringify(row);
  };
}

const selectNewest = (unit: SQL) => sql`
  select distinct on (unit) known.* from (select page.*, ${unit} as unit from page) known
  order by unit, known.ord desc`;

/** By scope and only for those of the page, so that the plan never scans the whole log. */
const selectLate = ({ kinds, since }: Late) => sql`late as materialized (
  select scope.scope_id, found.subject_id, found.other_id
  from (select distinct scope_id from page) scope
  cross join lateral (
    select subject_id, other_id from change where change.scope_id = scope.scope_id
      and change.xid >= ${String(since)}::xid8 and change.kind = any(${toArrayLiteral(kinds)}::text[])
    offset 0) found),`;

export const toArrayLiteral = (words: readonly string[]) => `{${words.join(',')}}`;
