import { expect, test } from 'bun:test';
import { refusal, startPageServer } from '../../../../test/support/page-server.ts';
import { queryClient } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import type { Notification } from '../types.ts';
import { deleteNotifications, markRead } from './queries.ts';

const server = startPageServer();
const LIST = [...keys.notifications, 'list'];
const show = () =>
  queryClient.setQueryData(
    LIST,
    ['a', 'b'].map((id) => ({ id })),
  );
const list = () => queryClient.getQueryData<Notification[]>(LIST)!;

test('what is read is shown so before the server has answered', async () => {
  show();
  let shown: (boolean | undefined)[] = [];
  server.answer('PUT /notifications', () => void (shown = list().map(({ readAt }) => !!readAt)));
  await markRead(['b']);
  expect(shown).toEqual([false, true]);
  expect(server.listBodies('PUT /notifications')).toEqual([
    { ids: ['b'], readAt: expect.any(String) },
  ]);
});

test('what is deleted is gone at once, and back when the server refuses', async () => {
  show();
  let shown: string[] = [];
  server.answer('DELETE /notifications', () => {
    shown = list().map(({ id }) => id);
    return refusal(503);
  });
  expect(await deleteNotifications(['a']).catch((error: Error) => error.name)).toBe('ApiError');
  expect(shown).toEqual(['b']);
  expect(list().map(({ id }) => id)).toEqual(['a', 'b']);
});
