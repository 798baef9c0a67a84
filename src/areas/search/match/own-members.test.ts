import { describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../../test/support/database.ts';
import { call, type Caller, seed } from '../../../../test/support/harness.ts';
import { addLibrary, makeFolder, scan, writeFiles } from '../../../../test/support/libraries.ts';
import type { Asset } from '../../assets/schemas.ts';

// A filter reads what the answer shows: an item is found by each of its own members.

const { database, app, house } = await useHousehold();
const admin = await seed(database).user(['all'], { isAdmin: true });

const search = async (caller: Caller, body: object): Promise<{ id: string }[]> => {
  const reply = await call(app, 'POST /search/metadata', { ...caller, body });
  expect([body, reply.status]).toEqual([body, 200]);
  return reply.body.assets.items;
};
const read = async (caller: Caller, id: string): Promise<Asset> =>
  (await call(app, `GET /assets/${id}`, caller)).body;

/** The filters of an item by what its answer shows, those of the text search first. */
function* listFilters(item: Asset): Generator<object> {
  for (const name of ['id', 'checksum', 'originalFileName', 'originalPath', 'type'] as const) {
    yield { [name]: item[name] };
    yield { filter: { [name]: { eq: item[name] } } };
  }
  for (const name of ['isFavorite', 'isOffline', 'libraryId'] as const) {
    yield { [name]: item[name] };
  }
  for (const name of [
    'city',
    'country',
    'state',
    'make',
    'model',
    'lensModel',
    'rating',
  ] as const) {
    const value = item.exifInfo![name];
    if (value === null || value === undefined) continue;
    yield { [name]: value };
    yield { filter: { [name]: { eq: value } } };
  }
  yield { filter: { fileSizeInBytes: { eq: item.exifInfo!.fileSizeInByte } } };
  yield { takenAfter: item.fileCreatedAt, takenBefore: item.fileCreatedAt };
  yield { filter: { takenAt: { eq: item.fileCreatedAt } } };
  yield { createdAfter: item.createdAt, updatedAfter: item.updatedAt };
}

async function expectFound(caller: Caller, id: string): Promise<void> {
  const item = await read(caller, id);
  for (const filter of listFilters(item)) {
    const found = await search(caller, { visibility: item.visibility, ...filter, size: 1000 });
    expect([filter, found.map((one) => one.id)]).toEqual([filter, expect.arrayContaining([id])]);
  }
}

describe('an item is found by each of its members', () => {
  const states = [
    'plain',
    'favorite',
    'video',
    'archived',
    'hidden',
    'live',
    'stackChild',
  ] as const;
  test.each(states)('%s', async (state) => {
    await expectFound({ session: house.owner }, house.ids[state]);
  });

  test('of a partner', () => expectFound({ session: house.owner }, house.ids.ofPartner));
});

test('an item of a library is found by its path, by its owner only', async () => {
  const me = await seed(database).user();
  const folder = await makeFolder();
  await writeFiles(folder, { 'trip/a.jpg': 'a' });
  const libraryId = await addLibrary(app, admin, me.id, [folder]);
  await scan(database, app, admin, libraryId);
  const [row] = await database.sql`select id from asset where library_id = ${libraryId}`;
  const { id } = row as unknown as { id: string };
  await expectFound({ session: me }, id);
  const { originalPath } = await read({ session: me }, id);
  expect(originalPath).toBe(`${folder}/trip/a.jpg`);
  await database.sql`
    insert into partner (sharer_id, viewer_id, in_timeline) values (${me.id}, ${house.viewer.id}, true)`;
  const partner = { session: house.viewer };
  const seen = await read(partner, id);
  expect(seen.originalPath).not.toContain(folder);
  const findBy = async (filter: object) =>
    (await search(partner, { ...filter, size: 1000 })).map((item) => item.id);
  expect(await findBy({ originalPath: seen.originalPath })).toContain(id);
  // Nor can it be guessed.
  expect(await findBy({ originalPath: folder })).toEqual([]);
  expect(await findBy({ filter: { originalPath: { startsWith: folder } } })).toEqual([]);
});
