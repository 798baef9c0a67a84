import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { call, NOW, seed, type TestDatabase, testDatabase } from '../../../test/support/harness.ts';
import { type Client, startLiveServer, withBearer } from '../../../test/support/live-clients.ts';
import { addMemory } from '../../../test/support/memories.ts';
import { addFile, jobCtx } from '../../../test/support/processing.ts';
import { handleExportArchive } from './exports/archive.handlers.ts';
import { saveDrafts } from './generation/save.store.ts';

// Events about memories that connected clients receive.

let database: TestDatabase;
let live: Awaited<ReturnType<typeof startLiveServer>>;
beforeAll(async () => {
  database = await testDatabase();
  live = await startLiveServer(database);
});
afterEach(() => live.hangUp());
afterAll(async () => {
  expect(await live.stop()).toBe('clean');
  await database.close();
});

const MEMORY = ['on_memory_update'];
const EXPORT = ['on_memory_export_update'];

/** Two clients of an account, and one of another. */
async function connect() {
  const [me, other] = [await seed(database).user(), await seed(database).user()];
  const clients = [
    await live.connect(withBearer(me)),
    await live.connect({ headers: { 'x-api-key': me.key } }),
    await live.connect(withBearer(other)),
  ] as const;
  const photo = await addFile(
    database,
    { name: 'a.jpg', bytes: Buffer.from(me.id) },
    { ownerId: me.id },
  );
  await live.received(...clients);
  return { me, other, clients, photo };
}

/** Expects the events for both clients of the owner, and none for the other account. */
async function expectTold(clients: readonly Client[], events: readonly string[][]) {
  expect<unknown>(await live.received(...clients)).toEqual([events, events, []]);
}

test('every change of a memory is sent once to all clients of the owner, and to nobody else', async () => {
  const { me, other, clients, photo } = await connect();
  const { body: memory } = await call(live.app, 'POST /memories', {
    as: me,
    body: { name: 'A trip', assetIds: [photo] },
  });
  await expectTold(clients, [MEMORY]);
  const change = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object, as = me) =>
    call(live.app, `${method} /memories/${path}`, { as, ...(body && { body }) });
  const ids = { ids: [photo] };
  const rule = { kind: 'date', date: '12-24' };
  for (const [method, path, body] of [
    ['PUT', memory.id, { isSaved: true }],
    ['PUT', memory.id, { isHidden: true }],
    ['DELETE', `${memory.id}/assets`, ids],
    ['PUT', `${memory.id}/assets`, ids],
    ['POST', 'show-less', rule],
    ['DELETE', 'show-less', rule],
    ['DELETE', memory.id, undefined],
  ] as const) {
    expect((await change(method, path, body)).status).toBeLessThan(300);
    await expectTold(clients, [MEMORY]);
  }
  expect((await change('PUT', memory.id, { isSaved: true }, other)).status).toBe(400);
  await expectTold(clients, []);
});

test('the memories of a night are sent as one event, a generation without new ones as none', async () => {
  const { me, clients, photo } = await connect();
  const draft = (key: string) => ({
    key,
    type: 'on_this_day' as const,
    data: { year: 2020 },
    subject: {},
    personId: null,
    petId: null,
    memoryAt: NOW,
    showAt: NOW,
    hideAt: NOW,
    assetIds: [photo],
  });
  const drafts = [draft('one'), draft('two')];
  const save = () => database.db.transaction((tx) => saveDrafts(tx, me.id, drafts, NOW));
  await save();
  await expectTold(clients, [MEMORY]);
  await save();
  await expectTold(clients, []);
});

test('each step of an export is sent to its owner', async () => {
  const { me, clients, photo } = await connect();
  const memory = await addMemory(database, { ownerId: me.id }, [photo]);
  await expectTold(clients, [MEMORY, MEMORY]);
  const { body: run } = await call(live.app, `POST /memories/${memory}/exports`, {
    as: me,
    body: { kind: 'archive' },
  });
  await expectTold(clients, [EXPORT]);
  const effect = await handleExportArchive(jobCtx(database), { operationId: run.id });
  // Running, when it began, how many there are, and the only one of them.
  await expectTold(clients, [EXPORT, EXPORT, EXPORT, EXPORT]);
  const after = await database.db.transaction(async (tx) => effect?.(tx));
  await after?.();
  const [mine] = await live.received(clients[0]);
  expect(mine?.map(([name]) => name).sort()).toEqual([...EXPORT, 'on_notification']);
  await call(live.app, `DELETE /memories/exports/${run.id}`, { as: me });
  expect(await live.received(clients[0], clients[2])).toEqual([[['on_memory_export_update']], []]);
});
