import { hostname } from 'node:os';
import { and, count, eq, inArray, lt, ne, or, sql } from 'drizzle-orm';
import type { Db } from '../../../db/client.ts';
import { queryRows } from '../../../db/query.ts';
import {
  type StreamCloseReason,
  type StudioStreamRow,
  studioStreams,
} from '../../../db/tables/studio.ts';
import { NODE_ID } from '../../../jobs/node-id.ts';

type StreamState = StudioStreamRow['state'];

const isOpen = ne(studioStreams.state, 'closed');

/** Only one stream is opened at a time, until the transaction ends: the limits hold. */
export const lockOpening = (db: Db) =>
  queryRows(db, sql`select pg_advisory_xact_lock(hashtext('studio_stream'))`);

export async function insertStream(
  db: Db,
  values: typeof studioStreams.$inferInsert,
): Promise<StudioStreamRow> {
  const [row] = await db.insert(studioStreams).values(values).returning();
  if (!row) throw new Error('insert returned no row');
  return row;
}

const isOwn = eq(studioStreams.nodeId, NODE_ID);
/** Its node is not known to be gone. */
const isSent = or(
  isOwn,
  sql`exists (
  select from node where node.id = ${studioStreams.nodeId} and node.state <> 'gone')`,
);

/** Returns the open streams of an account. */
export const listOpen = (db: Db, accountId: string): Promise<StudioStreamRow[]> =>
  db
    .select()
    .from(studioStreams)
    .where(and(isOpen, isSent, eq(studioStreams.accountId, accountId)));

/** Returns the number of open streams that this node sends. */
export async function countOpen(db: Db): Promise<number> {
  const [row] = await db.select({ total: count() }).from(studioStreams).where(and(isOpen, isOwn));
  return row?.total ?? 0;
}

export async function findStream(db: Db, id: string): Promise<StudioStreamRow | undefined> {
  const [row] = await db.select().from(studioStreams).where(eq(studioStreams.id, id));
  return row;
}

export type StreamChange = Partial<Pick<StudioStreamRow, 'state' | 'negotiation' | 'offer'>>;

/** Changes a stream that is in one of the states, and in this negotiation. Returns undefined for any other. */
export async function changeStream(
  db: Db,
  id: string,
  from: { readonly states: readonly StreamState[]; readonly negotiation: number },
  change: StreamChange,
): Promise<StudioStreamRow | undefined> {
  const { states, negotiation } = from;
  const [row] = await db
    .update(studioStreams)
    .set(change)
    .where(
      and(
        eq(studioStreams.id, id),
        inArray(studioStreams.state, [...states]),
        eq(studioStreams.negotiation, negotiation),
      ),
    )
    .returning();
  return row;
}

/** Extends the lease of the client. */
export async function touchStream(db: Db, id: string, now: Date): Promise<void> {
  await db
    .update(studioStreams)
    .set({ polledAt: now })
    .where(and(eq(studioStreams.id, id), isOpen));
}

const toClosed = (closeReason: StreamCloseReason, closedAt: Date) =>
  ({ state: 'closed', offer: null, closeReason, closedAt }) as const;

/** Closes those of the streams that are open. The first reason stays. */
export async function closeStreams(
  db: Db,
  closeReason: StreamCloseReason,
  closedAt: Date,
  ids: readonly string[],
): Promise<void> {
  await db
    .update(studioStreams)
    .set(toClosed(closeReason, closedAt))
    .where(and(isOpen, inArray(studioStreams.id, [...ids])));
}

/**
 * Closes the open streams of nodes that are gone, and of those that listened at `address` before this one. Undefined: this
 * is the only server.
 */
export async function closeLost(
  db: Db,
  address: string | undefined,
  closedAt: Date,
): Promise<void> {
  const isFormer = sql`exists (select from node
    where node.id = ${studioStreams.nodeId} and node.host = ${hostname()} and node.address = ${address ?? null})`;
  await db
    .update(studioStreams)
    .set(toClosed('worker-lost', closedAt))
    .where(
      and(
        isOpen,
        sql`${studioStreams.nodeId} is distinct from ${NODE_ID}::uuid`,
        address === undefined ? undefined : or(sql`(${isSent}) is not true`, isFormer),
      ),
    );
}

/** Returns those of the streams that are open. */
export async function listOpenIds(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db
    .select({ id: studioStreams.id })
    .from(studioStreams)
    .where(and(isOpen, inArray(studioStreams.id, [...ids])));
  return rows.map(({ id }) => id);
}

/** Deletes streams that were closed before. */
export async function deleteClosed(db: Db, before: Date): Promise<void> {
  await db.delete(studioStreams).where(lt(studioStreams.closedAt, before));
}

/** Whether session and API key that opened a stream would still be allowed to. */
export async function hasCredentials(
  db: Db,
  { sessionId, apiKeyId }: Pick<StudioStreamRow, 'sessionId' | 'apiKeyId'>,
  now: Date,
): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    select where (${sessionId}::uuid is null or exists (
        select from session where id = ${sessionId}::uuid
          and (expires_at is null or expires_at > ${now.toISOString()}::timestamptz)))
      and (${apiKeyId}::uuid is null or exists (
        select from api_key where id = ${apiKeyId}::uuid and 'all' = any(permissions)))`,
  );
  return rows.length > 0;
}
