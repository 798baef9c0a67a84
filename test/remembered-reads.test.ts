import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { deleteForGood } from './support/deletion.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../src/app.ts';
import { openDatabase } from '../src/db/client.ts';
import { listKinds } from '../src/read-cache/memory.ts';
import { useApp } from './support/database.ts';
import { createSeededRandom, effort, isFull } from './support/effort.ts';
import { call, type Caller, seed, testApp, type TestUser } from './support/harness.ts';
import type { Json } from './support/json.ts';
import { addFace, addPerson } from './support/people.ts';
import { until } from './support/until.ts';

// A process remembers between requests only what it would read now, after any change, for everybody who asks; and
// an answer that is remembered costs the statement that identifies the caller.

type Route = Parameters<typeof call>[1];
const PERSON = crypto.randomUUID();
const ALBUM = crypto.randomUUID();
const AFTER = 'fileCreatedAfter=2020-02-01T00:00:00Z';

type Read = { readonly route: Route; readonly body?: object };

/** Reads whose answers are remembered, with the number of statements that one costs then. */
const READS: readonly (Read & { readonly statements: number })[] = [
  { route: 'POST /search/statistics', body: {}, statements: 1 },
  { route: 'POST /search/statistics', body: { isFavorite: true }, statements: 1 },
  { route: 'POST /search/statistics', body: { make: 'Canon' }, statements: 1 },
  {
    route: 'POST /search/statistics',
    body: { withDeleted: true, filter: { hasTags: { eq: true } } },
    statements: 1,
  },
  { route: 'POST /search/histogram', body: { granularity: 'day' }, statements: 1 },
  {
    route: 'POST /search/histogram',
    body: { filter: { hasPeople: { eq: true } }, withArchived: true },
    statements: 1,
  },
  { route: 'POST /search/histogram', body: { granularity: 'month', type: 'IMAGE' }, statements: 1 },
  { route: 'POST /search/facets', body: {}, statements: 1 },
  { route: 'POST /search/facets', body: { make: 'Canon' }, statements: 1 },
  { route: 'POST /search/facets', body: { visibility: 'archive' }, statements: 1 },
  // Whether the caller may open the album, and its log.
  { route: 'POST /search/facets', body: { albumIds: [ALBUM] }, statements: 3 },
  {
    route: 'POST /search/statistics',
    body: { filter: { or: [{ albumIds: { none: [ALBUM] } }, { isFavorite: { eq: true } }] } },
    statements: 3,
  },
  {
    route: 'POST /search/histogram',
    body: { albumIds: [ALBUM], withArchived: true, granularity: 'day' },
    statements: 3,
  },
  { route: 'POST /search/metadata', body: { albumIds: [ALBUM], order: 'asc' }, statements: 3 },
  { route: 'GET /search/cities', statements: 1 },
  { route: 'GET /search/cities/counts', statements: 1 },
  { route: 'GET /search/explore', statements: 1 },
  // A statement that can be cancelled is in a transaction of its own: three more.
  { route: 'GET /map/markers', statements: 5 },
  { route: 'GET /map/markers?isArchived=true', statements: 5 },
  { route: 'GET /map/markers?isFavorite=true', statements: 5 },
  { route: 'GET /map/markers?withPartners=true', statements: 5 },
  { route: 'GET /map/clusters?bbox=-180,-85,180,85&zoom=9&isFavorite=true', statements: 1 },
  {
    route: `GET /map/clusters?bbox=-10,30,0,50&zoom=8&isArchived=true&withPartners=true&${AFTER}`,
    statements: 1,
  },
  { route: 'POST /search/metadata', body: {}, statements: 1 },
  { route: 'POST /search/metadata', body: { make: 'Canon', withExif: true }, statements: 1 },
  { route: 'POST /search/metadata', body: { size: 2, city: 'Lisbon' }, statements: 1 },
  {
    route: 'POST /search/metadata',
    body: { filter: { hasTags: { eq: true }, rating: { gte: 3 } }, withStacked: true },
    statements: 1,
  },
  {
    route: 'POST /search/metadata',
    body: { filter: { or: [{ hasPeople: { eq: true } }, { isFavorite: { eq: true } }] } },
    statements: 1,
  },
  { route: 'POST /search/metadata', body: { withDeleted: true, order: 'asc' }, statements: 1 },
  { route: 'GET /memories', statements: 3 },
  { route: 'GET /memories?isSaved=true&order=asc', statements: 3 },
  { route: 'GET /people', statements: 2 },
  { route: 'GET /people?withHidden=true', statements: 2 },
  { route: `GET /people/${PERSON}/statistics`, statements: 2 },
];

