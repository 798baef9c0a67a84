import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import type { BackupDeviceRow, ReconciliationRow } from '../../db/tables/backup.ts';
import * as store from './devices.store.ts';
import { createDeviceNotFoundError, requireUnfiltered } from './errors.ts';
import type {
  BackupDevice,
  BackupDeviceList,
  DeviceReport,
  PageQuery,
  ReconciliationHistory,
} from './schemas.ts';

export async function listDevices(ctx: Ctx, page: PageQuery): Promise<BackupDeviceList> {
  const { userId } = requireUser(ctx.session);
  const { limit = 100, offset = 0 } = page;
  const rows = await store.listDevices(ctx.db, userId, { limit, offset });
  const runs = await store.lastRuns(
    ctx.db,
    rows.map((row) => row.id),
  );
  return {
    items: rows.map((row) => toDevice(row, runs.get(row.id))),
    total: await store.countDevices(ctx.db, userId),
    limit,
    offset,
  };
}

/** Creates or updates a device from its own report; omitted fields keep their values. */
export async function reportDevice(ctx: Ctx, report: DeviceReport): Promise<BackupDevice> {
  const { lastSuccessAt, ...fields } = report;
  const { userId } = requireUser(ctx.session);
  const given = { ...fields, ...(lastSuccessAt && { lastSuccessAt: new Date(lastSuccessAt) }) };
  const row = await keepLimit(ctx, 'backupDevice', { ownerId: userId }, ({ db }) =>
    store.saveReport(db, { ...given, userId }, ctx.now()),
  );
  const runs = await store.lastRuns(ctx.db, [row.id]);
  return toDevice(row, runs.get(row.id));
}

export async function removeDevice(ctx: Ctx, id: string): Promise<void> {
  const { userId } = requireUser(ctx.session);
  if (!(await store.removeDevice(ctx.db, userId, id, ctx.now()))) throw createDeviceNotFoundError();
}

/** Returns the runs of a device, also of a removed one. */
export async function listRuns(
  ctx: Ctx,
  id: string,
  page: PageQuery,
): Promise<ReconciliationHistory> {
  await requireUnfiltered(ctx);
  const { limit = 100, offset = 0 } = page;
  const device = await store.findDevice(ctx.db, requireUser(ctx.session).userId, id);
  if (!device) throw createDeviceNotFoundError();
  const rows = await store.listRuns(ctx.db, id, { limit, offset });
  return {
    items: rows.map((row) => ({
      runId: row.id,
      deviceId: row.deviceId,
      status: row.status,
      checkedAt: row.checkedAt.toISOString(),
      deviceCount: row.deviceCount,
      differingBucketCount: row.differingBuckets,
      validatedBucketCount: row.validatedBuckets,
      matchedCount: row.matchedCount,
      missingCount: row.missingCount,
      startedAt: row.startedAt.toISOString(),
      completedAt: row.completedAt?.toISOString() ?? null,
    })),
    total: await store.countRuns(ctx.db, id),
    limit,
    offset,
  };
}

const toDevice = (row: BackupDeviceRow, run: ReconciliationRow | undefined): BackupDevice => ({
  id: row.id,
  deviceKey: row.deviceKey,
  name: row.name,
  platform: row.platform,
  appVersion: row.appVersion,
  lastSuccessAt: row.lastSuccessAt?.toISOString() ?? null,
  pendingCount: row.pendingCount,
  reportedAt: row.reportedAt.toISOString(),
  isVerified: false,
  lastReconciliation: run
    ? {
        runId: run.id,
        status: run.status,
        checkedAt: run.checkedAt.toISOString(),
        missingCount: run.status === 'completed' ? run.missingCount : null,
        completedAt: run.completedAt?.toISOString() ?? null,
      }
    : null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
