import { bigint, boolean, date, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { ASSET_TYPES } from './assets.ts';

export const assetCounts = pgTable('asset_count', {
  ownerId: uuid('owner_id').notNull(),
  localMonth: date('local_month').notNull(),
  type: text({ enum: ASSET_TYPES }).notNull(),
  visibility: text({ enum: ['timeline', 'archive', 'hidden'] }).notNull(),
  isLocked: boolean('is_locked').notNull(),
  isTrashed: boolean('is_trashed').notNull(),
  isFavorite: boolean('is_favorite').notNull(),
  isStackChild: boolean('is_stack_child').notNull(),
  assets: bigint({ mode: 'number' }).notNull(),
  bytes: bigint({ mode: 'number' }).notNull(),
  stamp: bigint({ mode: 'bigint' }).notNull(),
  contents: bigint({ mode: 'bigint' }).notNull().default(0n),
});