const { database, app } = await useApp();
const { sql } = database;
const { databaseUrl } = database.deps.settings;
let [me, partner]: TestUser[] = [];
let people: string[] = [];
let forgetful: App;
const other = openDatabase(databaseUrl!, { max: 2 });
afterAll(() => other.close());
beforeAll(async () => {
  [me, partner] = [await seed(database).user(), await seed(database).user()];
  await sql`insert into partner (sharer_id, viewer_id, in_timeline) values (${me.id}, ${partner.id}, true)`;
  people = [];
  for (const name of ['Anna', ''])
    people.push((await addPerson(database, { ownerId: me.id, name })).id);
  await sql`insert into person (id, owner_id, name) values (${PERSON}, ${me.id}, 'Carla')`;
  people.push(PERSON);
  await sql`insert into album (id, owner_id, name) values (${ALBUM}, ${me.id}, 'Album')`;
  await sql`insert into album_user (album_id, user_id, role) values (${ALBUM}, ${partner.id}, 'editor')`;
  for (let n = 0; n < 6; n++) await addAsset(n);
  const settings = { ...database.deps.settings, readCacheBytes: 1 };
  forgetful = testApp(database, { db: other.db, sql: other.sql, settings });
});

const random = createSeededRandom('remembered reads');
const CITIES = ['Lisbon', 'Porto', 'Faro'];

async function addAsset(n: number): Promise<string> {
  const day = `2020-0${1 + (n % 3)}-0${1 + (n % 9)}`;
  const city = CITIES[n % CITIES.length]!;
  const place = n % 4 ? { latitude: 38 + n / 10, longitude: -9 } : {};
  const id = await seed(database).asset({
    ownerId: me!.id,
    takenAt: new Date(`${day}T12:00:00Z`),
    localTakenAt: `${day} 12:00:00`,
    exif: { ...place, city, country: 'Portugal', make: n % 2 ? 'Canon' : 'Nikon' },
  });
  await addFace(database, { ownerId: me!.id, assetId: id, personId: random.pick(people) });
  return id;
}

const listIds = async (table: 'asset' | 'tag' | 'stack'): Promise<string[]> =>
  (await sql`select id from ${sql(table)} where owner_id = ${me!.id} order by id`).map(
    (row) => row['id'],
  );
const pickSome = async (): Promise<string[]> => {
  const ids = await listIds('asset');
  return [...new Set([random.pick(ids), random.pick(ids)])];
};
const ask = (route: Route, body: object) => call(app, route, { session: me, body });
const updateAll = async (change: object) =>
  ask('PUT /assets', { ids: await pickSome(), ...change });

