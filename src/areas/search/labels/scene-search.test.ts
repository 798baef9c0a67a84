import { beforeEach, expect, test } from 'bun:test';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { type Seen, useSeenLibrary } from '../../../../test/support/seen-library.ts';
import type { Layout } from '../../../inference/index.ts';

const library = await useSeenLibrary();
const { database, app } = library;
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const add = (seen: Seen, values?: object) => library.add(me, seen, values);
const finish = () => library.finish();
const search = (query: string, as = me) => library.search(as, query);

/** Sky, water and sand, from top to bottom. */
const BEACH: Layout = [3, 2, 3].flatMap((rows, band) =>
  Array.from({ length: rows * 8 }, () => {
    const [red, green, blue] = [
      [110, 160, 220],
      [40, 120, 170],
      [225, 200, 150],
    ][band]!;
    return [red!, green!, blue!, 8] as const;
  }),
);

test('a scene is found and counted among what the searcher may see, in each language', async () => {
  const seen = { layout: BEACH };
  const beach = await add(seen);
  const surfer = await add({ ...seen, objects: { surfboard: 0.9, person: 0.9 } });
  await add({ objects: { couch: 0.9 } });
  for (const state of [
    { lockedAt: new Date() },
    { trashedAt: new Date() },
    { visibility: 'archive' },
    { visibility: 'hidden' },
  ])
    await add(seen, state);
  const stranger = await seed(database).user();
  const theirs = await add(seen, { ownerId: stranger.id });
  await finish();
  for (const query of ['beach', 'Strand', 'plaża', '海滩', 'photos of the beach'])
    expect([query, (await search(query)).toSorted()]).toEqual([query, [beach, surfer].toSorted()]);
  expect(await search('beach', stranger)).toEqual([theirs]);
  expect(await search('person at the beach')).toEqual([surfer]);
  expect(await search('beach without people')).toEqual([beach]);
  expect(await search('mountains')).toEqual([]);
  for (const route of ['facets', 'histogram', 'statistics']) {
    const { body } = await call(app, `POST /search/${route}`, { as: me, body: { query: 'beach' } });
    expect([route, body.total]).toEqual([route, 2]);
  }
});

test('a scene that is not claimed is a less certain result, until it is removed', async () => {
  const sea: Layout = Array.from({ length: 64 }, (_, at) =>
    at < 24 ? ([110, 160, 220, 8] as const) : ([40, 120, 170, 8] as const),
  );
  const claimed = await add({ layout: sea, tags: { seashore: 0.9 } });
  const likely = await add({ layout: sea });
  const locked = await add({ layout: sea }, { lockedAt: new Date() });
  await finish();
  const searchAll = async (query: string) => {
    const body = { query, lessCertain: true };
    const { assets } = (await call(app, 'POST /search/ask', { as: me, body })).body;
    return assets.items.map(({ id }: { id: string }) => id) as string[];
  };
  for (const query of ['sea', 'Meer', 'ocean']) {
    expect([query, await search(query)]).toEqual([query, [claimed]]);
    const all = await searchAll(query);
    expect([query, all.slice(0, 2), all.includes(locked)]).toEqual([
      query,
      [claimed, likely],
      false,
    ]);
  }
  const list = await call(app, `GET /assets/${likely}/labels`, { as: me });
  expect(list.body).toEqual([]);
  const say = (isRight: boolean) =>
    call(app, `PUT /assets/${likely}/labels`, { as: me, body: { label: 'sea', isRight } });
  await say(true);
  await finish();
  expect((await search('sea')).toSorted()).toEqual([claimed, likely].toSorted());
  await say(false);
  await finish();
  expect(await search('sea')).toEqual([claimed]);
  // Sky and trees are part of many scenes: they are known words, but no picture is claimed for them.
  for (const query of ['sky', 'Himmel', 'trees'])
    expect([query, await search(query)]).toEqual([query, []]);
  expect((await searchAll('sky'))[0]).toEqual(claimed);
});

test('a scene goes by the light: the exposure, and the sun where and when a photo was taken', async () => {
  const dark = Array.from({ length: 64 }, (_, at) =>
    at === 36 ? ([240, 220, 160, 60] as const) : ([10, 10, 16, 3] as const),
  );
  const night = { exif: { fNumber: 1.8, exposureTime: '1/8', iso: 3200 } };
  const noon = { exif: { fNumber: 8, exposureTime: '1/500', iso: 100 } };
  const berlin = { latitude: 52.5, longitude: 13.4 };
  const at = (takenAt: string, dateSource: string) => ({
    takenAt: new Date(takenAt),
    exif: { ...berlin, dateSource },
  });
  const found = [
    await add({ layout: dark }, night),
    await add({ layout: dark }, at('2024-01-10T22:00:00Z', 'DateTimeOriginal')),
  ];
  await add({ layout: dark }, noon);
  await add({ layout: dark }, at('2024-06-10T11:00:00Z', 'DateTimeOriginal'));
  // Nobody knows when that was.
  await add({ layout: dark }, at('2024-01-10T22:00:00Z', 'FileModified'));
  await finish();
  expect((await search('night')).toSorted()).toEqual(found.toSorted());
});
