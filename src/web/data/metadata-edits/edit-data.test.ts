import { expect, test } from 'bun:test';
import {
  readToast,
  refusal,
  show,
  undoLast,
  startPageServer,
} from '../../../../test/support/page-server.ts';
import { keys } from '../query-keys.ts';
import { changeMetadata, previewQuery } from './edit-data.ts';

const server = startPageServer();
const CHANGE = { rating: 5 } as never;
const ids = (count: number) => Array.from({ length: count }, (_, at) => `photo ${at}`);

/** Makes changes '1', '2' …; those from `refusedFrom` on are refused. */
function serve({ refusedFrom = Infinity, kept = 0 } = {}) {
  let made = 0;
  server.answer('POST /metadata-changes', ({ body }) =>
    ++made >= refusedFrom
      ? refusal(409, { code: 'limit_reached' })
      : { id: String(made), changed: body.assetIds.length },
  );
  for (const id of ['1', '2', '3'])
    server.answer(`POST /metadata-changes/${id}/undo`, () => ({ kept }));
}

test('many items are changed by several requests, and undone by as many', async () => {
  serve();
  await changeMetadata(ids(5001), CHANGE);
  const sizes = server.listBodies('POST /metadata-changes').map(({ assetIds }) => assetIds.length);
  expect(sizes).toEqual([5000, 1]);
  expect(readToast()?.text).toBe('5,001 items changed');
  await undoLast();
  expect(server.listChanges().slice(2)).toEqual([
    'POST /metadata-changes/1/undo',
    'POST /metadata-changes/2/undo',
  ]);
  expect(readToast()?.text).toBe('Change undone');
});

test('what was changed before a refusal can be undone, and the refusal reaches the dialog', async () => {
  serve({ refusedFrom: 2 });
  await expect(changeMetadata(ids(5001), CHANGE)).rejects.toMatchObject({ code: 'limit_reached' });
  expect(readToast()?.text).toBe('5,000 items changed');
  await undoLast();
  expect(server.listChanges().at(-1)).toBe('POST /metadata-changes/1/undo');
});

test('where nothing was changed, there is nothing to undo', async () => {
  serve({ refusedFrom: 1 });
  const before = readToast();
  await changeMetadata(ids(1), CHANGE).catch(() => undefined);
  expect(readToast()).toBe(before);
});

test('items that have changed since are told when the change is undone', async () => {
  serve({ kept: 1 });
  await changeMetadata(ids(5001), CHANGE);
  await undoLast();
  expect(readToast()?.text).toBe('Undone, but 2 items had changed since');
});

test('memories and the search show the new dates, people do not change', async () => {
  serve();
  const shown = await Promise.all(
    [keys.memories, keys.search, keys.timeline, keys.people].map(show),
  );
  await changeMetadata(ids(1), CHANGE);
  expect(shown.map(({ fetches }) => fetches)).toEqual([2, 2, 2, 1]);
  for (const { hide } of shown) hide();
});

test('nothing is asked for a preview without a change', () => {
  expect(previewQuery(ids(3), undefined).enabled).toBe(false);
  expect(previewQuery(ids(3), CHANGE).enabled).toBe(true);
});
