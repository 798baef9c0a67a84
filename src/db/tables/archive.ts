import { boolean, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

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

export const archiveOperationBatches = pgTable(
  'archive_operation_batch',
  {
    operationId: uuid('operation_id').notNull(),
    position: integer().notNull(),
    assetIds: uuid('asset_ids').array().notNull(),
    archivedIds: uuid('archived_ids').array(),
    revisions: integer().array(),
    isUndone: boolean('is_undone').notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.operationId, table.position] })],
);
