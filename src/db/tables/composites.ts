import { pgTable, primaryKey, uuid } from 'drizzle-orm/pg-core';

export const compositeSources = pgTable(
  'composite_source',
  {
    compositeId: uuid('composite_id').notNull(),
    assetId: uuid('asset_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.compositeId, table.assetId] })],
);
