import { bigint, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

const OPERATION_STATES = [
  'prepared',
  'queued',
  'running',
  'cancelling',
  'undoing',
  'completed',
  'failed',
  'cancelled',
  'undone',
  'expired',
] as const;
export type OperationState = (typeof OPERATION_STATES)[number];

export const operations = pgTable('operation', {
  id: uuid().primaryKey().defaultRandom(),
  kind: text().notNull(),
  accountId: uuid('account_id').notNull(),
  requestId: uuid('request_id'),
  state: text({ enum: OPERATION_STATES }).notNull(),
  revision: integer().notNull().default(1),
  payload: jsonb().notNull(),
  progress: jsonb().notNull(),
  total: integer().notNull().default(0),
  error: text(),
  createdAt: instant('created_at').notNull(),
  startedAt: instant('started_at'),
  finishedAt: instant('finished_at'),
  expiresAt: instant('expires_at'),
});
export type OperationRow = typeof operations.$inferSelect;

export const FILE_DESTINATIONS = ['library', 'download'] as const;

export const operationFiles = pgTable('operation_file', {
  id: uuid().primaryKey(),
  memoryId: uuid('memory_id'),
  projectId: uuid('project_id'),
  destination: text({ enum: FILE_DESTINATIONS }).notNull(),
  plannedBytes: bigint('planned_bytes', { mode: 'number' }).notNull(),
  size: bigint({ mode: 'number' }),
  name: text(),
  assetId: uuid('asset_id'),
  sourceCount: integer('source_count'),
  objectKey: text('object_key'),
});
export type OperationFileRow = typeof operationFiles.$inferSelect;
