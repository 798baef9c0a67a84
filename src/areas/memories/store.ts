import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { ownAssets } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import { uuids } from '../../db/arrays.ts';
import type { Db } from '../../db/client.ts';
import { column, type InferRow } from '../../db/columns.ts';
import { OWNERS } from '../../read-cache/responses.ts';
import { getRow, queryPrepared, queryRows } from '../../db/query.ts';
import {
  memories,
  memoryAssets,
  type MemorySubject,
  type MemoryType,
} from '../../db/tables/memories.ts';
import { bodyName, toViewOptions } from '../assets/index.ts';
import { isWanted, showsNobodyUnwanted } from './show-less/rules.store.ts';

export type Reader = { readonly db: Db; readonly session: UserSession };

const MEMORY_VIEW_COLUMNS = {
  id: column.uuid,
  ownerId: column.uuid,
  type: column.text.as<MemoryType>(),
  data: column.json<Readonly<Record<string, unknown>>>(),
  subject: column.json<MemorySubject>(),
  personName: column.text.orNull,
  petName: column.text.orNull,
  name: column.text.orNull,
  description: column.text.orNull,
  memoryAt: column.timestamptz,
  showAt: column.timestamptz.orNull,
  hideAt: column.timestamptz.orNull,
  seenAt: column.timestamptz.orNull,
  isSaved: column.boolean,
  isHidden: column.boolean,
  deletedAt: column.timestamptz.orNull,
  createdAt: column.timestamptz,
  updatedAt: column.timestamptz,
  /** Names of the bodies of its assets (`bodyName`), in order, with commas between; null: none that may be shown. */
  assets: column.text.orNull,
  /** Local capture times of the first and the last asset. */
  firstAt: column.timestamp.orNull,
  lastAt: column.timestamp.orNull,
};

/** A memory as its owner sees it now. Instants are PostgreSQL's text. */
export type MemoryView = InferRow<typeof MEMORY_VIEW_COLUMNS>;

const COLUMNS = sql.raw(`memory.id, memory.owner_id as "ownerId", memory.type, memory.data,
  memory.subject, who.name as "personName", pet.name as "petName", memory.name, memory.description,
  memory.memory_at as "memoryAt", memory.show_at as "showAt", memory.hide_at as "hideAt",
  memory.seen_at as "seenAt", memory.is_saved as "isSaved", memory.is_hidden as "isHidden",
  memory.deleted_at as "deletedAt", memory.created_at as "createdAt",
  memory.updated_at as "updatedAt", shown.names as assets, shown.first_at as "firstAt",
  shown.last_at as "lastAt"`);

/** The person of a memory, or the one into whom that person was merged. */
const SUBJECT = sql`left join lateral (
    with recursive same as (
      select id, merged_into, name, is_hidden from person where id = memory.person_id
      union all
      select person.id, person.merged_into, person.name, person.is_hidden
      from person join same on person.id = same.merged_into
    ) select id, name, is_hidden from same where merged_into is null
  ) who on memory.person_id is not null
  left join pet on pet.id = memory.pet_id`;

/**
 * Selects the assets of "memory" that it may show: the caller's own on the Timeline. Memories never show
 * Locked ones, not even in an elevated session.
 */
const selectShown = ({ db, session }: Reader, joined = sql``): SQL => sql`
  from memory_asset member join ${ownAssets(db, session, 'timeline')} on asset.id = member.asset_id
  ${joined} where member.memory_id = memory.id and ${showsNobodyUnwanted(session.userId)}`;

const selectMembers = (reader: Reader): SQL => sql`
  cross join lateral (
    select min(asset.local_taken_at) as first_at, max(asset.local_taken_at) as last_at,
      string_agg(${bodyName(toViewOptions(reader.session, true))}, ','
        order by member.position, asset.taken_at, asset.id) as names
    ${selectShown(reader, sql`left join asset_exif exif on exif.asset_id = asset.id`)}) shown`;

export type MemorySearch = {
  readonly id?: string | undefined;
  readonly type?: MemoryType | undefined;
  readonly isHidden: boolean;
  readonly isSaved?: boolean | undefined;
  readonly isTrashed: boolean;
  /** Compared with `now`. */
  readonly isUpcoming?: boolean | undefined;
  /** Shown at this instant. */
  readonly shownAt?: Date | undefined;
  readonly now: Date;
};

/**
 * Condition on "memory" and "who": found by the search, not turned down by a rule, and not generated for
 * an account that wants none. One text for all searches, so that the statement is planned once.
 */
function isListed({ session: { userId } }: Reader, search: MemorySearch): SQL {
  const { id = null, type = null, isSaved = null, isUpcoming = null, shownAt } = search;
  const at = sql`${shownAt?.toISOString() ?? null}::timestamptz`;
  return sql`memory.owner_id = ${userId}::uuid
    and (${id}::uuid is null or memory.id = ${id}::uuid)
    and (${type}::text is null or memory.type = ${type}::text)
    and memory.is_hidden = ${search.isHidden}::boolean
    and (${isSaved}::boolean is null or memory.is_saved = ${isSaved}::boolean)
    and (${search.isTrashed}::boolean or memory.deleted_at is null)
    and (${isUpcoming}::boolean is null or ${isUpcoming}::boolean =
      (coalesce(memory.show_at, '-infinity') > ${search.now.toISOString()}::timestamptz))
    and (${at} is null or (coalesce(memory.show_at, '-infinity') <= ${at}
      and coalesce(memory.hide_at, 'infinity') >= ${at}))
    and (memory.key is null or memory.is_saved or ${wantsMemories(userId)})
    and who.is_hidden is not true
    and ${isWanted(userId, sql`who.id`)}`;
}

