import { and, asc, desc, eq, inArray } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { type DatabaseErrorKind, isDatabaseError } from '../../db/errors.ts';
import {
  reconciliationBuckets,
  type ReconciliationRow,
  reconciliations,
} from '../../db/tables/backup.ts';
import { getRow } from '../../db/query.ts';

/** Returns whether a concurrent request caused the error: the client may retry. */
export const isCollision = (error: unknown): boolean =>
  COLLISIONS.some((kind) => isDatabaseError(error, kind));
const COLLISIONS: readonly DatabaseErrorKind[] = [
  'serializationFailure',
  'deadlock',
  'lockNotAvailable',
  'uniqueViolation', // two runs of one device
];

export type Bucket = typeof reconciliationBuckets.$inferSelect;
export type NewBucket = Omit<Bucket, 'runId' | 'missing'>;

/** Runs of a device in its history. */
const MAX_RUNS = 1000;

/** Ends unfinished runs of the device, and deletes the buckets of older runs and the oldest runs. */
export async function endEarlierRuns(db: Db, deviceId: string): Promise<void> {
  await db
    .update(reconciliations)
    .set({ status: 'invalidated' })
    .where(and(eq(reconciliations.deviceId, deviceId), eq(reconciliations.status, 'started')));
  const earlier = db
    .select({ id: reconciliations.id })
    .from(reconciliations)
    .where(eq(reconciliations.deviceId, deviceId));
  await db.delete(reconciliationBuckets).where(inArray(reconciliationBuckets.runId, earlier));
  const oldest = earlier
    .orderBy(desc(reconciliations.startedAt), desc(reconciliations.id))
    .offset(MAX_RUNS - 1);
  await db.delete(reconciliations).where(inArray(reconciliations.id, oldest));
}

export async function insertRun(
  db: Db,
  run: typeof reconciliations.$inferInsert,
  buckets: readonly NewBucket[],
): Promise<ReconciliationRow> {
  const row = getRow(await db.insert(reconciliations).values(run).returning());
  await db
    .insert(reconciliationBuckets)
    .values(buckets.map((bucket) => ({ ...bucket, runId: run.id })));
  return row;
}

/** Returns the run, locked until the commit. Throws when another request has locked it. */
export async function lockRun(
  db: Db,
  { userId, deviceId, runId }: { userId: string; deviceId: string; runId: string },
): Promise<ReconciliationRow | undefined> {
  const [row] = await db
    .select()
    .from(reconciliations)
    .where(
      and(
        eq(reconciliations.id, runId),
        eq(reconciliations.deviceId, deviceId),
        eq(reconciliations.userId, userId),
      ),
    )
    .for('update', { noWait: true });
  return row;
}

export const listBuckets = async (db: Db, runId: string): Promise<Bucket[]> =>
  db
    .select()
    .from(reconciliationBuckets)
    .where(eq(reconciliationBuckets.runId, runId))
    .orderBy(asc(reconciliationBuckets.bucket));

export async function saveMissing(
  db: Db,
  runId: string,
  bucket: number,
  missing: Uint8Array,
): Promise<void> {
  await db
    .update(reconciliationBuckets)
    .set({ missing })
    .where(and(eq(reconciliationBuckets.runId, runId), eq(reconciliationBuckets.bucket, bucket)));
}

export async function updateRun(
  db: Db,
  runId: string,
  change: Partial<ReconciliationRow>,
): Promise<ReconciliationRow> {
  const row = getRow(
    await db.update(reconciliations).set(change).where(eq(reconciliations.id, runId)).returning(),
  );
  return row;
}
