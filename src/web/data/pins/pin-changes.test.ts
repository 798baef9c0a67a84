import { expect, test } from 'bun:test';
import {
  readToast,
  refusal,
  undoLast,
  startPageServer,
} from '../../../../test/support/page-server.ts';
import { queryClient } from '../../base/query-client.ts';
import type { Pins } from '../types.ts';
import { movePin, removePin, togglePin } from './pin-data.ts';
import { pinsQuery } from './queries.ts';

const server = startPageServer();
const pin = (id: string) => ({ id, kind: 'album', targetId: `album ${id}` });

/** A list that other devices change, too, and that refuses what was made for an earlier revision. */
function serve(...ids: string[]) {
  const stored = { revision: 1, pins: ids.map(pin) };
  server.answer('GET /users/me/pins', () => structuredClone(stored));
  server.answer('PUT /users/me/pins', ({ body }) => {
    if (body.expectedRevision !== stored.revision) return refusal(409, { code: 'stale_revision' });
    stored.revision++;
    stored.pins = body.pins.map((one: { id?: string; targetId?: string }, index: number) =>
      one.id ? pin(one.id) : { ...pin(`new ${index}`), targetId: one.targetId },
    );
    return structuredClone(stored);
  });
  return stored;
}
const listShown = () =>
  queryClient.getQueryData<Pins>(pinsQuery().queryKey)?.pins.map(({ targetId }) => targetId);

test('a pin is added behind the others, and Undo removes it alone', async () => {
  serve('a', 'b');
  await queryClient.fetchQuery(pinsQuery());
  expect(await togglePin('album', 'album c')).toBe(true);
  expect(listShown()).toEqual(['album a', 'album b', 'album c']);
  await undoLast();
  expect(listShown()).toEqual(['album a', 'album b']);
});

test('a pin that is there is removed, and Undo brings it back', async () => {
  serve('a', 'b');
  await queryClient.fetchQuery(pinsQuery());
  await togglePin('album', 'album a');
  expect(listShown()).toEqual(['album b']);
  await undoLast();
  expect(listShown()).toEqual(['album b', 'album a']);
});

test('a list that another device has changed is read again, and the change made to that', async () => {
  const stored = serve('a', 'b');
  await queryClient.fetchQuery(pinsQuery());
  Object.assign(stored, { revision: 7, pins: ['b', 'a', 'x'].map(pin) });
  expect(await movePin('x', -2)).toBe(true);
  expect(listShown()).toEqual(['album x', 'album b', 'album a']);
  expect(
    server.listBodies('PUT /users/me/pins').map(({ expectedRevision }) => expectedRevision),
  ).toEqual([1, 7]);
});

test('a list that changes again and again is given up, and the person told', async () => {
  serve('a');
  server.answer('PUT /users/me/pins', () => refusal(409, { code: 'stale_revision' }));
  expect(await removePin('a')).toBe(false);
  expect(server.listChanges()).toHaveLength(4);
  expect(readToast()).toMatchObject({ kind: 'error' });
  expect(listShown()).toEqual(['album a']);
});

test('another refusal is not tried again', async () => {
  serve('a');
  server.answer('PUT /users/me/pins', () => refusal(400, { code: 'validation_failed' }));
  expect(await removePin('a')).toBe(false);
  expect(server.listChanges()).toHaveLength(1);
});
