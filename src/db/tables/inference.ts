import { sql } from 'drizzle-orm';
import { integer, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant, xid8 } from './columns.ts';

export const assetAnalyses = pgTable(
  'asset_analysis',
  {
    assetId: uuid('asset_id').notNull(),
    task: text({ enum: ['faces', 'embedding', 'objects', 'labels', 'text', 'feature'] }).notNull(),
    modelId: text('model_id').notNull(),
    analyzedAt: instant('analyzed_at').notNull().defaultNow(),
    failure: text(),
  },
  (table) => [primaryKey({ columns: [table.assetId, table.task] })],
);

export const analysisModels = pgTable('analysis_model', {
  task: text().primaryKey(),
  modelId: text('model_id').notNull(),
});

export const embeddingModels = pgTable('embedding_model', {
  id: smallint().primaryKey().generatedAlwaysAsIdentity(),
  modelId: text('model_id').notNull(),
  dimension: integer().notNull(),
  slots: integer().notNull().default(0),
  stamp: uuid().notNull().defaultRandom(),
});

export const embeddings = pgTable('embedding', {
  model: smallint().notNull(),
  subjectId: uuid('subject_id').notNull(),
  kind: text({ enum: ['asset', 'face', 'frame', 'text'] }).notNull(),
  slot: integer().notNull(),
  xid: xid8()
    .notNull()
    .default(sql`pg_current_xact_id()`),
  vector: bytea().notNull(),
});
