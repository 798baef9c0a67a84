import { bigint, jsonb, pgTable, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

export const UPLOAD_STATUSES = [
  'incomplete',
  'verified',
  'published',
  'duplicate',
  'failed',
  'cancelled',
] as const;

export const PUBLICATIONS = ['immediate', 'live-photo'] as const;

export const uploads = pgTable('upload', {
  id: uuid().primaryKey(),
  userId: uuid('user_id').notNull(),
  status: text({ enum: UPLOAD_STATUSES }).notNull().default('incomplete'),
  publication: text({ enum: PUBLICATIONS }).notNull(),
  offset: bigint('committed_offset', { mode: 'number' }).notNull().default(0),
  length: bigint({ mode: 'number' }),
  sha256: bytea().notNull(),
  sha1: bytea(),
  mediaType: text('media_type').notNull(),
  metadata: jsonb().notNull(),
  assetId: uuid('asset_id'),
  error: text(),
  finalStatus: smallint('final_status'),
  finalBody: jsonb('final_body'),
  epoch: bigint({ mode: 'number' }).notNull().default(1),
  fileEpoch: bigint('file_epoch', { mode: 'number' }).notNull().default(1),
  bootId: text('boot_id'),
  stagingId: uuid('staging_id'),
  createdAt: instant('created_at').notNull(),
  updatedAt: instant('updated_at').notNull(),
  expiresAt: instant('expires_at').notNull(),
});
export type UploadRow = typeof uploads.$inferSelect;
