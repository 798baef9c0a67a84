import { bigint, boolean, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

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

export const users = pgTable('app_user', {
  id: uuid().primaryKey().defaultRandom(),
  email: text().notNull(),
  name: text().notNull(),
  passwordHash: text('password_hash').notNull().default(''),
  pinHash: text('pin_hash'),
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
  status: text({ enum: ['active', 'removing', 'deleted'] })
    .notNull()
    .default('active'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
  deletedAt: instant('deleted_at'),
});
export type UserRow = typeof users.$inferSelect;

/** One row: what belongs to the installation and to no account. */
export const instances = pgTable('instance', {
  onlyRow: boolean('only_row').primaryKey().default(true),
  id: uuid().notNull().defaultRandom(),
  adminId: uuid('admin_id'),
  onboarded: boolean().notNull().default(false),
  createdAt: instant('created_at').notNull().defaultNow(),
});

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
  pendingSyncReset: boolean('pending_sync_reset').notNull().default(false),
});
export type SessionRow = typeof sessions.$inferSelect;

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
    /** The viewer sees the pictures, not where they were taken. */
    hidesPlaces: boolean('hides_places').notNull().default(false),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.sharerId, table.viewerId] })],
);
