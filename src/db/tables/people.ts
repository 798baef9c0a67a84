import {
  bigint,
  boolean,
  date,
  doublePrecision,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const people = pgTable('person', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  name: text().notNull().default(''),
  birthDate: date('birth_date'),
  isHidden: boolean('is_hidden').notNull().default(false),
  isFavorite: boolean('is_favorite').notNull().default(false),
  color: text(),
  isManual: boolean('is_manual').notNull().default(false),
  coverFaceId: uuid('cover_face_id'),
  thumbnailFaceId: uuid('thumbnail_face_id'),
  thumbnailTag: text('thumbnail_tag'),
  thumbnailSize: integer('thumbnail_size'),
  thumbnailObject: text('thumbnail_object'),
  mergedInto: uuid('merged_into'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
export type PersonRow = typeof people.$inferSelect;

const FACE_SOURCES = ['machine-learning', 'exif', 'manual'] as const;

const DECIDERS = ['machine', 'owner'] as const;

export const faces = pgTable('face', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  assetId: uuid('asset_id').notNull(),
  personId: uuid('person_id'),
  x1: doublePrecision().notNull(),
  y1: doublePrecision().notNull(),
  x2: doublePrecision().notNull(),
  y2: doublePrecision().notNull(),
  imageWidth: integer('image_width').notNull(),
  imageHeight: integer('image_height').notNull(),
  source: text({ enum: FACE_SOURCES }).notNull(),
  modelId: text('model_id'),
  score: real(),
  sidePx: real('side_px'),
  isHidden: boolean('is_hidden').notNull().default(false),
  decidedBy: text('decided_by', { enum: DECIDERS }).notNull().default('machine'),
  boxBy: text('box_by', { enum: DECIDERS }).notNull().default('machine'),
  clusteredAt: instant('clustered_at'),
  revision: integer().notNull().default(1),
  sourceRevision: text('source_revision').notNull(),
  localMonth: date('local_month'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
export type FaceRow = typeof faces.$inferSelect;

/** Edges as fractions of the displayed picture, and its size in pixels. */
export type StoredBox = Pick<FaceRow, 'x1' | 'y1' | 'x2' | 'y2' | 'imageWidth' | 'imageHeight'>;

const CORRECTION_KINDS = ['moved-onto', 'moved-off', 'not-a-face', 'merge', 'box-moved'] as const;

export const faceCorrections = pgTable('face_correction', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  kind: text({ enum: CORRECTION_KINDS }).notNull(),
  personId: uuid('person_id'),
  previousPersonId: uuid('previous_person_id'),
  faceId: uuid('face_id'),
  assetId: uuid('asset_id'),
  sourceRevision: text('source_revision'),
  box: jsonb().$type<StoredBox>(),
  previousBox: jsonb('previous_box').$type<StoredBox>(),
  previousDecidedBy: text('previous_decided_by', { enum: DECIDERS }),
  previousBoxBy: text('previous_box_by', { enum: DECIDERS }),
  survivor: jsonb().$type<{ before: Named; after: Named }>(),
  mergedIds: uuid('merged_ids').array().notNull().default([]),
  createdAt: instant('created_at').notNull().defaultNow(),
  seq: bigint({ mode: 'number' }).generatedAlwaysAsIdentity(),
  undoneAt: instant('undone_at'),
});
export type CorrectionRow = typeof faceCorrections.$inferSelect;
export type Named = Pick<PersonRow, 'name' | 'birthDate' | 'coverFaceId'>;

export const mergeVerdicts = pgTable(
  'merge_verdict',
  {
    ownerId: uuid('owner_id').notNull(),
    lowId: uuid('low_id').notNull(),
    highId: uuid('high_id').notNull(),
    verdict: text({ enum: ['different', 'later', 'ignore'] }).notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.lowId, table.highId] })],
);
export type VerdictRow = typeof mergeVerdicts.$inferSelect;

export const clusterGroupRequests = pgTable('cluster_group_request', {
  id: uuid().primaryKey().defaultRandom(),
  clusterGroupId: uuid('cluster_group_id').notNull(),
  userId: uuid('user_id').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
});
export type ClusterGroupRequestRow = typeof clusterGroupRequests.$inferSelect;
