import type { NotificationRow } from '../../db/tables/notifications.ts';
import type { Notification } from './schemas.ts';

/** Returns a notification as clients get it: what it has not got is left out. */
export const toNotification = (row: NotificationRow): Notification => ({
  id: row.id,
  createdAt: row.createdAt.toISOString(),
  level: row.level,
  type: row.type,
  title: row.title,
  ...(row.description !== null && { description: row.description }),
  ...(row.data !== null && { data: row.data }),
  ...(row.readAt !== null && { readAt: row.readAt.toISOString() }),
});
