import { boolean, date, integer, pgTable, primaryKey, real, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const documents = pgTable('document', {
  assetId: uuid('asset_id').primaryKey(),
  modelId: text('model_id').notNull(),
  folded: text().notNull(),
  ownerId: uuid('owner_id').notNull(),
  takenAt: instant('taken_at').notNull(),
  localMonth: date('local_month').notNull(),
  isListed: boolean('is_listed').notNull(),
  fillsPicture: boolean('fills_picture').notNull().default(false),
  recognizedAt: instant('recognized_at').notNull().defaultNow(),
});

/** Corners of a line as fractions of the picture. */
export type LineQuad = readonly [
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  x3: number,
  y3: number,
  x4: number,
  y4: number,
];

export const documentLines = pgTable(
  'document_line',
  {
    id: uuid().notNull().defaultRandom(),
    assetId: uuid('asset_id').notNull(),
    line: integer().notNull(),
    position: integer().notNull(),
    text: text().notNull(),
    score: real().notNull(),
    boxScore: real('box_score').notNull(),
    quad: real().array().$type<LineQuad>().notNull(),
    isRead: boolean('is_read').notNull().default(true),
  },
  (table) => [primaryKey({ columns: [table.assetId, table.line] })],
);
export type DocumentLineRow = typeof documentLines.$inferSelect;

export const LINE_ACTIONS = ['correct', 'dismiss'] as const;

export const documentEdits = pgTable('document_edit', {
  id: uuid().primaryKey().defaultRandom(),
  assetId: uuid('asset_id').notNull(),
  line: integer().notNull(),
  action: text({ enum: LINE_ACTIONS }).notNull(),
  text: text(),
  revision: integer().notNull().default(1),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
export type DocumentEditRow = typeof documentEdits.$inferSelect;

export const FIELD_ACTIONS = ['confirm', 'correct', 'dismiss'] as const;

export const DOCUMENT_FIELDS = [
  'document-type',
  'title',
  'date',
  'due-date',
  'expiry-date',
  'issuer',
  'recipient',
  'document-number',
  'total-amount',
  'currency',
] as const;
export type DocumentField = (typeof DOCUMENT_FIELDS)[number];

export const documentFields = pgTable(
  'document_field',
  {
    assetId: uuid('asset_id').notNull(),
    field: text({ enum: DOCUMENT_FIELDS }).notNull(),
    action: text({ enum: FIELD_ACTIONS }).notNull(),
    value: text(),
    revision: integer().notNull().default(1),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.assetId, table.field] })],
);
export type DocumentFieldRow = typeof documentFields.$inferSelect;
