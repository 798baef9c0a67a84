import { sql } from 'drizzle-orm';
import { bigint, boolean, date, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant, xid8 } from './columns.ts';

export const albums = pgTable('album', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  name: text().notNull(),
  description: text().notNull().default(''),
  coverId: uuid('cover_id'),
  isActivityEnabled: boolean('is_activity_enabled').notNull().default(true),
  sortOrder: text('sort_order', { enum: ['asc', 'desc'] })
    .notNull()
    .default('desc'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
  since: xid8()
    .notNull()
    .default(sql`pg_current_xact_id()`),
});
export type AlbumRow = typeof albums.$inferSelect;

export const albumUsers = pgTable(
  'album_user',
  {
    albumId: uuid('album_id').notNull(),
    userId: uuid('user_id').notNull(),
    role: text({ enum: ['editor', 'viewer'] }).notNull(),
    invitedBy: uuid('invited_by').array().notNull().default([]),
    createdAt: instant('created_at').notNull().defaultNow(),
    since: xid8()
      .notNull()
      .default(sql`pg_current_xact_id()`),
  },
  (table) => [primaryKey({ columns: [table.albumId, table.userId] })],
);

export const albumAssets = pgTable(
  'album_asset',
  {
    albumId: uuid('album_id').notNull(),
    assetId: uuid('asset_id').notNull(),
    addedBy: uuid('added_by'),
    localMonth: date('local_month'),
    createdAt: instant('created_at').notNull().defaultNow(),
    position: bigint({ mode: 'bigint' })
      .notNull()
      .default(sql`(extract(epoch from now()) * 1000000)::bigint * 1024`),
  },
  (table) => [primaryKey({ columns: [table.albumId, table.assetId] })],
);

export const sharedLinks = pgTable('shared_link', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  type: text({ enum: ['ALBUM', 'INDIVIDUAL'] }).notNull(),
  albumId: uuid('album_id'),
  key: bytea().notNull(),
  slug: text(),
  passwordHash: text('password_hash'),
  description: text(),
  expiresAt: instant('expires_at'),
  allowUpload: boolean('allow_upload').notNull().default(false),
  allowDownload: boolean('allow_download').notNull().default(true),
  showMetadata: boolean('show_metadata').notNull().default(true),
  createdAt: instant('created_at').notNull().defaultNow(),
});

export const placelessLinks = pgTable('shared_link_placeless', {
  linkId: uuid('link_id').primaryKey(),
});

/** True for a row of "shared_link" that hides from guests where items were taken. */
export const hidesPlaces = sql<boolean>`exists (
  select from shared_link_placeless hiding where hiding.link_id = shared_link.id)`;

export const sharedLinkAssets = pgTable(
  'shared_link_asset',
  { linkId: uuid('link_id').notNull(), assetId: uuid('asset_id').notNull() },
  (table) => [primaryKey({ columns: [table.linkId, table.assetId] })],
);

export const activities = pgTable('activity', {
  id: uuid().primaryKey().defaultRandom(),
  albumId: uuid('album_id').notNull(),
  userId: uuid('user_id').notNull(),
  assetId: uuid('asset_id'),
  kind: text({ enum: ['like', 'comment'] }).notNull(),
  comment: text(),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
export type ActivityRow = typeof activities.$inferSelect;
