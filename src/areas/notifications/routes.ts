import { Elysia, t } from 'elysia';
import type { Guard } from '../../http/guard.ts';
import { IdParams, NoContent } from '../../http/schemas.ts';
import {
  createNotification,
  deleteNotifications,
  getNotification,
  listNotifications,
  updateNotification,
  updateNotifications,
} from './domain.ts';
import {
  NotificationCreateDto,
  NotificationDeleteAllDto,
  NotificationDto,
  NotificationsQuery,
  NotificationUpdateAllDto,
  NotificationUpdateDto,
} from './schemas.ts';

export const notificationRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/notifications', tags: ['Notifications'] })
    .use(guard)
    .get('', ({ ctx, query }) => listNotifications(ctx, query), {
      permission: 'notification.read',
      query: NotificationsQuery,
      response: { 200: t.Array(NotificationDto) },
      detail: { operationId: 'getNotifications', summary: "List the caller's notifications" },
    })
    .put(
      '',
      async ({ ctx, body, status }) => {
        await updateNotifications(ctx, body);
        return status(204, undefined);
      },
      {
        permission: 'notification.update',
        body: NotificationUpdateAllDto,
        response: { 204: NoContent },
        detail: { operationId: 'updateNotifications', summary: 'Mark notifications as read' },
      },
    )
    .delete(
      '',
      async ({ ctx, body, status }) => {
        await deleteNotifications(ctx, body.ids);
        return status(204, undefined);
      },
      {
        permission: 'notification.delete',
        body: NotificationDeleteAllDto,
        response: { 204: NoContent },
        detail: { operationId: 'deleteNotifications', summary: 'Delete notifications' },
      },
    )
    .get('/:id', ({ ctx, params }) => getNotification(ctx, params.id), {
      permission: 'notification.read',
      params: IdParams,
      response: { 200: NotificationDto },
      detail: { operationId: 'getNotification', summary: 'Get a notification' },
    })
    .put('/:id', ({ ctx, params, body }) => updateNotification(ctx, params.id, body), {
      permission: 'notification.update',
      params: IdParams,
      body: NotificationUpdateDto,
      response: { 200: NotificationDto },
      detail: { operationId: 'updateNotification', summary: 'Mark a notification as read' },
    })
    .delete(
      '/:id',
      async ({ ctx, params, status }) => {
        await deleteNotifications(ctx, [params.id]);
        return status(204, undefined);
      },
      {
        permission: 'notification.delete',
        params: IdParams,
        response: { 204: NoContent },
        detail: { operationId: 'deleteNotification', summary: 'Delete a notification' },
      },
    );

export const adminNotificationRoutes = (guard: Guard) =>
  new Elysia({ prefix: '/admin/notifications', tags: ['Notifications'] })
    .use(guard)
    .post('', async ({ ctx, body, status }) => status(201, await createNotification(ctx, body)), {
      permission: { of: 'all', admin: true },
      body: NotificationCreateDto,
      response: { 201: NotificationDto },
      detail: { operationId: 'createNotification', summary: 'Notify an account' },
    });
