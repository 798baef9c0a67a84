import { date, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

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
    localMonth: date('local_month'),
  },
  (table) => [primaryKey({ columns: [table.tagId, table.assetId] })],
);
