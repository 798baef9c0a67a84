import { and, count, desc, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import {
  type BackupDeviceRow,
  backupDevices,
  type ReconciliationRow,
  reconciliations,
} from '../../db/tables/backup.ts';
import { getRow } from '../../db/query.ts';

export type Page = { readonly limit: number; readonly offset: number };

const isListed = (userId: string) =>
  and(eq(backupDevices.userId, userId), isNull(backupDevices.removedAt));

/** Returns the devices, most recently reported first. */
export const listDevices = async (db: Db, userId: string, { limit, offset }: Page) =>
  db
    .select()
    .from(backupDevices)
    .where(isListed(userId))
    .orderBy(desc(backupDevices.reportedAt), desc(backupDevices.id))
    .limit(limit)
    .offset(offset);

export const countDevices = async (db: Db, userId: string): Promise<number> =>
  db.$count(backupDevices, isListed(userId));

/** Returns the device, also a removed one. */
export async function findDevice(
  db: Db,
  userId: string,
  id: string,
): Promise<BackupDeviceRow | undefined> {
  const [row] = await db
    .select()
    .from(backupDevices)
    .where(and(eq(backupDevices.userId, userId), eq(backupDevices.id, id)));
  return row;
}

type NewDevice = typeof backupDevices.$inferInsert;
export type Report = Pick<NewDevice, 'userId' | 'deviceKey' | 'name'> & Partial<NewDevice>;

/** Creates the device, updates the reported fields, or restores a removed one. */
export async function saveReport(db: Db, report: Report, at: Date): Promise<BackupDeviceRow> {
  const { userId: _, deviceKey: __, lastSuccessAt, ...fields } = report;
  const row = getRow(
    await db
      .insert(backupDevices)
      .values({ ...report, reportedAt: at, createdAt: at, updatedAt: at })
      .onConflictDoUpdate({
        target: [backupDevices.userId, backupDevices.deviceKey],
        set: {
          ...fields,
          // Reports may arrive in any order.
          ...(lastSuccessAt && {
            lastSuccessAt: sql`greatest(${backupDevices.lastSuccessAt}, excluded.last_success_at)`,
          }),
          reportedAt: at,
          updatedAt: at,
          removedAt: null,
        },
      })
      .returning(),
  );
  return row;
}

/** Returns false when no such device is listed. */
export async function removeDevice(db: Db, userId: string, id: string, at: Date): Promise<boolean> {
  const rows = await db
    .update(backupDevices)
    .set({ removedAt: at, updatedAt: at })
    .where(and(isListed(userId), eq(backupDevices.id, id)))
    .returning({ id: backupDevices.id });
  return rows.length > 0;
}

/** Returns the latest run of each device. */
export async function lastRuns(
  db: Db,
  deviceIds: readonly string[],
): Promise<Map<string, ReconciliationRow>> {
  if (deviceIds.length === 0) return new Map();
  const rows = await db
    .selectDistinctOn([reconciliations.deviceId])
    .from(reconciliations)
    .where(inArray(reconciliations.deviceId, [...deviceIds]))
    .orderBy(reconciliations.deviceId, desc(reconciliations.startedAt), desc(reconciliations.id));
  return new Map(rows.map((row) => [row.deviceId, row]));
}

export async function listRuns(db: Db, deviceId: string, { limit, offset }: Page) {
  return db
    .select()
    .from(reconciliations)
    .where(eq(reconciliations.deviceId, deviceId))
    .orderBy(desc(reconciliations.startedAt), desc(reconciliations.id))
    .limit(limit)
    .offset(offset);
}

export async function countRuns(db: Db, deviceId: string): Promise<number> {
  const [row] = await db
    .select({ runs: count() })
    .from(reconciliations)
    .where(eq(reconciliations.deviceId, deviceId));
  return row?.runs ?? 0;
}
