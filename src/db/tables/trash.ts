import { bigint, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

export const trashReviews = pgTable('trash_review', {
  tokenHash: bytea('token_hash').primaryKey(),
  userId: uuid('user_id').notNull(),
  action: text().notNull(),
  fingerprint: bytea().notNull(),
  expiresAt: instant('expires_at').notNull(),
  usedAt: instant('used_at'),
});

export const UTILITY_TOOLS = [
  'duplicates',
  'similar',
  'large-files',
  'screenshots',
  'documents',
  'videos',
] as const;

export const utilityActivities = pgTable('utility_activity', {
  id: uuid().primaryKey().defaultRandom(),
  userId: uuid('user_id').notNull(),
  tool: text({ enum: UTILITY_TOOLS }).notNull(),
  action: text({ enum: ['trashed', 'undone'] }).notNull(),
  assetCount: integer('asset_count').notNull(),
  bytes: bigint({ mode: 'number' }).notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
});

export const utilityActivityAssets = pgTable(
  'utility_activity_asset',
  {
    activityId: uuid('activity_id').notNull(),
    assetId: uuid('asset_id').notNull(),
    position: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.activityId, table.assetId] })],
);

export const trashOperations = pgTable('trash_operation', {
  id: uuid().primaryKey().defaultRandom(),
  userId: uuid('user_id').notNull(),
  action: text({ enum: ['trash', 'restore', 'delete'] }).notNull(),
  createdAt: instant('created_at').notNull(),
});
export type TrashOperationRow = typeof trashOperations.$inferSelect;

export const ARCHIVE_STATUSES = [
  'prepared',
  'expired',
  'queued',
  'running',
  'completed',
  'failed',
  'stopping',
  'undoing',
  'undone',
] as const;

export const archiveOperations = pgTable('archive_operation', {
  id: uuid().primaryKey().defaultRandom(),
  userId: uuid('user_id').notNull(),
  requestId: uuid('request_id'),
  source: text({ enum: ['timeline', 'selection'] }).notNull(),
  status: text({ enum: ARCHIVE_STATUSES }).notNull(),
  revision: integer().notNull().default(1),
  total: integer().notNull(),
  archived: integer().notNull().default(0),
  skipped: integer().notNull().default(0),
  restored: integer().notNull().default(0),
  kept: integer().notNull().default(0),
  error: text(),
  createdAt: instant('created_at').notNull().defaultNow(),
  confirmedAt: instant('confirmed_at'),
  startedAt: instant('started_at'),
  finishedAt: instant('finished_at'),
  undoRequestedAt: instant('undo_requested_at'),
  undoneAt: instant('undone_at'),
  expiresAt: instant('expires_at'),
});
export type ArchiveOperationRow = typeof archiveOperations.$inferSelect;
