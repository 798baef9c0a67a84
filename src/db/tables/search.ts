import { bigint, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { tsvector } from './columns.ts';

export const assetTexts = pgTable('asset_text', {
  assetId: uuid('asset_id').primaryKey(),
  words: tsvector().notNull(),
});

export const searchWords = pgTable('search_word', {
  word: text().primaryKey(),
});

export const assetTextParts = pgTable(
  'asset_text_part',
  {
    assetId: uuid('asset_id').notNull(),
    kind: text({ enum: ['read', 'caption', 'spoken'] }).notNull(),
    text: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.assetId, table.kind] })],
);

export const assetTextChanges = pgTable('asset_text_change', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  assetId: uuid('asset_id').notNull(),
});
