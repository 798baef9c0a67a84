import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  date,
  doublePrecision,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uuid,
} from 'drizzle-orm/pg-core';
import { bytea, instant, wallClock } from './columns.ts';

export const ASSET_TYPES = ['IMAGE', 'VIDEO', 'AUDIO', 'OTHER'] as const;
export type AssetType = (typeof ASSET_TYPES)[number];

export const originals = pgTable('original', {
  sha256: bytea().primaryKey(),
  size: bigint({ mode: 'number' }).notNull(),
  missingAt: instant('missing_at'),
  path: text(),
  objectKey: text('object_key'),
  createdAt: instant('created_at').notNull().defaultNow(),
});

export const librarySizes = pgTable('library_size', {
  day: date().primaryKey(),
  bytes: bigint({ mode: 'number' }).notNull(),
});

/**
 * The raw table. Only src/access and the areas that own asset rows may import it
 * (test/architecture.test.ts holds the list); everyone else reads through src/access/scope.ts.
 */
export const assets = pgTable('asset', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  type: text({ enum: ASSET_TYPES }).notNull(),
  sha256: bytea().notNull(),
  sha1: bytea().notNull(),
  fileName: text('file_name').notNull(),
  contentType: text('content_type'),
  fileSize: bigint('file_size', { mode: 'number' }).notNull(),
  visibility: text({ enum: ['timeline', 'archive', 'hidden'] })
    .notNull()
    .default('timeline'),
  lockedAt: instant('locked_at'),
  trashedAt: instant('trashed_at'),
  isFavorite: boolean('is_favorite').notNull().default(false),
  isStackChild: boolean('is_stack_child').notNull().default(false),
  stackId: uuid('stack_id'),
  liveVideoId: uuid('live_video_id'),
  uploadLinkId: uuid('upload_link_id'),
  uploadedFrom: text('uploaded_from'),
  libraryId: uuid('library_id'),
  folder: text(),
  offlineAt: instant('offline_at'),
  isCopy: boolean('is_copy').notNull().default(false),
  standaloneVisibility: text('standalone_visibility', { enum: ['timeline', 'archive'] }),
  takenAt: instant('taken_at').notNull(),
  localTakenAt: wallClock('local_taken_at').notNull(),
  localDay: date('local_day')
    .notNull()
    .generatedAlwaysAs(() => sql``),
  localMonth: date('local_month')
    .notNull()
    .generatedAlwaysAs(() => sql``),
  fileModifiedAt: instant('file_modified_at').notNull(),
  width: integer(),
  height: integer(),
  durationMs: integer('duration_ms'),
  thumbhash: bytea(),
  brokenReason: text('broken_reason'),
  damage: text('damage'),
  metadataReadAt: instant('metadata_read_at'),
  stateRevision: integer('state_revision').notNull().default(0),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
export type AssetRow = typeof assets.$inferSelect;

export const assetExif = pgTable('asset_exif', {
  assetId: uuid('asset_id').primaryKey(),
  make: text(),
  model: text(),
  lensModel: text('lens_model'),
  fNumber: doublePrecision('f_number'),
  focalLength: doublePrecision('focal_length'),
  iso: integer(),
  exposureTime: text('exposure_time'),
  fps: doublePrecision(),
  codec: text(),
  exifWidth: integer('exif_width'),
  exifHeight: integer('exif_height'),
  orientation: text(),
  dateTimeOriginal: instant('date_time_original'),
  modifyDate: instant('modify_date'),
  timeZone: text('time_zone'),
  dateSource: text('date_source'),
  latitude: doublePrecision(),
  longitude: doublePrecision(),
  city: text(),
  state: text(),
  country: text(),
  description: text().notNull().default(''),
  rating: smallint(),
  projectionType: text('projection_type'),
  profileDescription: text('profile_description'),
  colorspace: text(),
  bitsPerSample: integer('bits_per_sample'),
  livePhotoCid: text('live_photo_cid'),
  burstId: text('burst_id'),
  editedFields: text('edited_fields').array().notNull().default([]),
  assetOwnerId: uuid('asset_owner_id'),
  assetTakenAt: instant('asset_taken_at'),
});
export type ExifRow = typeof assetExif.$inferSelect;

export const assetSupplements = pgTable('asset_supplement', {
  assetId: uuid('asset_id').primaryKey(),
  takenAt: instant('taken_at'),
  description: text(),
  latitude: doublePrecision(),
  longitude: doublePrecision(),
  trustsDate: boolean('trusts_date').notNull().default(false),
});

const ASSET_FILE_KINDS = [
  'thumbnail',
  'preview',
  'fullsize',
  'encoded_video',
  'bare_video',
  'bare_image',
  'sidecar',
  'edited_thumbnail',
  'edited_preview',
  'edited_fullsize',
] as const;
export type AssetFileKind = (typeof ASSET_FILE_KINDS)[number];

export const assetFiles = pgTable(
  'asset_file',
  {
    assetId: uuid('asset_id').notNull(),
    kind: text({ enum: ASSET_FILE_KINDS }).notNull(),
    name: text().notNull(),
    mimeType: text('mime_type').notNull(),
    size: bigint({ mode: 'number' }).notNull(),
    tag: text().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.assetId, table.kind] })],
);

export const assetMetadata = pgTable(
  'asset_metadata',
  {
    assetId: uuid('asset_id').notNull(),
    key: text().notNull(),
    value: jsonb().$type<unknown>().notNull(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.assetId, table.key] })],
);

export const assetEdits = pgTable(
  'asset_edit',
  {
    assetId: uuid('asset_id').notNull(),
    position: integer().notNull(),
    action: text({ enum: ['crop', 'rotate', 'mirror'] }).notNull(),
    parameters: jsonb().$type<Record<string, unknown>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.assetId, table.position] })],
);

export const assetUnedited = pgTable('asset_unedited', {
  assetId: uuid('asset_id').primaryKey(),
  width: integer().notNull(),
  height: integer().notNull(),
  thumbhash: bytea(),
  renderedRevision: text('rendered_revision'),
  renderedAdjustments: text('rendered_adjustments'),
});

export const assetAdjustments = pgTable('asset_adjustment', {
  assetId: uuid('asset_id').primaryKey(),
  straighten: doublePrecision().notNull(),
  exposure: smallint().notNull(),
  contrast: smallint().notNull(),
  highlights: smallint().notNull(),
  shadows: smallint().notNull(),
  warmth: smallint().notNull(),
  tint: smallint().notNull(),
  saturation: smallint().notNull(),
});