const wantsMemories = (userId: string): SQL => sql`coalesce((
  select (preferences -> 'memories' ->> 'enabled')::boolean from app_user
  where id = ${userId}::uuid), true)`;

/**
 * The part of a list of memories that the change log does not tell: names of pets, a preference, and the pictures with
 * a pet that is not wanted, where nothing is the same again.
 */
export const LIST_STATE: SQL = sql`(select concat_ws('|',
    (select clock_timestamp() from memory_rule where owner_id = any(${OWNERS}) and pet_id is not null limit 1),
    (select string_agg(preferences #>> '{memories,enabled}', ',') from app_user where id = any(${OWNERS})),
    (select string_agg(id || name, ',' order by id) from pet where owner_id = any(${OWNERS}))))`;

const ORDERS = {
  asc: sql`memory.created_at, memory.memory_at, memory.id`,
  desc: sql`memory.created_at desc, memory.memory_at desc, memory.id desc`,
  random: sql`random()`,
} as const;

export type MemoryOrder = keyof typeof ORDERS;
/** `limit` undefined: all. */
export type MemoryPage = { readonly limit: number | undefined; readonly offset: number };

/** Returns the memories that a search finds; those without an asset to show are left out. */
export function listMemories(
  reader: Reader,
  search: MemorySearch,
  order: MemoryOrder,
  { limit, offset }: MemoryPage,
): Promise<MemoryView[]> {
  // PostgreSQL takes names that are compared for others, and would compose and sort them twice.
  const query = sql`
    select ${COLUMNS} from memory ${SUBJECT} ${selectMembers(reader)}
    where ${isListed(reader, search)} and shown.first_at is not null
    order by ${ORDERS[order]} limit ${limit ?? null}::bigint offset ${offset}::bigint`;
  // Planned for its limit: a prepared statement would read the assets of all memories and sort these.
  return limit === undefined
    ? queryPrepared(reader.db, MEMORY_VIEW_COLUMNS, query)
    : queryRows(reader.db, MEMORY_VIEW_COLUMNS, query);
}

/** Returns when the next of the account's memories is no longer upcoming; null if none is. */
export async function findNextShown({ db, session }: Reader, now: Date): Promise<string | null> {
  const { next } = getRow(
    await queryPrepared(
      db,
      { next: column.timestamptz.orNull },
      sql`select min(show_at) as next from memory
        where owner_id = ${session.userId}::uuid and show_at > ${now.toISOString()}::timestamptz`,
    ),
  );
  return next;
}

/** Counts the memories that listMemories lists. */
export async function countMemories(reader: Reader, search: MemorySearch): Promise<number> {
  const row = getRow(
    await queryPrepared(
      reader.db,
      { total: column.integer },
      sql`
    select count(*)::int as total from memory ${SUBJECT}
    where ${isListed(reader, search)} and exists (select ${selectShown(reader)})`,
    ),
  );
  return row.total;
}

/** Returns the caller's memories among `ids` that are not deleted, also those that are not listed. */
export const findMemories = (reader: Reader, ids: readonly string[]): Promise<MemoryView[]> =>
  queryPrepared(
    reader.db,
    MEMORY_VIEW_COLUMNS,
    sql`
    select ${COLUMNS} from memory ${SUBJECT} ${selectMembers(reader)}
    where memory.id = any(${uuids(ids)}) and memory.owner_id = ${reader.session.userId}::uuid
      and memory.deleted_at is null`,
  );

export async function insertMemory(
  db: Db,
  memory: typeof memories.$inferInsert,
  assetIds: readonly string[],
): Promise<string> {
  const [row] = await db.insert(memories).values(memory).returning({ id: memories.id });
  if (!row) throw new Error('insert returned no row');
  await addAssets(db, row.id, assetIds);
  return row.id;
}

/** Changes a memory of the account that is not deleted. Returns false if there is none. */
export async function updateMemory(
  db: Db,
  ownerId: string,
  id: string,
  change: Partial<typeof memories.$inferInsert>,
): Promise<boolean> {
  const rows = await db
    .update(memories)
    .set(change)
    .where(and(eq(memories.id, id), eq(memories.ownerId, ownerId), isNull(memories.deletedAt)))
    .returning({ id: memories.id });
  return rows.length > 0;
}

/** Locks a memory of the account that is not deleted. Returns false if there is none. */
export async function lockMemory(db: Db, ownerId: string, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: memories.id })
    .from(memories)
    .where(and(eq(memories.id, id), eq(memories.ownerId, ownerId), isNull(memories.deletedAt)))
    .for('no key update');
  return rows.length > 0;
}

/** Returns those of `ids` that the memory has, shown or not. */
export async function filterContained(
  db: Db,
  id: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .select({ id: memoryAssets.assetId })
    .from(memoryAssets)
    .where(and(eq(memoryAssets.memoryId, id), sql`${memoryAssets.assetId} = any(${uuids(ids)})`));
  return new Set(rows.map((row) => row.id));
}

/** Adds assets, which are shown in the order in which they were taken. */
export async function addAssets(db: Db, id: string, assetIds: readonly string[]): Promise<void> {
  if (assetIds.length === 0) return;
  await queryRows(
    db,
    sql`
    insert into memory_asset (memory_id, asset_id, position)
    select ${id}::uuid, asset_id, 0 from unnest(${uuids(assetIds)}) asset_id
    on conflict do nothing`,
  );
}

export async function removeAssets(db: Db, id: string, assetIds: readonly string[]): Promise<void> {
  await db
    .delete(memoryAssets)
    .where(
      and(eq(memoryAssets.memoryId, id), sql`${memoryAssets.assetId} = any(${uuids(assetIds)})`),
    );
}
