import { expect, test } from 'bun:test';
import {
  readToast,
  refusal,
  show,
  startPageServer,
  undoLast,
} from '../../../../test/support/page-server.ts';
import { keys } from '../query-keys.ts';
import { applyReview, moveToTrash, restore } from './trash-actions.ts';

const server = startPageServer();
const ids = (count: number) => new Set(Array.from({ length: count }, (_, at) => `photo ${at}`));

test('photos go to the trash in requests of what the server takes, and all of them come back', async () => {
  server.answer('DELETE /assets', () => undefined);
  server.answer('POST /trash/restore/assets', ({ body }) => ({ count: body.ids.length }));
  expect(await moveToTrash(ids(50_001))).toBe(true);
  expect(readToast()?.text).toBe('50,001 items moved to the trash');
  await undoLast();
  for (const route of ['DELETE /assets', 'POST /trash/restore/assets']) {
    expect(server.listBodies(route).map((body) => body.ids.length)).toEqual([50_000, 1]);
  }
});

test('a refusal stops the requests that would follow, and is told', async () => {
  server.answer('DELETE /assets', () => refusal(403));
  const timeline = await show(keys.timeline);
  expect(await moveToTrash(ids(50_001))).toBe(false);
  expect(server.listChanges()).toHaveLength(1);
  expect(readToast()).toMatchObject({ kind: 'error', actions: [] });
  // Some of it may have happened.
  expect(timeline.fetches).toBe(2);
  timeline.hide();
});

test('restored photos go to the trash again by Undo', async () => {
  server.answer('POST /trash/restore/assets', () => ({ count: 1 }));
  server.answer('DELETE /assets', () => undefined);
  await restore(new Set(['a']));
  await undoLast();
  expect(server.listChanges()).toEqual(['POST /trash/restore/assets', 'DELETE /assets']);
});

test('what was reviewed is done for the token of that review only', async () => {
  server.answer('POST /trash/apply', ({ body }) =>
    body.token === 'new' ? { count: 2 } : refusal(409, { code: 'review_changed' }),
  );
  const reviewed = { action: 'delete', assetIds: ['a', 'b'] } as const;
  await expect(applyReview(reviewed, { token: 'old' } as never)).rejects.toMatchObject({
    status: 409,
  });
  await applyReview(reviewed, { token: 'new' } as never);
  expect(server.listBodies('POST /trash/apply').at(-1)).toEqual({ ...reviewed, token: 'new' });
});
