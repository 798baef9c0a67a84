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

export const trashOperations = pgTable('trash_operation', {
  id: uuid().primaryKey().defaultRandom(),
  userId: uuid('user_id').notNull(),
  action: text({ enum: ['trash', 'restore', 'delete'] }).notNull(),
  createdAt: instant('created_at').notNull(),
});
export type TrashOperationRow = typeof trashOperations.$inferSelect;

export const trashOperationBatches = pgTable(
  'trash_operation_batch',
  {
    operationId: uuid('operation_id').notNull(),
    position: integer().notNull(),
    assetIds: uuid('asset_ids').array().notNull(),
    revisions: integer().array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.operationId, table.position] })],
);

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

export const removedFiles = pgTable('removed_file', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  ownerId: uuid('owner_id').notNull(),
  items: integer().notNull(),
  hashes: bytea().array().notNull(),
  names: text().array().notNull(),
  attempts: integer().notNull().default(0),
  retryAt: instant('retry_at').notNull().defaultNow(),
  createdAt: instant('created_at').notNull().defaultNow(),
});
