import { bigint, boolean, integer, numeric, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

export const libraries = pgTable('library', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  name: text().notNull(),
  importPaths: text('import_paths').array().notNull(),
  exclusionPatterns: text('exclusion_patterns').array().notNull(),
  refreshedAt: instant('refreshed_at'),
  scanError: text('scan_error'),
  scanNote: text('scan_note'),
  mounts: text().array().notNull().default([]),
  unconfirmedFiles: integer('unconfirmed_files').notNull().default(0),
  watchMode: text('watch_mode', { enum: ['off', 'events', 'polling'] })
    .notNull()
    .default('off'),
  watchReason: text('watch_reason'),
  deletedAt: instant('deleted_at'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
export type LibraryRow = typeof libraries.$inferSelect;

export const libraryFiles = pgTable('library_file', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  libraryId: uuid('library_id').notNull(),
  path: text().notNull(),
  isSidecar: boolean('is_sidecar').notNull().default(false),
  size: bigint({ mode: 'number' }).notNull(),
  modifiedUs: bigint('modified_us', { mode: 'number' }).notNull(),
  inode: numeric().notNull(),
  sha256: bytea(),
  assetId: uuid('asset_id'),
  error: text(),
  unseenAt: instant('unseen_at'),
  missingAt: instant('missing_at'),
  isReleased: boolean('is_released').notNull().default(false),
  trashedAt: instant('trashed_at'),
  isLeftOut: boolean('is_left_out').notNull().default(false),
});
