import { type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { queryPrepared } from '../../db/query.ts';
import type { Place } from './acks.ts';
import type { EntityType } from './types.ts';

/** How a thing of the copy is read. `from` refers to the row `n` that says which. */
export type Entity = {
  readonly data: SQL;
  readonly from: SQL;
  /** What rows of the log must agree in to mean the same thing. */
  readonly unit: SQL;
  /** A row may stand for several lines: only the last of them carries its place. */
  readonly isMany?: true;
};

/**
 * Which things to look at, a page of them: rows (scope_id, kind, subject_id, other_id, key, ack, ord),
 * in the order `ord`.
 */
export type Source = { readonly rows: SQL; readonly isLog: boolean };

export type Page = {
  /** JSON lines. */
  readonly lines: string;
  /** Rows of the source, shown or not: a full page is followed by another. */
  readonly taken: number;
  /** The ack of the last of them. */
  readonly last: string | null;
};

/** Rows of a page. Tests make it small, so that a few rows are many pages. */
export const paging = { rows: 2000 };

export type LogRange = {
  readonly scopes: readonly string[];
  readonly kinds: readonly string[];
  readonly after: Place;
  /** Nothing of this transaction or of later ones. */
  readonly before: bigint;
  /** Only what the reader may have had. */
  readonly seen?: 'open' | 'shared' | undefined;
};

const SEEN = { open: sql`and is_open`, shared: sql`and is_shared` };

/** The next rows of the log, over all scopes in one order. */
export const logPage = ({ scopes, kinds, after, before, seen }: LogRange): Source => ({
  isLog: true,
  rows: sql`
    select scope_id, kind, subject_id, other_id, key, xid || '-' || id as ack,
      row_number() over (order by xid, id) as ord
    from (
      select found.* from unnest(${arrayOf(scopes)}::uuid[]) scope (id)
      cross join lateral (
        select * from change where change.scope_id = scope.id
          and (change.xid, change.id) > (${String(after.xid)}::xid8, ${String(after.id)}::bigint)
          and change.xid < ${String(before)}::xid8
          and change.kind = any(${arrayOf(kinds)}::text[]) ${seen ? SEEN[seen] : sql``}
        order by change.xid, change.id limit ${paging.rows}) found
      order by found.xid, found.id limit ${paging.rows}) page`,
});

/** What appeared after the stream began: others may refer to it only in the next one. */
export type Late = {
  readonly kinds: readonly string[];
  readonly since: bigint;
};

export type PageRequest = {
  readonly type: EntityType;
  readonly source: Source;
  readonly entity: Entity;
  /** In front of the ack of each row. */
  readonly ackPrefix: string;
  /** For lines that do not carry the place of their row. */
  readonly ackBefore: string;
  /** False: every line has `ackPrefix` as it is. */
  readonly hasOwnAck?: boolean;
  readonly late?: Late | undefined;
};

/** The lines of what is there. */
export const shownPage = (db: Db, request: PageRequest): Promise<Page> => {
  const { entity, late } = request;
  const own = ownAck(request);
  const ack = entity.isMany
    ? sql`case when rank = of_unit then ${own} else ${request.ackBefore}::text end`
    : own;
  const counted = entity.isMany
    ? sql`, row_number() over (partition by n.ord) as rank, count(*) over (partition by n.ord) as of_unit`
    : sql``;
  return readPage(
    db,
    request,
    ack,
    sql`from (
      select n.ord, n.ack, shown.data ${counted}
      from n cross join lateral (select ${entity.data} as data ${entity.from}) shown
      ${late ? notLate : sql``}) line`,
  );
};

/** The lines of what is not there, or not for this reader. */
export const gonePage = (db: Db, request: PageRequest & { gone: SQL }): Promise<Page> =>
  readPage(
    db,
    request,
    ownAck(request),
    sql`from (
      select n.ord, n.ack, ${request.gone} as data from n
      where not exists (select ${request.entity.from})) line`,
  );

const ownAck = ({ ackPrefix, hasOwnAck = true }: PageRequest): SQL =>
  hasOwnAck ? sql`${ackPrefix}::text || ack` : sql`${ackPrefix}::text`;

const notLate = sql`where (n.scope_id, n.subject_id) not in (select scope_id, subject_id from late)`;

async function readPage(
  db: Db,
  { type, source, entity, late }: PageRequest,
  ack: SQL,
  lines: SQL,
): Promise<Page> {
  const head = `{"type":"${type}","ack":"`;
  const [row] = await queryPrepared<Page>(
    db,
    sql`with page as materialized (${source.rows}),
      ${late ? lateRows(late) : sql``}
      n as (${source.isLog ? newestOf(entity.unit) : sql`select * from page`})
    select (select count(*)::int from page) as taken,
      (select ack from page order by ord desc limit 1) as last,
      (select coalesce(string_agg(
        ${head}::text || ${ack} || '","data":' || line.data || e'}\n', '' order by line.ord), '')
       ${lines}) as lines`,
  );
  return row!;
}

const newestOf = (unit: SQL) => sql`
  select distinct on (unit) known.* from (select page.*, ${unit} as unit from page) known
  order by unit, known.ord desc`;

/** Asked by scope and only of those of the page: the plan must not come to be one over the whole log. */
const lateRows = ({ kinds, since }: Late) => sql`late as materialized (
  select scope.scope_id, found.subject_id from (select distinct scope_id from page) scope
  cross join lateral (
    select subject_id from change where change.scope_id = scope.scope_id
      and change.xid >= ${String(since)}::xid8 and change.kind = any(${arrayOf(kinds)}::text[])
    offset 0) found),`;

export const arrayOf = (words: readonly string[]) => `{${words.join(',')}}`;
