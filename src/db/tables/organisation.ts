import { date, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

export const tags = pgTable('tag', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  parentId: uuid('parent_id'),
  value: text().notNull(),
  color: text(),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
export type TagRow = typeof tags.$inferSelect;

export const tagAssets = pgTable(
  'tag_asset',
  {
    tagId: uuid('tag_id').notNull(),
    assetId: uuid('asset_id').notNull(),
    /** Of the asset, by triggers. */
    localMonth: date('local_month'),
  },
  (table) => [primaryKey({ columns: [table.tagId, table.assetId] })],
);

export const stacks = pgTable('stack', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  primaryId: uuid('primary_id').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
export type StackRow = typeof stacks.$inferSelect;

export const activities = pgTable('activity', {
  id: uuid().primaryKey().defaultRandom(),
  albumId: uuid('album_id').notNull(),
  userId: uuid('user_id').notNull(),
  assetId: uuid('asset_id'),
  kind: text({ enum: ['like', 'comment'] }).notNull(),
  comment: text(),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
export type ActivityRow = typeof activities.$inferSelect;

export const assetEdits = pgTable(
  'asset_edit',
  {
    assetId: uuid('asset_id').notNull(),
    position: integer().notNull(),
    action: text({ enum: ['crop', 'rotate', 'mirror'] }).notNull(),
    parameters: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.assetId, table.position] })],
);

/** What the row of the asset said before the first edit; there the edited picture is described. */
export const assetUnedited = pgTable('asset_unedited', {
  assetId: uuid('asset_id').primaryKey(),
  width: integer().notNull(),
  height: integer().notNull(),
  thumbhash: bytea(),
});
