import { pgTable, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const stacks = pgTable('stack', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  primaryId: uuid('primary_id').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
