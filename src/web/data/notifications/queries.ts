import { queryOptions, useQuery } from '@tanstack/react-query';
import { get, put, remove } from '../../base/api.ts';
import { usePollingWhileOffline } from '../live-invalidation.ts';
import { mutate, updateData } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { Notification } from '../types.ts';

const POLLING_MS = 60_000;

/** All notifications of the account, newest first. */
const notificationsQuery = () =>
  queryOptions({
    queryKey: [...keys.notifications, 'list'],
    queryFn: () => get<Notification[]>('/notifications'),
  });

export function useNotifications() {
  return useQuery({ ...notificationsQuery(), refetchInterval: usePollingWhileOffline(POLLING_MS) });
}

export function useUnreadCount(): number {
  const { data } = useQuery({
    ...notificationsQuery(),
    refetchInterval: usePollingWhileOffline(POLLING_MS),
    select: (list) => list.filter(({ readAt }) => readAt === undefined).length,
  });
  return data ?? 0;
}

/** Is seen at once. */
const change = (
  ids: readonly string[],
  send: () => Promise<void>,
  update: (notification: Notification) => Notification[],
): Promise<void> =>
  mutate(send, {
    invalidates: [keys.notifications],
    apply: () =>
      updateData<Notification[]>(notificationsQuery().queryKey, (list) =>
        list.flatMap((one) => (ids.includes(one.id) ? update(one) : [one])),
      ),
  });

export const markRead = (ids: readonly string[]): Promise<void> => {
  const readAt = new Date().toISOString();
  return change(
    ids,
    () => put('/notifications', { ids, readAt }),
    (one) => [{ ...one, readAt }],
  );
};

export const deleteNotifications = (ids: readonly string[]): Promise<void> =>
  change(
    ids,
    () => remove('/notifications', { ids }),
    () => [],
  );
