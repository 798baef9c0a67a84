import { beforeEach, expect, test } from 'bun:test';
import {
  readToast,
  refusal,
  startPageServer,
  undoLast,
} from '../../../../test/support/page-server.ts';
import { until } from '../../../../test/support/until.ts';
import { queryClient } from '../../base/query-client.ts';
import type { ArchiveOperation } from '../types.ts';
import {
  archiveAssets,
  confirmOperation,
  describeProgress,
  discardOperation,
  followOperation,
  isWorking,
  prepareOperation,
  undoOperation,
} from './operations.ts';
import { operationsQuery } from './queries.ts';

const server = startPageServer();
/** Ids in one request. */
const MOST = 50_000;
let count = 0;
let id = '';
/** Each test has its own: a followed operation is known to the module. */
beforeEach(() => void (id = `operation-${count++}`));

const operation = (status: ArchiveOperation['status'], more: object = {}) =>
  ({
    id,
    status,
    total: 3,
    processed: 0,
    archived: 0,
    restored: 0,
    kept: 0,
    error: null,
    ...more,
  }) as unknown as ArchiveOperation;
const answerRead = (found: ArchiveOperation) =>
  server.answer(`GET /archive-operations/${id}`, () => found);
const listCached = () =>
  queryClient.getQueryData(operationsQuery().queryKey)?.map((one) => one.status);

test('a selection is archived by the server, and Undo takes it back', async () => {
  server.answer('POST /archive-operations', () => operation('queued'));
  answerRead(operation('completed', { archived: 3 }));
  expect(await archiveAssets(new Set(['a', 'b', 'c']))).toBe(true);
  expect(server.listBodies('POST /archive-operations')).toEqual([{ assetIds: ['a', 'b', 'c'] }]);
  await until(() => readToast()?.name === `archive ${id}`);
  expect(readToast()).toMatchObject({ text: '3 items archived', name: `archive ${id}` });

  answerRead(operation('undone', { archived: 3, restored: 2, kept: 1 }));
  server.answer(`POST /archive-operations/${id}/undo`, () => operation('undoing', { archived: 3 }));
  await undoLast();
  await until(() => readToast()?.text.startsWith('2 items put back') === true);
  expect(readToast()!.actions).toEqual([]);
  expect(listCached()).toEqual(['undone']);
});

test('a selection of more than a request may have is sent in parts, and a refusal is told', async () => {
  const ids = Array.from({ length: MOST + 1 }, (_, at) => `asset ${at}`);
  let calls = 0;
  server.answer('POST /archive-operations', () =>
    ++calls > 1 ? refusal(400, { message: 'No' }) : operation('completed', { archived: 1000 }),
  );
  expect(await archiveAssets(new Set(ids))).toBe(false);
  const parts = server.listBodies('POST /archive-operations').map(({ assetIds }) => assetIds);
  expect(parts.map(({ length }) => length)).toEqual([MOST, 1]);
  expect(parts.flat()).toEqual(ids);
});

test('an operation is followed once, however often it is asked for', async () => {
  answerRead(operation('completed', { archived: 1 }));
  await Promise.all([1, 2, 3].map(() => followOperation(operation('running'))));
  const asked = server.listRequests().filter((route) => route.endsWith(id));
  expect(asked).toEqual([`GET /archive-operations/${id}`]);
});

test('an operation that the server has lost is told as an error, and may be followed again', async () => {
  server.answer(`GET /archive-operations/${id}`, () => refusal(404, { message: 'Not found' }));
  await followOperation(operation('running'));
  expect(readToast()).toMatchObject({ kind: 'error' });
  answerRead(operation('completed', { archived: 1 }));
  await followOperation(operation('running'));
  expect(listCached()).toEqual(['completed']);
});

test('the latest state takes the place of the one before, and a new operation stands first', async () => {
  queryClient.setQueryData(operationsQuery().queryKey, [
    { ...operation('completed'), id: 'older' },
    operation('running'),
  ]);
  await followOperation(operation('failed', { archived: 2, error: 'The disk is full' }));
  expect(listCached()).toEqual(['completed', 'failed']);
  expect(readToast()).toMatchObject({ kind: 'error' });
  id = 'newest';
  await followOperation(operation('undone'));
  expect(listCached()).toEqual(['undone', 'completed', 'failed']);
});

test('what was prepared is confirmed by its number, or discarded without a word', async () => {
  server.answer('POST /archive-operations/prepare', () => operation('prepared'));
  const prepared = await prepareOperation();
  server.answer(`POST /archive-operations/${id}/confirm`, () => operation('completed'));
  await confirmOperation(prepared);
  expect(server.listBodies(`POST /archive-operations/${id}/confirm`)).toEqual([
    { expectedCount: 3 },
  ]);
  server.answer(`POST /archive-operations/${id}/undo`, () => refusal(409));
  expect(await discardOperation(prepared)).toBeUndefined();
});

test('an undo that is refused is told', async () => {
  server.answer(`POST /archive-operations/${id}/undo`, () =>
    refusal(409, { code: 'invalid_state' }),
  );
  await undoOperation(operation('completed'));
  expect(readToast()).toMatchObject({ kind: 'error' });
});

test('each state has a line', () => {
  const lines = (
    [
      ['prepared', {}],
      ['expired', {}],
      ['running', { processed: 1200, total: 5000 }],
      ['stopping', {}],
      ['undoing', { restored: 1, kept: 1, archived: 4 }],
      ['completed', { archived: 1 }],
      ['failed', { archived: 2, error: 'the disk is full' }],
      ['failed', { archived: 2 }],
      ['undone', { restored: 1 }],
      ['undone', { restored: 1, kept: 2 }],
    ] as const
  ).map(([status, more]) => describeProgress(operation(status, more)));
  expect(lines).toEqual([
    '3 items to archive, not confirmed',
    'Not confirmed in time; nothing was archived',
    'Archiving: 1,200 of 5,000',
    'Stopping …',
    'Putting back: 2 of 4',
    '1 item archived',
    'Stopped after 2 items: the disk is full',
    'Stopped after 2 items: a problem',
    '1 item back on the timeline',
    '1 item put back, 2 changed since stayed',
  ]);
});

test('states that are over are not work', () => {
  expect(
    ['queued', 'running', 'stopping', 'undoing'].map((status) =>
      isWorking(operation(status as 'queued')),
    ),
  ).toEqual([true, true, true, true]);
  expect(
    ['prepared', 'expired', 'completed', 'failed', 'undone'].some((status) =>
      isWorking(operation(status as 'queued')),
    ),
  ).toBe(false);
});
