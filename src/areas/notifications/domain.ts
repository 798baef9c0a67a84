import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { noAccess } from '../../core/errors.ts';
import { getFirst } from '../../core/required.ts';
import type { NotificationRow } from '../../db/tables/notifications.ts';
import { keepLimit } from '../../db/limits/keep-limit.ts';
import { inTransaction } from '../../db/transaction.ts';
import { createUnknownUserError, findUser } from '../users/index.ts';
import { deliver } from './notify.domain.ts';
import type { Notification, NotificationCreate, NotificationsFilter } from './schemas.ts';
import * as store from './store.ts';
import { toNotification } from './view.ts';

export async function listNotifications(
  ctx: Ctx,
  filter: NotificationsFilter,
): Promise<Notification[]> {
  const { userId } = requireUser(ctx.session);
  const id = filter.id?.toLowerCase();
  const rows = await store.listNotifications(ctx.db, userId, { ...filter, ...(id && { id }) });
  return rows.map(toNotification);
}

export async function getNotification(ctx: Ctx, id: string): Promise<Notification> {
  const [notification] = await listNotifications(ctx, { id });
  if (!notification) throw noAccess('notification.read');
  return notification;
}

/** Marks a notification as read or, with null, as unread. Without `readAt` nothing changes. */
export async function updateNotification(
  ctx: Ctx,
  id: string,
  { readAt }: { readonly readAt?: string | null },
): Promise<Notification> {
  return toNotification(getFirst(await updateOwn(ctx, [id], readAt)));
}

/** Updates all of `ids` or none. */
export async function updateNotifications(
  ctx: Ctx,
  { ids, readAt }: { readonly ids: readonly string[]; readonly readAt?: string | null },
): Promise<void> {
  await updateOwn(ctx, ids, readAt);
}

const updateOwn = (ctx: Ctx, ids: readonly string[], readAt: string | null | undefined) =>
  inTransaction(ctx, async (ctx) => {
    const rows = await lockOwn(ctx, ids, 'notification.update');
    if (readAt === undefined) return rows;
    const found = rows.map((row) => row.id);
    return store.setReadAt(ctx.db, found, readAt === null ? null : new Date(readAt), ctx.now());
  });

/** Deletes all of `ids` or none. */
export async function deleteNotifications(ctx: Ctx, ids: readonly string[]): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const rows = await lockOwn(ctx, ids, 'notification.delete');
    const found = rows.map((row) => row.id);
    await store.deleteNotifications(ctx.db, found);
  });
}

async function lockOwn(
  ctx: Ctx,
  ids: readonly string[],
  permission: string,
): Promise<NotificationRow[]> {
  const { userId } = requireUser(ctx.session);
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
  const rows = await store.lockNotifications(ctx.db, userId, wanted);
  if (rows.length < wanted.length) throw noAccess(permission);
  return rows;
}

/** Creates a notification for any account; the caller is an administrator. */
export const createNotification = (ctx: Ctx, create: NotificationCreate): Promise<Notification> =>
  inTransaction(ctx, async (ctx) => {
    const { data, readAt, userId, type = 'Custom', level = 'info', title, description } = create;
    const owner = await findUser(ctx.db, userId.toLowerCase());
    if (!owner) throw createUnknownUserError();
    const row = {
      ownerId: owner.id,
      type,
      level,
      title,
      description: description ?? null,
      data: data ?? null,
      key: null,
      readAt: readAt ? new Date(readAt) : null,
      createdAt: ctx.now(),
      updatedAt: ctx.now(),
    };
    return keepLimit(ctx, 'notification', { ownerId: owner.id }, ({ db }) => deliver(db, row));
  });
