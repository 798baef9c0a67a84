import { expect, test } from 'bun:test';
import {
  readToast,
  refusal,
  undoLast,
  startPageServer,
} from '../../../../test/support/page-server.ts';
import type { Stack } from '../types.ts';
import { changePrimary, removeFromStack, stackAssets, unstack } from './stack-data.ts';

const server = startPageServer();
const stack = (id: string, primaryAssetId: string, ...ids: string[]) =>
  ({ id, primaryAssetId, assets: ids.map((one) => ({ id: one })) }) as unknown as Stack;

/** Makes a stack of what is sent, and answers reads about photos and their stacks. */
function serve(stacks: readonly Stack[]) {
  server.answer('POST /stacks', ({ body }) => stack('new', body.assetIds[0], ...body.assetIds));
  server.answer('GET /stacks', () => stacks);
  for (const one of stacks) {
    server.answer(`GET /stacks/${one.id}`, () => one);
    server.answer(`DELETE /stacks/${one.id}`, () => undefined);
    for (const { id } of one.assets)
      server.answer(`GET /assets/${id}`, () => ({ id, stack: { id: one.id } }));
  }
  server.answer('DELETE /stacks/new', () => undefined);
}

test('Undo restores the stacks that were taken in, each with its cover first', async () => {
  serve([stack('old', 'b', 'a', 'b', 'c')]);
  server.answer('GET /assets/x', () => ({ id: 'x' }));
  expect(await stackAssets(['x', 'a', 'b'])).toBe(true);
  await undoLast();
  expect(server.listChanges()).toEqual(['POST /stacks', 'DELETE /stacks/new', 'POST /stacks']);
  expect(server.listBodies('POST /stacks')).toEqual([
    { assetIds: ['x', 'a', 'b'] },
    { assetIds: ['b', 'a', 'c'] },
  ]);
});

test('the stacks of many photos are found in the list of all', async () => {
  serve([stack('old', 'p1', 'p1', 'p2'), stack('other', 'q', 'q', 'r')]);
  const ids = Array.from({ length: 101 }, (_, at) => `p${at}`);
  await stackAssets(ids);
  expect(server.listRequests()).toEqual(['GET /stacks', 'POST /stacks']);
  await undoLast();
  expect(server.listBodies('POST /stacks').at(-1)).toEqual({ assetIds: ['p1', 'p2'] });
});

test('nothing is stacked where it cannot be said what was stacked before', async () => {
  serve([]);
  server.answer('GET /assets/a', () =>
    refusal(400, { message: 'Not found or no asset.read access' }),
  );
  expect(await stackAssets(['a'])).toBe(false);
  expect(server.listChanges()).toEqual([]);
  expect(readToast()?.text).toBe('It is not there any more, or not shared with you.');
});

test('an unstacked stack is made again with the same cover', async () => {
  serve([stack('old', 'b', 'a', 'b')]);
  await unstack(stack('old', 'b', 'a', 'b'));
  await undoLast();
  expect(server.listBodies('POST /stacks')).toEqual([{ assetIds: ['b', 'a'] }]);
  expect(readToast()?.text).toBe('Stacked again');
});

test('another cover is chosen, and the earlier one again', async () => {
  server.answer('PUT /stacks/old', ({ body }) => stack('old', body.primaryAssetId, 'a', 'b'));
  await changePrimary(stack('old', 'a', 'a', 'b'), 'b');
  await undoLast();
  expect(server.listBodies('PUT /stacks/old')).toEqual([
    { primaryAssetId: 'b' },
    { primaryAssetId: 'a' },
  ]);
});

test('a photo that was removed comes back with all others, as a stack of two is gone', async () => {
  serve([]);
  server.answer('DELETE /stacks/old/assets/b', () => undefined);
  await removeFromStack(stack('old', 'a', 'a', 'b'), 'b');
  await undoLast();
  expect(server.listBodies('POST /stacks')).toEqual([{ assetIds: ['a', 'b'] }]);
});