/** Changes of a library, by the API as far as it can. */
const CHANGES: Readonly<Record<string, () => Promise<unknown>>> = {
  'an asset comes': () => addAsset(random.below(9)),
  favorites: () => updateAll({ isFavorite: random.below(2) === 0 }),
  'archived or not': () =>
    updateAll({ visibility: random.pick(['archive', 'timeline', 'hidden']) }),
  locked: () => updateAll({ visibility: 'locked' }),
  unlocked: () => sql`update asset set locked_at = null where owner_id = ${me!.id}`,
  'another day': () => updateAll({ dateTimeOriginal: `2020-0${1 + random.below(9)}-11T10:00:00Z` }),
  'a rating': () => updateAll({ rating: 1 + random.below(5) }),
  'another city': () => sql`update asset_exif set city = ${random.pick(CITIES)}
    where asset_id in (select id from asset where owner_id = ${me!.id} order by random() limit 1)`,
  'another place':
    () => sql`update asset_exif set latitude = ${30 + random.below(20)}, longitude = -9
    where asset_id in (select id from asset where owner_id = ${me!.id} order by random() limit 1)`,
  'to the trash': async () => ask('DELETE /assets', { ids: await pickSome() }),
  'back from the trash': () => ask('POST /trash/restore', {}),
  'deleted for ever': async () => {
    const gone = await sql`
      select id from asset where owner_id = ${me!.id} and trashed_at is not null order by id limit 1`;
    await deleteForGood(
      database,
      gone.map((row) => row['id']),
    );
  },
  'new tags': async () => ask('PUT /tags', { tags: [random.pick(['a', 'a/b', 'c'])] }),
  'another color': async () =>
    sql`update tag set color = ${`#00000${random.below(9)}`} where owner_id = ${me!.id}`,
  'a tag is renamed': async () => {
    const [id] = await listIds('tag');
    if (id) await ask(`PUT /tags/${id}`, { name: `t${random.below(99)}` });
  },
  'a tag goes': async () => {
    const ids = await listIds('tag');
    if (ids.length > 0) await ask(`DELETE /tags/${random.pick(ids)}`, {});
  },
  'assets get tags': async () =>
    ask('PUT /tags/assets', { tagIds: await listIds('tag'), assetIds: await pickSome() }),
  'a stack': async () => ask('POST /stacks', { assetIds: await pickSome() }),
  'a memory': async () =>
    ask('POST /memories', {
      type: 'on_this_day',
      data: { year: 2020 },
      memoryAt: '2020-01-11T00:00:00Z',
      assetIds: await pickSome(),
    }),
  'a memory of a pet': async () => {
    const [pet] =
      await sql`insert into pet (owner_id, name, species) values (${me!.id}, 'Rex', 'dog')
      on conflict (owner_id, species) where is_default do update set name = ${`Rex ${random.below(99)}`}
      returning id`;
    await sql`update memory set pet_id = ${pet!['id']}, type = 'pet', name = null where id in (
      select id from memory where owner_id = ${me!.id} order by id limit 1)`;
  },
  'a pet is renamed': () =>
    sql`update pet set name = ${`Rex ${random.below(99)}`} where owner_id = ${me!.id}`,
  'memories are saved': () =>
    sql`update memory set is_saved = ${random.below(2) === 0} where owner_id = ${me!.id}`,
  'no memories': () =>
    ask('PUT /users/me/preferences', { memories: { enabled: random.below(2) === 0 } }),
  'no stacks': async () => ask('DELETE /stacks', { ids: await listIds('stack') }),
  'a name': () => ask(`PUT /people/${random.pick(people)}`, { name: `P${random.below(99)}` }),
  'hidden or not': () =>
    ask(`PUT /people/${random.pick(people)}`, { isHidden: random.below(2) === 0 }),
  'faces of another person': () =>
    sql`update face set person_id = ${random.pick(people)} where owner_id = ${me!.id} and id in (
      select id from face where owner_id = ${me!.id} order by random() limit 2)`,
  'faces are hidden or not': () =>
    sql`update face set is_hidden = not is_hidden where owner_id = ${me!.id} and id in (
      select id from face where owner_id = ${me!.id} order by random() limit 1)`,
  'an album gets assets': async () => ask(`PUT /albums/${ALBUM}/assets`, { ids: await pickSome() }),
  'an album loses assets': async () =>
    ask(`DELETE /albums/${ALBUM}/assets`, { ids: await pickSome() }),
  'the album of a partner gets assets': async () => {
    const id = await seed(database).asset({ ownerId: partner!.id, exif: { make: 'Canon' } });
    await call(app, `PUT /albums/${ALBUM}/assets`, { session: partner!, body: { ids: [id] } });
  },
  'a face goes': () => sql`delete from face where id in (
    select id from face where owner_id = ${me!.id} order by id limit 1)`,
};

