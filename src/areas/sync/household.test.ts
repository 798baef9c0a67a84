import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { call, type TestDatabase, type TestUser } from '../../../test/support/harness.ts';
import { type Household, openHousehold, unlock } from '../../../test/support/household.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';
import { saveRecognizedText } from '../../../test/support/recognized-text.ts';
import { type Copy, emptyCopy } from '../../../test/sync/client.ts';
import { readLines, syncCast } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';
import type { App } from '../../app.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const CAST = ['PersonV1', 'AssetFaceV2', 'AssetOcrV1'];

let database: TestDatabase;
let app: App;
let house: Household;
let people: Record<'everywhere' | 'locked' | 'trashed' | 'nowhere' | 'ofPartner', string>;
beforeEach(async () => {
  ({ database, app, house } = await openHousehold());
  const { owner, partner, ids } = house;
  const add = async (ownerId: string, name: string, assetIds: readonly string[]) => {
    const { id } = await addPerson(database, { ownerId, name });
    for (const assetId of assetIds) await addFace(database, { ownerId, assetId, personId: id });
    return id;
  };
  people = {
    everywhere: await add(owner.id, 'Everywhere', Object.values(ids).slice(0, -2)),
    locked: await add(owner.id, 'Locked', [ids.locked, ids.lockedArchive, ids.lockedTrash]),
    trashed: await add(owner.id, 'Trashed', [ids.trashed]),
    nowhere: await add(owner.id, 'Nowhere', []),
    ofPartner: await add(partner.id, 'Of partner', [ids.ofPartner]),
  };
  const read = async (assetId: string) =>
    saveRecognizedText(database, { assetId, ownerId: owner.id }, ['STOP'], 'm');
  for (const assetId of [ids.plain, ids.locked, ids.trashed]) await read(assetId);
});
afterEach(() => database.close());

const linesFor = (session: TestUser) => readLines(database, app, session);
const sync = (user: TestUser, copy: Copy) => syncCast(database, app, user, copy);

test('the owner gets people, faces and text of items that are not Locked', async () => {
  const lines = await linesFor(house.owner);
  const of = (type: string) => lines.filter((line) => line.type === type);
  // Faces refer to both.
  const order = ['AssetV2', 'AssetOcrV1', 'PersonV1', 'AssetFaceV2', 'UserMetadataV1'];
  const places = order.map((type) => lines.findIndex((line) => line.type === type));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
  expect(
    of('PersonV1')
      .map(({ data }): string => data.name)
      .toSorted(),
  ).toEqual(['Everywhere', 'Nowhere', 'Trashed']);
  const listAssetNames = (type: string) => house.getNames(of(type).map(({ data }) => data.assetId));
  const open = ['archived', 'favorite', 'hidden', 'live', 'liveVideo', 'plain', 'stackChild'];
  expect(listAssetNames('AssetFaceV2')).toEqual([...open, 'trashed', 'trashed', 'video']);
  expect(listAssetNames('AssetOcrV1')).toEqual(['plain', 'trashed']);
  const text = JSON.stringify(lines);
  for (const id of [people.locked, house.ids.locked, people.ofPartner]) {
    expect(text).not.toContain(id);
  }
});

test('a partner, an album member and an unrelated account get none of them', async () => {
  const { viewer, member, stranger, partner } = house;
  for (const user of [viewer, member, stranger]) {
    const lines = await linesFor(user);
    expect(lines.filter(({ type }) => CAST.includes(type))).toEqual([]);
    for (const id of Object.values(people)) expect(JSON.stringify(lines)).not.toContain(id);
  }
  const own = (await linesFor(partner)).filter(({ type }) => CAST.includes(type));
  expect(own.map(({ type, data }) => `${type} ${data.personId ?? data.id}`)).toEqual([
    `PersonV1 ${people.ofPartner}`,
    `AssetFaceV2 ${people.ofPartner}`,
  ]);
});

test('changes of them are sent to the owner only', async () => {
  const { owner, viewer, member, ids } = house;
  const copies = new Map([owner, viewer, member].map((user) => [user, emptyCopy()]));
  for (const [user, copy] of copies) await sync(user, copy);
  const { sql } = database;
  await sql`update person set name = 'New' where id = ${people.everywhere}`;
  await sql`delete from face where asset_id = ${ids.plain}`;
  await sql`delete from document where asset_id = ${ids.plain}`;
  expect(await sync(viewer, copies.get(viewer)!)).toEqual({});
  expect(await sync(member, copies.get(member)!)).toEqual({});
  expect(await sync(owner, copies.get(owner)!)).toEqual({
    PersonV1: 1,
    AssetFaceDeleteV1: 1,
    AssetOcrDeleteV1: 1,
  });
  await expectCopy(database, copies.get(owner)!, { id: owner.id });
});

test('people on Locked photos only are sent while the PIN is entered, and removed afterwards', async () => {
  const { owner, ids } = house;
  const copy = emptyCopy();
  await call(app, 'DELETE /sync/ack', { session: owner, body: {} });
  await sync(owner, copy);
  expect(copy.persons.has(people.locked)).toBe(false);
  await unlock(database, owner);
  await sync(owner, copy);
  expect(copy.persons.get(people.locked)).toMatchObject({ name: 'Locked', faceAssetId: null });
  expect([...copy.ocr.values()].map((line) => line['assetId'])).toContain(ids.locked);
  await expectCopy(database, copy, { id: owner.id, isElevated: true });
  await database.sql`update session set elevated_until = null where user_id = ${owner.id}`;
  expect(await sync(owner, copy)).toEqual({ PersonDeleteV1: 1 });
  await expectCopy(database, copy, { id: owner.id });
  expect(await sync(owner, copy)).toEqual({});
});
