import { bigint, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
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
