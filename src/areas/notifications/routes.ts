import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { NotificationDto, NotificationsQuery } from './schemas.ts';

/** Nothing makes notifications yet: whoever asks for them has none. */
export const notificationRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/notifications', tags: ['Notifications'] }).use(guard).get('', () => [], {
    permission: 'notification.read',
    query: NotificationsQuery,
    response: { 200: t.Array(NotificationDto) },
    detail: { operationId: 'getNotifications', summary: "List the caller's notifications" },
  });
