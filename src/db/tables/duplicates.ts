import { bigint, boolean, pgTable, primaryKey, real, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

export const pictureOutlines = pgTable('picture_outline', {
  assetId: uuid('asset_id').primaryKey(),
  light: bytea().notNull(),
  patches: bytea().notNull(),
  pixels: bytea(),
});

export const duplicateChanges = pgTable('duplicate_change', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  assetId: uuid('asset_id').notNull(),
  modelId: text('model_id').notNull(),
});

export const duplicatePairs = pgTable(
  'duplicate_pair',
  {
    ownerId: uuid('owner_id').notNull(),
    firstId: uuid('first_id').notNull(),
    secondId: uuid('second_id').notNull(),
    score: real().notNull(),
    sameness: real(),
    isIdentical: boolean('is_identical').notNull().default(false),
    commonPart: real('common_part'),
  },
  (table) => [primaryKey({ columns: [table.firstId, table.secondId] })],
);

export const duplicateMembers = pgTable('duplicate_member', {
  assetId: uuid('asset_id').primaryKey(),
  ownerId: uuid('owner_id').notNull(),
  setId: uuid('set_id').notNull(),
});

export const duplicateDecisions = pgTable(
  'duplicate_decision',
  {
    ownerId: uuid('owner_id').notNull(),
    fingerprint: uuid().notNull(),
    sha256: bytea().notNull(),
    decidedAt: instant('decided_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.ownerId, table.fingerprint, table.sha256] })],
);
