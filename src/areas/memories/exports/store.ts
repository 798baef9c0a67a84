import { and, desc, eq, inArray, isNotNull, lte, not, sql } from 'drizzle-orm';
import { seesSources } from '../../../access/composites.ts';
import { ownAssets } from '../../../access/scope.ts';
import type { UserSession } from '../../../access/session.ts';
import { uuids } from '../../../db/arrays.ts';
import type { Db } from '../../../db/client.ts';
import { column } from '../../../db/columns.ts';
import { queryRows } from '../../../db/query.ts';
import { hasJob } from '../../../jobs/queue.ts';
import { memoryExports, type MemoryExportRow } from '../../../db/tables/memories.ts';

export type { MemoryExportRow };

const ACTIVE = ['queued', 'running', 'cancelling'] as const;

/** Newest first. */
export const listExports = (
  db: Db,
  ownerId: string,
  memoryId: string | undefined,
): Promise<MemoryExportRow[]> =>
  db
    .select()
    .from(memoryExports)
    .where(
      and(
        eq(memoryExports.ownerId, ownerId),
        memoryId === undefined ? undefined : eq(memoryExports.memoryId, memoryId),
      ),
    )
    .orderBy(desc(memoryExports.createdAt), desc(memoryExports.id));

/** Returns a run of the account; undefined for unknown and foreign ones. */
export async function findExport(
  db: Db,
  ownerId: string,
  id: string,
): Promise<MemoryExportRow | undefined> {
  const [row] = await db
    .select()
    .from(memoryExports)
    .where(and(eq(memoryExports.id, id), eq(memoryExports.ownerId, ownerId)));
  return row;
}

/** Locks a run of the account until the transaction ends. */
export async function lockExport(
  db: Db,
  ownerId: string,
  id: string,
): Promise<MemoryExportRow | undefined> {
  const [row] = await db
    .select()
    .from(memoryExports)
    .where(and(eq(memoryExports.id, id), eq(memoryExports.ownerId, ownerId)))
    .for('update');
  return row;
}

/** Returns the run of this kind that is not over. */
export async function findActive(
  db: Db,
  memoryId: string,
  kind: MemoryExportRow['kind'],
): Promise<MemoryExportRow | undefined> {
  const [row] = await db
    .select()
    .from(memoryExports)
    .where(
      and(
        eq(memoryExports.memoryId, memoryId),
        eq(memoryExports.kind, kind),
        inArray(memoryExports.status, [...ACTIVE]),
      ),
    );
  return row;
}

export async function insertExport(
  db: Db,
  values: typeof memoryExports.$inferInsert,
): Promise<MemoryExportRow> {
  const [row] = await db.insert(memoryExports).values(values).returning();
  if (!row) throw new Error('insert returned no row');
  return row;
}

export type ExportChange = Partial<Omit<MemoryExportRow, 'id' | 'ownerId' | 'memoryId' | 'kind'>>;

/** Changes a run that is in one of the states. Returns undefined for any other. */
export async function changeExport(
  db: Db,
  id: string,
  from: readonly MemoryExportRow['status'][],
  change: ExportChange,
): Promise<MemoryExportRow | undefined> {
  const [row] = await db
    .update(memoryExports)
    .set(change)
    .where(and(eq(memoryExports.id, id), inArray(memoryExports.status, [...from])))
    .returning();
  return row;
}

export async function isRunning(db: Db, id: string): Promise<boolean> {
  return (await findStatuses(db, [id])).get(id) === 'running';
}

export async function deleteExport(db: Db, id: string): Promise<void> {
  await db.delete(memoryExports).where(eq(memoryExports.id, id));
}

/** Marks runs whose time is over as expired, of one account or of all. Returns their ids. */
export async function expireExports(db: Db, now: Date, ownerId?: string): Promise<string[]> {
  const rows = await db
    .update(memoryExports)
    .set({ status: 'expired' })
    .where(
      and(
        eq(memoryExports.status, 'completed'),
        isNotNull(memoryExports.expiresAt),
        lte(memoryExports.expiresAt, now),
        ownerId === undefined ? undefined : eq(memoryExports.ownerId, ownerId),
      ),
    )
    .returning({ id: memoryExports.id });
  return rows.map(({ id }) => id);
}

/**
 * Returns the completed runs of an account, or that one, of which the session may not see all assets, though it could
 * when they were made.
 */
export async function listUnseen(db: Db, session: UserSession, id?: string): Promise<string[]> {
  const rows = await db
    .select({ id: memoryExports.id })
    .from(memoryExports)
    .where(
      and(
        eq(memoryExports.ownerId, session.userId),
        eq(memoryExports.status, 'completed'),
        id === undefined ? undefined : eq(memoryExports.id, id),
        not(seesSources(db, session, 'memory_export')),
      ),
    );
  return rows.map((row) => row.id);
}

/** Whether the session may see all assets that a run is made of. */
export async function isSeen(db: Db, session: UserSession, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: memoryExports.id })
    .from(memoryExports)
    .where(and(eq(memoryExports.id, id), seesSources(db, session, 'memory_export')));
  return rows.length > 0;
}

/** Returns the accounts that have completed runs. */
export async function listOwnersOfCompleted(db: Db): Promise<string[]> {
  const rows = await db
    .selectDistinct({ ownerId: memoryExports.ownerId })
    .from(memoryExports)
    .where(eq(memoryExports.status, 'completed'));
  return rows.map(({ ownerId }) => ownerId);
}

/** Deletes the sources of runs that are over. */
export async function forgetSources(db: Db): Promise<void> {
  await queryRows(
    db,
    sql`
    with over as (
      update memory_export set source_count = null
      where status in ('failed', 'cancelled', 'expired') and source_count is not null returning id
    )
    delete from composite_source where composite_id in (select id from over)`,
  );
}

/** Returns the states of those runs that exist, by id. */
export async function findStatuses(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, MemoryExportRow['status']>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: memoryExports.id, status: memoryExports.status })
    .from(memoryExports)
    .where(sql`${memoryExports.id} = any(${uuids(ids)})`);
  return new Map(rows.map(({ id, status }) => [id, status]));
}

/** Locks the active runs whose job is neither waiting nor running: it was deleted, or failed for good. */
export const lockAbandoned = (db: Db): Promise<{ id: string }[]> =>
  queryRows(
    db,
    { id: column.uuid },
    sql`
    select id from memory_export
    where status in ('queued', 'running', 'cancelling')
      and not ${hasJob('memories.exportArchive', sql`memory_export.id::text`)}
      and not ${hasJob('memories.exportFilm', sql`memory_export.id::text`)}
    for update skip locked`,
  );

export type ExportableAsset = {
  readonly id: string;
  /** Bytes of the original. */
  readonly size: number;
  /** The video half of a live photo. */
  readonly liveVideoId: string | null;
};

/** Returns those of `ids` that may be exported: the caller's own on the Timeline, never Locked ones. */
export async function findExportable(
  db: Db,
  session: UserSession,
  ids: readonly string[],
): Promise<ExportableAsset[]> {
  const asset = ownAssets(db, { ...session, unlocked: false }, 'timeline');
  return db
    .select({ id: asset.id, size: asset.fileSize, liveVideoId: asset.liveVideoId })
    .from(asset)
    .where(sql`${asset.id} = any(${uuids(ids)})`);
}
