import { sql } from 'drizzle-orm';
import { bigint, boolean, date, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant, xid8 } from './columns.ts';

export const AVATAR_COLORS = [
  'primary',
  'pink',
  'red',
  'yellow',
  'blue',
  'green',
  'purple',
  'orange',
  'gray',
  'amber',
] as const;

/** A product key of Immich. */
export type ProductKey = {
  readonly licenseKey: string;
  readonly activationKey: string;
  readonly activatedAt: string;
};

export const users = pgTable('app_user', {
  id: uuid().primaryKey().defaultRandom(),
  email: text().notNull(),
  name: text().notNull(),
  passwordHash: text('password_hash').notNull().default(''),
  oauthIssuer: text('oauth_issuer'),
  oauthId: text('oauth_id'),
  pinHash: text('pin_hash'),
  pinProven: boolean('pin_proven').notNull().default(false),
  isAdmin: boolean('is_admin').notNull().default(false),
  avatarColor: text('avatar_color', { enum: AVATAR_COLORS }).notNull().default('primary'),
  profileImage: text('profile_image'),
  profileChangedAt: instant('profile_changed_at').notNull().defaultNow(),
  storageLabel: text('storage_label'),
  quotaBytes: bigint('quota_bytes', { mode: 'number' }),
  shouldChangePassword: boolean('should_change_password').notNull().default(false),
  onboarded: boolean().notNull().default(false),
  preferences: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  timeZone: text('time_zone'),
  language: text(),
  license: jsonb().$type<ProductKey>(),
  clusterGroupId: uuid('cluster_group_id').notNull().defaultRandom(),
  status: text({ enum: ['active', 'removing', 'deleted'] })
    .notNull()
    .default('active'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
  deletedAt: instant('deleted_at'),
});
export type UserRow = typeof users.$inferSelect;

export const instances = pgTable('instance', {
  onlyRow: boolean('only_row').primaryKey().default(true),
  id: uuid().notNull().defaultRandom(),
  adminId: uuid('admin_id'),
  storesMarkedAt: instant('stores_marked_at'),
  objectStoreMarkedAt: instant('object_store_marked_at'),
  onboarded: boolean().notNull().default(false),
  diskWarnedAt: instant('disk_warned_at'),
  backupWarnedAt: instant('backup_warned_at'),
  license: jsonb().$type<ProductKey>(),
  createdAt: instant('created_at').notNull().defaultNow(),
  nodeSecret: bytea('node_secret'),
  fileFolderId: uuid('file_folder_id'),
});

export const invitations = pgTable('invitation', {
  id: uuid().primaryKey().defaultRandom(),
  tokenHash: bytea('token_hash').notNull(),
  inviterId: uuid('inviter_id').notNull(),
  email: text().notNull(),
  name: text().notNull(),
  quotaBytes: bigint('quota_bytes', { mode: 'number' }),
  language: text(),
  createdAt: instant('created_at').notNull().defaultNow(),
  expiresAt: instant('expires_at').notNull(),
});
export type InvitationRow = typeof invitations.$inferSelect;

export const sessions = pgTable('session', {
  id: uuid().primaryKey().defaultRandom(),
  userId: uuid('user_id').notNull(),
  parentId: uuid('parent_id'),
  tokenHash: bytea('token_hash').notNull(),
  deviceType: text('device_type').notNull().default(''),
  deviceOs: text('device_os').notNull().default(''),
  appVersion: text('app_version'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
  expiresAt: instant('expires_at'),
  elevatedUntil: instant('elevated_until'),
  provenAt: instant('proven_at'),
  pendingSyncReset: boolean('pending_sync_reset').notNull().default(false),
  oauthIssuer: text('oauth_issuer'),
  oauthSid: text('oauth_sid'),
  oauthIdToken: text('oauth_id_token'),
});
export type SessionRow = typeof sessions.$inferSelect;

export const oauthLogoutTokens = pgTable('oauth_logout_token', {
  jti: text().primaryKey(),
  expiresAt: instant('expires_at').notNull(),
});

export const apiKeys = pgTable('api_key', {
  id: uuid().primaryKey().defaultRandom(),
  userId: uuid('user_id').notNull(),
  name: text().notNull(),
  keyHash: bytea('key_hash').notNull(),
  permissions: text().array().notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
export type ApiKeyRow = typeof apiKeys.$inferSelect;

export const partners = pgTable(
  'partner',
  {
    sharerId: uuid('sharer_id').notNull(),
    viewerId: uuid('viewer_id').notNull(),
    inTimeline: boolean('in_timeline').notNull().default(false),
    hidesPlaces: boolean('hides_places').notNull().default(false),
    sharedFrom: date('shared_from'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
    since: xid8()
      .notNull()
      .default(sql`pg_current_xact_id()`),
  },
  (table) => [primaryKey({ columns: [table.sharerId, table.viewerId] })],
);
