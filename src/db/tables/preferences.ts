import { bigint, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** A changed field, as 'memories.duration'. Redacted fields carry no values. */
export type FieldChange = {
  readonly path: string;
  readonly redacted: boolean;
  readonly previous?: unknown;
  readonly value?: unknown;
};

export const preferenceChanges = pgTable('preference_change', {
  id: uuid().primaryKey().defaultRandom(),
  userId: uuid('user_id').notNull(),
  sessionId: uuid('session_id'),
  changes: jsonb().$type<readonly FieldChange[]>().notNull(),
  number: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
  createdAt: instant('created_at').notNull().defaultNow(),
});

export const PIN_KINDS = ['album', 'person', 'tag', 'memory'] as const;

export const pinLists = pgTable('pin_list', {
  userId: uuid('user_id').primaryKey(),
  revision: integer().notNull().default(0),
});

export const pins = pgTable('pin', {
  id: uuid().primaryKey().defaultRandom(),
  userId: uuid('user_id').notNull(),
  kind: text({ enum: PIN_KINDS }).notNull(),
  targetId: uuid('target_id').notNull(),
  position: integer().notNull(),
});
export type PinRow = typeof pins.$inferSelect;
