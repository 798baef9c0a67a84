import { bigint, integer, pgTable, real, text, uuid } from 'drizzle-orm/pg-core';
import { instant, tsvector } from './columns.ts';

export const ENRICHMENT_STATES = [
  'pending',
  'processing',
  'ready',
  'failed',
  'unavailable',
] as const;
export type EnrichmentState = (typeof ENRICHMENT_STATES)[number];

export const videoEnrichments = pgTable('video_enrichment', {
  assetId: uuid('asset_id').primaryKey(),
  status: text({ enum: ENRICHMENT_STATES }).notNull().default('pending'),
  source: text(),
  models: text().notNull().default(''),
  generatedAt: instant('generated_at'),
  coverMs: integer('cover_ms'),
  error: text(),
  heardBy: text('heard_by').notNull().default(''),
  hearingBy: text('hearing_by').notNull().default(''),
  heardMs: integer('heard_ms').notNull().default(0),
  language: text(),
  speechError: text('speech_error'),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});

export const videoFrames = pgTable('video_frame', {
  id: uuid().primaryKey(),
  assetId: uuid('asset_id').notNull(),
  atMs: integer('at_ms').notNull(),
  startMs: integer('start_ms').notNull(),
  endMs: integer('end_ms').notNull(),
  rank: integer().notNull(),
  score: real().notNull(),
  source: text().notNull(),
  name: text().notNull(),
  size: bigint({ mode: 'number' }).notNull(),
  tag: text().notNull(),
  vectorModel: text('vector_model'),
});
export type VideoFrameRow = typeof videoFrames.$inferSelect;

export const MOMENT_KINDS = ['generated', 'manual'] as const;
export type MomentKind = (typeof MOMENT_KINDS)[number];

export const videoMoments = pgTable('video_moment', {
  id: uuid().primaryKey(),
  assetId: uuid('asset_id').notNull(),
  kind: text({ enum: MOMENT_KINDS }).notNull(),
  startMs: integer('start_ms').notNull(),
  endMs: integer('end_ms').notNull(),
  title: text(),
  caption: text(),
  transcript: text(),
  frameId: uuid('frame_id'),
  source: text(),
  models: text(),
  words: tsvector().notNull().default(''),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
export type VideoMomentRow = Omit<typeof videoMoments.$inferSelect, 'words'>;

export const videoSpeech = pgTable('video_speech', {
  id: uuid().primaryKey(),
  assetId: uuid('asset_id').notNull(),
  startMs: integer('start_ms').notNull(),
  endMs: integer('end_ms').notNull(),
  text: text().notNull(),
  language: text(),
  confidence: real().notNull(),
  model: text().notNull(),
  words: tsvector().notNull(),
});
export type VideoSpeechRow = Omit<typeof videoSpeech.$inferSelect, 'words'>;
