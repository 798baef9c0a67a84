import { boolean, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const pets = pgTable('pet', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  name: text().notNull().default(''),
  species: text({ enum: ['cat', 'dog', 'bird', 'horse', 'other'] }).notNull(),
  isConfirmed: boolean('is_confirmed').notNull().default(false),
  isDefault: boolean('is_default').notNull().default(true),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
