import { integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

export const NOTIFICATION_TYPES = [
  'JobFailed',
  'BackupFailed',
  'SystemMessage',
  'AlbumInvite',
  'AlbumUpdate',
  'ClusterGroupRequest',
  'Custom',
] as const;
export const NOTIFICATION_LEVELS = ['success', 'error', 'warning', 'info'] as const;

export const notifications = pgTable('notification', {
  id: uuid().primaryKey().defaultRandom(),
  ownerId: uuid('owner_id').notNull(),
  type: text({ enum: NOTIFICATION_TYPES }).notNull(),
  level: text({ enum: NOTIFICATION_LEVELS }).notNull(),
  title: text().notNull(),
  description: text(),
  data: jsonb().$type<Readonly<Record<string, unknown>>>(),
  key: text(),
  readAt: instant('read_at'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
export type NotificationRow = typeof notifications.$inferSelect;

export const knownDevices = pgTable(
  'known_device',
  {
    userId: uuid('user_id').notNull(),
    fingerprint: bytea().notNull(),
    firstSeenAt: instant('first_seen_at').notNull().defaultNow(),
    lastSeenAt: instant('last_seen_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.fingerprint] })],
);

export const MAIL_TEMPLATES = ['welcome', 'album-invite', 'album-update', 'workflow'] as const;
export type MailTemplate = (typeof MAIL_TEMPLATES)[number];

export const mailMessages = pgTable('mail_message', {
  id: uuid().primaryKey().defaultRandom(),
  key: text().notNull(),
  userId: uuid('user_id'),
  template: text({ enum: MAIL_TEMPLATES }).notNull(),
  data: jsonb().$type<Readonly<Record<string, unknown>>>().notNull(),
  status: text({ enum: ['queued', 'sent', 'failed', 'dropped'] })
    .notNull()
    .default('queued'),
  attempts: integer().notNull().default(0),
  nextAttemptAt: instant('next_attempt_at').notNull().defaultNow(),
  firstAttemptAt: instant('first_attempt_at'),
  leasedUntil: instant('leased_until'),
  error: text(),
  createdAt: instant('created_at').notNull().defaultNow(),
  sentAt: instant('sent_at'),
});
export type MailMessageRow = typeof mailMessages.$inferSelect;
