import { boolean, integer, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

export const BACKUP_PLATFORMS = ['ios', 'android', 'desktop', 'web', 'other'] as const;

export const backupDevices = pgTable('backup_device', {
  id: uuid().primaryKey().defaultRandom(),
  userId: uuid('user_id').notNull(),
  deviceKey: text('device_key').notNull(),
  name: text().notNull(),
  platform: text({ enum: BACKUP_PLATFORMS }).notNull().default('other'),
  appVersion: text('app_version'),
  lastSuccessAt: instant('last_success_at'),
  pendingCount: integer('pending_count'),
  reportedAt: instant('reported_at').notNull().defaultNow(),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
  removedAt: instant('removed_at'),
});
export type BackupDeviceRow = typeof backupDevices.$inferSelect;

export const RECONCILIATION_STATUSES = ['started', 'completed', 'invalidated'] as const;

export const reconciliations = pgTable('reconciliation', {
  id: uuid().primaryKey(),
  deviceId: uuid('device_id').notNull(),
  userId: uuid('user_id').notNull(),
  status: text({ enum: RECONCILIATION_STATUSES }).notNull(),
  fingerprint: text().notNull(),
  deviceCount: integer('device_count').notNull(),
  differingBuckets: integer('differing_buckets').notNull(),
  validatedBuckets: integer('validated_buckets').notNull().default(0),
  matchedCount: integer('matched_count').notNull(),
  missingCount: integer('missing_count').notNull().default(0),
  checkedAt: instant('checked_at').notNull(),
  startedAt: instant('started_at').notNull(),
  completedAt: instant('completed_at'),
});
export type ReconciliationRow = typeof reconciliations.$inferSelect;

export const reconciliationBuckets = pgTable(
  'reconciliation_bucket',
  {
    runId: uuid('run_id').notNull(),
    bucket: smallint().notNull(),
    hashCount: integer('hash_count').notNull(),
    digest: bytea().notNull(),
    isDiffering: boolean('is_differing').notNull(),
    missing: bytea(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.bucket] })],
);

export const inventoryDigests = pgTable('inventory_digest', {
  ownerId: uuid('owner_id').primaryKey(),
  fingerprint: text().notNull(),
  digests: bytea().notNull(),
});
