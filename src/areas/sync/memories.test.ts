import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { addMemory, type NewMemory } from '../../../test/support/memories.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';
import { type Copy, emptyCopy, type Line, syncAll, syncOnce } from '../../../test/sync/client.ts';
import { connect, readLines, waitForWatermark } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const { database, app } = await useApp();
let me: TestUser;
let photo: string;
let copy: Copy;
beforeEach(async () => {
  me = await seed(database).user();
  photo = await seed(database).asset({ ownerId: me.id });
  copy = emptyCopy();
});

const add = (values: Omit<NewMemory, 'ownerId'> = {}, assetIds: readonly string[] = [photo]) =>
  addMemory(database, { ownerId: me.id, ...values }, assetIds);
/** Returns the memories of the copy, after a stream, with their assets. */
async function sync(): Promise<Record<string, string[]>> {
  await waitForWatermark(database);
  await syncAll(connect(app, me), copy);
  return Object.fromEntries(
    [...copy.memories.keys()].map((id) => [
      id,
      [...copy.memoryAssets.values()]
        .filter((row) => row['memoryId'] === id)
        .map((row) => row['assetId'] as string)
        .toSorted(),
    ]),
  );
}
const aboutMemories = (lines: readonly Line[]) =>
  lines.filter(({ type }) => type.startsWith('Memory')).map(({ type, data }) => ({ type, data }));

test('a memory of a day is sent with its assets, after both', async () => {
  const id = await add({ showAt: NOW, seenAt: NOW, isSaved: true, name: 'mine' });
  expect(aboutMemories(await readLines(database, app, me))).toEqual([
    {
      type: 'MemoryV1',
      data: {
        id,
        ownerId: me.id,
        type: 'on_this_day',
        data: { year: 2020 },
        isSaved: true,
        memoryAt: NOW.toISOString(),
        showAt: NOW.toISOString(),
        hideAt: null,
        seenAt: NOW.toISOString(),
        createdAt: NOW.toISOString(),
        updatedAt: expect.any(String),
        deletedAt: null,
      },
    },
    { type: 'MemoryToAssetV1', data: { memoryId: id, assetId: photo } },
  ]);
  expect(await sync()).toEqual({ [id]: [photo] });
  await expectCopy(database, copy, { id: me.id });
});

test('changes by the API reach the copy', async () => {
  const other = await seed(database).asset({ ownerId: me.id });
  const id = await add();
  await sync();
  const ask = (method: 'PUT' | 'DELETE', path: string, body?: object) =>
    call(app, `${method} /memories/${id}${path}`, { as: me, body });
  await ask('PUT', '/assets', { ids: [other] });
  expect(await sync()).toEqual({ [id]: [photo, other].toSorted() });
  await ask('DELETE', '/assets', { ids: [photo] });
  await ask('PUT', '', { isSaved: true });
  expect(await sync()).toEqual({ [id]: [other] });
  expect(copy.memories.get(id)!['isSaved']).toBe(true);
  await ask('PUT', '', { isHidden: true });
  expect(await sync()).toEqual({});
  await ask('PUT', '', { isHidden: false });
  expect(await sync()).toEqual({ [id]: [other] });
  await ask('DELETE', '');
  expect(await sync()).toEqual({});
  expect(aboutMemories(await readLines(database, app, me))).toEqual([]);
});

test('a memory that changes while it is sent keeps its assets', async () => {
  const [other, third] = [
    await seed(database).asset({ ownerId: me.id }),
    await seed(database).asset({ ownerId: me.id }),
  ];
  const [saved, grown] = [await add(), await add({}, [photo, other])];
  await waitForWatermark(database);
  await syncOnce(connect(app, me), copy, {
    batch: 1,
    async between() {
      await database.sql`update memory set is_saved = not is_saved where id = ${saved}`;
      await database.sql`insert into memory_asset (memory_id, asset_id, position)
        values (${grown}, ${third}, 2) on conflict do nothing`;
    },
  });
  expect(await sync()).toEqual({ [saved]: [photo], [grown]: [photo, other, third].toSorted() });
  await expectCopy(database, copy, { id: me.id });
});

test('no other type is sent, nor memories of others, of partners, or without assets', async () => {
  for (const type of ['person', 'pet', 'place', 'custom'] as const) await add({ type });
  await add({}, []);
  const partner = await seed(database).user();
  await database.sql`
    insert into partner (sharer_id, viewer_id) values (${partner.id}, ${me.id})`;
  const theirs = await seed(database).asset({ ownerId: partner.id });
  await addMemory(database, { ownerId: partner.id }, [theirs]);
  const mixed = await add({}, [theirs, photo]);
  await sync();
  await database.sql`update memory set is_saved = true`;
  await database.sql`delete from memory where id <> ${mixed}`;
  expect(await sync()).toEqual({ [mixed]: [photo] });
});

test('Locked members are sent in no session, and taken back when they are locked', async () => {
  const locked = await seed(database).asset({ ownerId: me.id, lockedAt: NOW });
  const mixed = await add({}, [photo, locked]);
  const alone = await add({}, [locked]);
  await unlock(database, me);
  expect(await sync()).toEqual({ [mixed]: [photo] });
  const lines = aboutMemories(await readLines(database, app, me));
  expect(JSON.stringify(lines)).not.toContain(locked);
  expect(JSON.stringify(lines)).not.toContain(alone);
  const move = (way: 'lock' | 'unlock', id: string) =>
    call(app, `POST /assets/${way}`, { session: me, body: { ids: [id] } });
  await move('unlock', locked);
  expect(await sync()).toEqual({ [mixed]: [photo, locked].toSorted(), [alone]: [locked] });
  await move('lock', photo);
  expect(await sync()).toEqual({ [mixed]: [locked], [alone]: [locked] });
  expect(copy.assets.has(photo)).toBe(true);
  await move('lock', locked);
  expect(await sync()).toEqual({});
  await move('unlock', photo);
  expect(await sync()).toEqual({ [mixed]: [photo] });
  await expectCopy(database, copy, { id: me.id, isElevated: true });
});

test('a rule takes memories and people out of the copy, and puts them back', async () => {
  const { id: personId } = await addPerson(database, { ownerId: me.id, name: 'Ann' });
  const shown = await seed(database).asset({ ownerId: me.id });
  await addFace(database, { ownerId: me.id, personId, assetId: shown });
  const eve = await add({ memoryAt: new Date('2020-12-24T12:00:00Z') });
  const mixed = await add({}, [photo, shown]);
  const only = await add({}, [shown]);
  const before = await sync();
  expect(Object.keys(before).toSorted()).toEqual([eve, mixed, only].toSorted());
  const rules = [
    { kind: 'date', date: '12-24' },
    { kind: 'person', personId },
  ];
  for (const body of rules) await call(app, 'POST /memories/show-less', { as: me, body });
  expect(await sync()).toEqual({ [mixed]: [photo] });
  for (const body of rules) await call(app, 'DELETE /memories/show-less', { as: me, body });
  expect(await sync()).toEqual(before);
});
