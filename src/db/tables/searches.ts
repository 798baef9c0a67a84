import { jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export type SavedChip = {
  readonly field: string;
  readonly label: string;
  readonly value: unknown;
};

export const savedSearches = pgTable('saved_search', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  name: text().notNull(),
  words: text().notNull(),
  chips: jsonb().$type<readonly SavedChip[]>().notNull(),
  sort: text({ enum: ['best', 'newest', 'oldest', 'recentlyAdded'] }),
  createdAt: instant('created_at').notNull().defaultNow(),
});
export type SavedSearchRow = typeof savedSearches.$inferSelect;
