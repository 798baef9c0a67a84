import { and, eq, inArray, isNotNull, ne, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { syncCheckpoints } from '../../db/tables/sync.ts';
import { sessions } from '../../db/tables/identity.ts';
import type { EntityType } from './types.ts';
import { queryRows } from '../../db/query.ts';

export type Checkpoint = {
  readonly type: EntityType;
  readonly ack: string | null;
  readonly locked: 'none' | 'some' | 'all';
  readonly updatedAt: Date;
};

export async function listCheckpoints(db: Db, sessionId: string): Promise<Checkpoint[]> {
  const rows = await db
    .select({
      type: syncCheckpoints.entityType,
      ack: syncCheckpoints.ack,
      locked: syncCheckpoints.locked,
      updatedAt: syncCheckpoints.updatedAt,
    })
    .from(syncCheckpoints)
    .where(eq(syncCheckpoints.sessionId, sessionId));
  return rows as Checkpoint[];
}

export type NewCheckpoint = {
  readonly type: EntityType;
  readonly ack: string;
  /** Undefined: unchanged. */
  readonly locked?: 'none' | 'all' | undefined;
};

/** Inserts or replaces the checkpoints, at most one per type. */
export async function saveCheckpoints(
  db: Db,
  sessionId: string,
  rows: readonly NewCheckpoint[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows
    .map(({ type, ack, locked }) => ({ type, ack, locked: locked ?? null }))
    .toSorted((a, b) => (a.type < b.type ? -1 : 1));
  await queryRows(
    db,
    sql`
    insert into sync_checkpoint as old (session_id, entity_type, ack, locked, updated_at)
    select ${sessionId}, type, ack, coalesce(locked, 'none'), ${now.toISOString()}
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) given (type text, ack text, locked text)
    on conflict (session_id, entity_type) do update
    set ack = excluded.ack, updated_at = excluded.updated_at,
      locked = coalesce((select given.locked
        from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) given (type text, locked text)
        where given.type = old.entity_type), old.locked)`,
  );
}

/**
 * Records that a copy which held none of the Locked content, or all, may hold some from now on, even if the stream breaks
 * off. A copy without a checkpoint holds none. `types` is not empty.
 */
export async function markHoldsSomeLocked(
  db: Db,
  sessionId: string,
  types: readonly EntityType[],
  before: 'none' | 'all',
): Promise<void> {
  await db
    .insert(syncCheckpoints)
    .values(types.map((entityType) => ({ sessionId, entityType, locked: 'some' as const })))
    .onConflictDoUpdate({
      target: [syncCheckpoints.sessionId, syncCheckpoints.entityType],
      set: { locked: 'some' },
      setWhere: eq(syncCheckpoints.locked, before),
    });
}

/** Deletes the acks, but keeps whether the copy may hold Locked content. */
export async function deleteAcks(db: Db, sessionId: string, types?: readonly EntityType[]) {
  const wanted = and(
    eq(syncCheckpoints.sessionId, sessionId),
    types && inArray(syncCheckpoints.entityType, [...types]),
  );
  await db.delete(syncCheckpoints).where(and(wanted, eq(syncCheckpoints.locked, 'none')));
  await db
    .update(syncCheckpoints)
    .set({ ack: null })
    .where(and(wanted, ne(syncCheckpoints.locked, 'none'), isNotNull(syncCheckpoints.ack)));
}

/** Deletes all checkpoints, for a client that has emptied its copy. */
export async function resetCheckpoints(db: Db, sessionId: string): Promise<void> {
  await db.delete(syncCheckpoints).where(eq(syncCheckpoints.sessionId, sessionId));
  await db.update(sessions).set({ pendingSyncReset: false }).where(eq(sessions.id, sessionId));
}
