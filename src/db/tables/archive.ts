import { integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
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
