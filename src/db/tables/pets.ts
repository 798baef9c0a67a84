import { boolean, pgTable, real, text, uuid } from 'drizzle-orm/pg-core';
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
export type PetRow = typeof pets.$inferSelect;

export const petObservations = pgTable('pet_observation', {
  id: uuid().primaryKey().defaultRandom(),
  assetId: uuid('asset_id').notNull(),
  petId: uuid('pet_id'),
  species: text().notNull(),
  score: real().notNull(),
  x1: real().notNull(),
  y1: real().notNull(),
  x2: real().notNull(),
  y2: real().notNull(),
  modelId: text('model_id').notNull(),
  verdict: text({ enum: ['confirmed', 'denied'] }),
});
