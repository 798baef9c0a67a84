import { bigint, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

const PLAN_STATUSES = [
  'queued',
  'running',
  'failed',
  'previewed',
  'reviewed',
  'superseded',
  'applying',
  'applied',
] as const;
export const DECISIONS = ['undecided', 'approve', 'reject'] as const;
export const APPLY_STATUSES = ['queued', 'running', 'completed', 'failed'] as const;
/** Ways to treat the file of a copy. */
export const FORMER_FILES = ['leave', 'quarantine', 'share-blocks'] as const;
export type FormerFiles = (typeof FORMER_FILES)[number];

export const deduplicationPlans = pgTable('deduplication_plan', {
  id: uuid().primaryKey().defaultRandom(),
  status: text({ enum: PLAN_STATUSES }).notNull().default('queued'),
  retainUserId: uuid('retain_user_id'),
  reviewUserId: uuid('review_user_id'),
  fingerprint: bytea(),
  reclaimableBytes: bigint('reclaimable_bytes', { mode: 'number' }).notNull().default(0),
  sharedBytes: bigint('shared_bytes', { mode: 'number' }).notNull().default(0),
  error: text(),
  createdAt: instant('created_at').notNull().defaultNow(),
  reviewedAt: instant('reviewed_at'),
});
export type PlanRow = typeof deduplicationPlans.$inferSelect;

export const deduplicationCopies = pgTable('deduplication_copy', {
  id: uuid().primaryKey().defaultRandom(),
  planId: uuid('plan_id').notNull(),
  groupId: uuid('group_id').notNull(),
  fileId: bigint('file_id', { mode: 'number' }),
  assetId: uuid('asset_id').notNull(),
  ownerId: uuid('owner_id').notNull(),
  path: text(),
  size: bigint({ mode: 'number' }).notNull(),
  sha256: bytea().notNull(),
  sha1: bytea().notNull(),
  referenceCount: integer('reference_count').notNull(),
  decision: text({ enum: DECISIONS }).notNull().default('undecided'),
  state: text({ enum: ['applied', 'failed', 'restored'] }),
  formerFile: text('former_file', { enum: FORMER_FILES }),
  quarantinedAt: instant('quarantined_at'),
  purgedAt: instant('purged_at'),
  problem: text(),
});
export type CopyRow = typeof deduplicationCopies.$inferSelect;

export const deduplicationApplies = pgTable('deduplication_apply', {
  id: uuid().primaryKey().defaultRandom(),
  planId: uuid('plan_id').notNull(),
  status: text({ enum: APPLY_STATUSES }).notNull().default('queued'),
  masterUserId: uuid('master_user_id').notNull(),
  formerFiles: text('former_files', { enum: FORMER_FILES }).notNull(),
  total: integer().notNull(),
  processed: integer().notNull().default(0),
  failed: integer().notNull().default(0),
  reclaimedBytes: bigint('reclaimed_bytes', { mode: 'number' }).notNull().default(0),
  startedAt: instant('started_at').notNull(),
  finishedAt: instant('finished_at'),
});
export type ApplyRow = typeof deduplicationApplies.$inferSelect;
