import { getTableColumns, sql } from 'drizzle-orm';
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
/** The last level of the path of `tag`: what is behind the path of the tag above it. It may have slashes itself. */
export const TAG_NAME = sql<string>`coalesce((select substring(tag.value from length(above.value) + 2)
  from tag above where above.id = tag.parent_id), tag.value)`;

export const TAG_COLUMNS = { ...getTableColumns(tags), name: TAG_NAME };
export type TagRow = typeof tags.$inferSelect & { readonly name: string };

export const tagAssets = pgTable(
  'tag_asset',
  {
    tagId: uuid('tag_id').notNull(),
    assetId: uuid('asset_id').notNull(),
    localMonth: date('local_month'),
  },
  (table) => [primaryKey({ columns: [table.tagId, table.assetId] })],
);
