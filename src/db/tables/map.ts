import { bigint, boolean, integer, pgTable, smallint, uuid } from 'drizzle-orm/pg-core';

export const assetCellCounts = pgTable('asset_cell_count', {
  ownerId: uuid('owner_id').notNull(),
  level: smallint().notNull(),
  x: integer().notNull(),
  y: integer().notNull(),
  timeline: bigint({ mode: 'number' }).notNull(),
  archived: bigint({ mode: 'number' }).notNull(),
  example: uuid(),
  isFolded: boolean('is_folded').notNull().default(false),
});
