import { boolean, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const MEMORY_TYPES = ['on_this_day', 'person', 'pet', 'place', 'custom'] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** Parts of a generated title beside the person or pet. */
export type MemorySubject = {
  readonly birthday?: boolean;
  readonly city?: string | null;
  readonly state?: string | null;
  readonly country?: string | null;
  /** Its best pictures are shown. */
  readonly year?: number;
};

export const memories = pgTable('memory', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  type: text({ enum: MEMORY_TYPES }).notNull(),
  key: text(),
  data: jsonb().$type<Readonly<Record<string, unknown>>>().notNull().default({}),
  subject: jsonb().$type<MemorySubject>().notNull().default({}),
  personId: uuid('person_id'),
  petId: uuid('pet_id'),
  name: text(),
  description: text(),
  memoryAt: instant('memory_at').notNull(),
  showAt: instant('show_at'),
  hideAt: instant('hide_at'),
  seenAt: instant('seen_at'),
  isSaved: boolean('is_saved').notNull().default(false),
  isHidden: boolean('is_hidden').notNull().default(false),
  deletedAt: instant('deleted_at'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
export type MemoryRow = typeof memories.$inferSelect;

export const memoryAssets = pgTable(
  'memory_asset',
  {
    memoryId: uuid('memory_id').notNull(),
    assetId: uuid('asset_id').notNull(),
    position: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.memoryId, table.assetId] })],
);

export const MEMORY_RULE_KINDS = ['person', 'pet', 'date', 'memory-type'] as const;
