import { bigint, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const REPORT_TYPES = ['untracked_file', 'missing_file', 'checksum_mismatch'] as const;
export type ReportType = (typeof REPORT_TYPES)[number];

export const integrityReports = pgTable('integrity_report', {
  id: uuid().primaryKey(),
  type: text({ enum: REPORT_TYPES }).notNull(),
  path: text().notNull(),
  copyPath: text('copy_path'),
  scanId: uuid('scan_id').notNull(),
  createdAt: instant('created_at').notNull(),
});

export const integrityChecks = pgTable('integrity_check', {
  type: text({ enum: REPORT_TYPES }).primaryKey(),
  scanId: uuid('scan_id'),
  startedAt: instant('started_at'),
  cursor: text(),
  checked: bigint({ mode: 'number' }).notNull().default(0),
  unreadable: integer().notNull().default(0),
  candidates: text().array().notNull().default([]),
  completedAt: instant('completed_at'),
});