const callers = (): readonly Caller[] => [{ as: me }, { session: me }, { session: partner }];

/** Any item of a city or cluster is an example of it (`cities.test.ts` asks whether it may be shown). */
function toComparable(route: Route, body: Json): unknown {
  if (route === 'GET /search/cities')
    return body.map(({ exifInfo }: { exifInfo: { city: string } }) => exifInfo.city);
  if (route.startsWith('GET /map/clusters'))
    return body.clusters
      .map(({ cell, count }: { cell: string; count: number }) => [cell, count])
      .sort();
  if (route !== 'GET /search/explore') return body;
  return body.map(({ items, ...field }: { items: { value: string }[] }) => [
    field,
    items.map(({ value }) => value),
  ]);
}

/** Compares each read, asked by each caller; in a quick run every second one, at random, asked by one of them. */
async function compareAll(): Promise<void> {
  for (const { route, body } of READS.filter(() => isFull || random.below(2) === 0)) {
    for (const caller of isFull ? callers() : [random.pick(callers())]) {
      const [shown, true_] = [
        await call(app, route, { ...caller, body }),
        await call(forgetful, route, { ...caller, body }),
      ];
      expect({ route, body: toComparable(route, shown.body) }).toEqual({
        route,
        body: toComparable(route, true_.body),
      });
    }
  }
}

test('what is remembered is what would be read, after any change', async () => {
  await compareAll();
  for (let run = 0; run < effort({ quick: 1, full: 8 }); run++) {
    for (const change of Object.values(CHANGES).sort(() => random.below(3) - 1)) {
      await change();
      await compareAll();
    }
  }
  // Something is left of everything that was compared.
  expect((await call(app, 'GET /assets/statistics', { as: me })).body.total).toBeGreaterThan(0);
}, 600_000);

test('an elevated session sees what is Locked, and leaves nothing of it to others', async () => {
  const id = await addAsset(4);
  const [tag] = (await ask('PUT /tags', { tags: ['secret'] })).body;
  await ask('PUT /tags/assets', { tagIds: [tag.id], assetIds: [id] });
  await ask('PUT /assets', { ids: [id], visibility: 'locked' });
  const listTags = async (caller: Caller) =>
    JSON.stringify((await call(app, 'GET /tags', caller)).body);
  const elevate = (until: string | null) =>
    sql`update session set elevated_until = ${until} where user_id = ${me!.id}`;
  await elevate('2100-01-01');
  expect(await listTags({ session: me })).toContain('secret');
  expect(await listTags({ as: me })).not.toContain('secret');
  await elevate(null);
  expect(await listTags({ session: me })).not.toContain('secret');
});

test('src/read-cache/README.md lists every kind', () => {
  const text = readFileSync(join(import.meta.dir, '../src/read-cache/README.md'), 'utf8');
  const [, section] = text.split('## What is remembered');
  const listed = [...section!.matchAll(/^\| `([a-z ]+)` +\|/gm)].map(([, kind]) => kind);
  const kinds = listKinds().filter((kind) => !kind.includes('test'));
  expect(new Set(listed)).toEqual(new Set(kinds));
});

describe('the statements of a remembered answer', () => {
  let counted = 0;
  beforeAll(() => {
    // The driver calls it for each statement that it sends.
    sql.options.debug = () => {
      counted += 1;
    };
  });
  afterAll(() => {
    sql.options.debug = false;
  });

  for (const { route, body, statements } of READS) {
    test(`${route} ${JSON.stringify(body ?? {})}: ${statements}`, async () => {
      const count = async () => {
        const before = counted;
        await call(app, route, { as: me, body });
        return counted - before;
      };
      // A transaction that runs in another database delays it; for a new connection, the server reads the epoch beside it.
      await until(async () => (await count()) === statements, 120_000);
    });
  }
});
