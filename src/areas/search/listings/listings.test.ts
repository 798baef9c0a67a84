import { describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../../test/support/database.ts';
import { addManyAssets } from '../../../../test/support/many-assets.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';

const { database, app, house } = await useHousehold();

const getIds = (items: { id: string }[]) => items.map((item) => item.id);

const large = (query: string, caller: Caller) =>
  call(app, `POST /search/large-assets${query}`, caller);

describe('large assets', () => {
  test('carry their metadata, asked for or not', async () => {
    for (const query of ['', '?withExif=false', '?withExif=true']) {
      const { body } = await large(query, { session: house.owner });
      expect(body.length).toBeGreaterThan(0);
      for (const item of body) expect(typeof item.exifInfo.fileSizeInByte).toBe('number');
    }
  });

  test('LM-030: values at the limits are accepted', async () => {
    for (const query of [
      'size=1',
      'size=1000',
      'minFileSize=0',
      'minFileSize=9007199254740991',
      'rating=1',
      'rating=5',
      'rating=null',
      'rating=',
    ]) {
      const reply = await large(`?${query}`, { session: house.owner });
      expect([query, reply.status]).toEqual([query, 200]);
    }
  });

  test('LM-031: values beyond them are refused, and named', async () => {
    for (const query of [
      'size=0',
      'size=1001',
      'minFileSize=-1',
      'rating=0',
      'rating=6',
      'type=PDF',
      'isFavorite=yes',
      'takenAfter=2020-01-01T00:00:00',
      'tagIds=x',
      'imageEnrichment=some',
    ]) {
      const reply = await large(`?${query}`, { session: house.owner });
      const [name] = query.split('=');
      expect([query, reply.status, reply.body.errors?.[0]?.path[0] ?? reply.body]).toEqual([
        query,
        400,
        name,
      ]);
    }
  });

  test('sorts by size, then id, without invisible ones', async () => {
    const me = await seed(database).user();
    const add = (fileSize: number, values: object = {}, exif: object = {}) =>
      seed(database).asset({ ownerId: me.id, fileSize, exif, ...values });
    const [small, big] = [await add(10, {}, { rating: 4 }), await add(10_000_000_000)];
    const equal = [await add(500), await add(500)].toSorted().toReversed();
    await add(99, { trashedAt: NOW });
    await add(99, { lockedAt: NOW });
    await add(99, { visibility: 'hidden' });
    const archived = await add(99, { visibility: 'archive' });
    await seed(database).asset({ ownerId: house.stranger.id, fileSize: 7_000_000 });
    const found = async (query = '') => getIds((await large(query, { as: me })).body);
    expect(await found()).toEqual([big, ...equal, small]);
    expect(await found('?size=1')).toEqual([big]);
    expect(await found('?minFileSize=501')).toEqual([big]);
    expect(await found('?visibility=archive')).toEqual([archived]);
    expect(await found('?rating=4')).toEqual([small]);
    expect(await found('?rating=null&size=2')).toEqual([big, equal[0]!]);
    expect(await found('?city=null')).toHaveLength(4);
    expect(await found('?city=')).toHaveLength(4);
    expect(await found('?city=Lisbon')).toEqual([]);
    expect(await found('?libraryId=null')).toHaveLength(4);
    expect(await found(`?tagIds=${crypto.randomUUID()}`)).toEqual([]);
    expect(await found('?tagIds=null')).toHaveLength(4);
    expect((await large('?withExif=true', { as: me })).body[0].exifInfo).toBeDefined();
  });

  test("by pets: finds the caller's confirmed pets only", async () => {
    const [me, other] = [await seed(database).user(), await seed(database).user()];
    const ids = [
      await seed(database).asset({ ownerId: me.id }),
      await seed(database).asset({ ownerId: me.id }),
    ] as const;
    const pet = async (owner: TestUser, species: string, isConfirmed: boolean) => {
      const [row] = await database.sql<{ id: string }[]>`
        insert into pet (owner_id, species, is_confirmed)
        values (${owner.id}, ${species}, ${isConfirmed}) returning id`;
      return row!.id;
    };
    const [dog, cat] = [await pet(me, 'dog', true), await pet(me, 'cat', false)];
    await database.sql`
      insert into pet_observation (asset_id, pet_id, species, score, x1, y1, x2, y2, model_id)
      values (${ids[1]}, ${dog}, 'dog', 1, 0, 0, 1, 1, 'm'), (${ids[0]}, ${cat}, 'cat', 1, 0, 0, 1, 1, 'm')`;
    const asked = (id: string, as = me) => large(`?petIds=${id}`, { as });
    expect(getIds((await asked(dog)).body)).toEqual([ids[1]]);
    expect((await asked(cat)).status).toBe(400);
    expect((await asked(dog, other)).body).toMatchObject({
      message: 'Not found or no pet.read access',
    });
    expect((await asked(await pet(other, 'dog', true))).status).toBe(400);
  });

  test('by analysis state: without models, all pictures are missing', async () => {
    const me = await seed(database).user();
    const id = await seed(database).asset({ ownerId: me.id });
    await seed(database).asset({ ownerId: me.id, type: 'VIDEO' });
    const found = async (state: string) =>
      getIds((await large(`?imageEnrichment=${state}`, { as: me })).body);
    expect(await found('missing')).toEqual([id]);
    for (const state of ['complete', 'partial', 'failed']) expect(await found(state)).toEqual([]);
  });

  test('pets that nobody has, and albums of others → 400; a guest → 403', async () => {
    const caller = { as: house.owner };
    expect((await large(`?petIds=${crypto.randomUUID()}`, caller)).status).toBe(400);
    const albumIds = `?albumIds=${house.albumId}`;
    expect((await large(albumIds, { as: house.stranger })).status).toBe(400);
    expect((await large(albumIds, caller)).status).toBe(200);
    expect((await large('?slug=assets', {})).status).toBe(403);
    const weak = await seed(database).user(['tag.read']);
    expect((await large('', { as: weak })).status).toBe(403);
  });
});

describe('by chance', () => {
  /** So many items that a page of ten is sampled. */
  const SAMPLED = 2200;
  const random = async (body: object, as: TestUser) =>
    (await call(app, 'POST /search/random', { as, body })).body;

  test('returns visible items in varying order, each once', async () => {
    const me = await seed(database).user();
    const ids = new Set(await addManyAssets(database, me.id, SAMPLED));
    await addManyAssets(database, me.id, 50, { trashedAt: NOW });
    const copies = await database.sql<{ id: string }[]>`
      update asset set is_copy = true where owner_id = ${me.id} and get_byte(sha1, 0) % 2 = 0
      returning id`;
    const isCopy = new Set(copies.map(({ id }) => id));
    const firsts = new Set<string>();
    let copiesFound = 0;
    for (let n = 0; n < 5; n++) {
      const some = getIds(await random({ size: 10 }, me));
      expect(new Set(some).size).toBe(10);
      for (const id of some) expect(ids.has(id)).toBe(true);
      copiesFound += some.filter((id: string) => isCopy.has(id)).length;
      firsts.add(some.join());
    }
    expect(copiesFound).toBeGreaterThan(0);
    expect(copiesFound).toBeLessThan(50);
    expect(firsts.size).toBe(5);
    expect(await random({}, me)).toHaveLength(250);
    expect(await random({ type: 'VIDEO' }, me)).toEqual([]);
  });

  test('of what a filter lets pass, whether that are many or few', async () => {
    const me = await seed(database).user();
    const ids = await addManyAssets(database, me.id, SAMPLED);
    const favorites = new Set(ids.filter((_, n) => n % 3 === 0));
    await database.sql`update asset set is_favorite = true where id = any(${[...favorites]})`;
    const videos = ids.filter((_, n) => n % 900 === 1);
    await database.sql`update asset set type = 'VIDEO' where id = any(${videos})`;
    const other = await seed(database).user();
    await addManyAssets(database, other.id, 300);
    for (const body of [{ isFavorite: true }, { isFavorite: true, isNotInAlbum: true }]) {
      const some = getIds(await random({ size: 10, ...body }, me));
      expect(new Set(some).size).toBe(10);
      expect(some.filter((id: string) => !favorites.has(id))).toEqual([]);
    }
    const few = getIds(await random({ size: 10, type: 'VIDEO' }, me));
    expect(few.toSorted()).toEqual(videos.toSorted());
    expect(await random({ size: 10, isFavorite: true, type: 'VIDEO' }, me)).toEqual([]);
  });

  test('samples what many items match, and returns no others', async () => {
    const me = await seed(database).user();
    const { sql } = database;
    await addManyAssets(database, me.id, 3000);
    for (const state of [{ trashedAt: NOW }, { visibility: 'archive' }, { visibility: 'hidden' }])
      await addManyAssets(database, me.id, 300, state);
    const rows = await sql<{ id: string }[]>`
      update asset set is_favorite = true where owner_id = ${me.id} and get_byte(sha1, 1) % 2 = 0
      returning case when visibility = 'timeline' and trashed_at is null then id end as id`;
    await sql`analyze asset`;
    const wanted = new Set(rows.map(({ id }) => id));
    const seen = new Set<string>();
    for (let n = 0; n < 30; n++) {
      const body = { isFavorite: true, visibility: 'timeline', size: 10 };
      const some = getIds(await random(body, me));
      expect(new Set(some).size).toBe(10);
      for (const id of some) expect(wanted.has(id)).toBe(true);
      for (const id of some) seen.add(id);
    }
    expect(seen.size).toBeGreaterThan(200);
    const stranger = await seed(database).user();
    expect(await random({ isFavorite: true }, stranger)).toEqual([]);
  });

  test('returns all items if there are fewer than requested', async () => {
    const names = async (body: object) => house.getNames(getIds(await random(body, house.owner)));
    const timeline = ['favorite', 'live', 'ofPartner', 'plain', 'stackChild', 'video'];
    expect(await names({ visibility: 'timeline' })).toEqual(timeline);
    expect(await names({ withArchived: false })).toEqual(timeline);
    expect(await names({})).toEqual(['archived', ...timeline]);
    for (const item of await random({}, house.owner)) expect(item.people).toEqual([]);
    const some = await random({ isFavorite: true, withExif: true, withPeople: true }, house.owner);
    expect(some).toMatchObject([
      { id: house.ids.favorite, people: [], exifInfo: { make: 'Canon' } },
    ]);
    expect(await random({}, await seed(database).user())).toEqual([]);
  });

  test('returns every item eventually', async () => {
    const me = await seed(database).user();
    const ids = await addManyAssets(database, me.id, 30);
    const seen = new Set<string>();
    for (let n = 0; n < 60 && seen.size < ids.length; n++) {
      for (const id of getIds(await random({ size: 10 }, me))) seen.add(id);
    }
    expect(seen.size).toBe(30);
  });
});

describe('in order', () => {
  const search = async (body: object, as: TestUser) =>
    (await call(app, 'POST /search/metadata', { as, body })).body.assets;

  test('by rating: rejected before unrated, and no page has an item of another', async () => {
    const me = await seed(database).user();
    const ratings = [5, null, -1, 3, 0, 5, 1, null, -1];
    const ids = new Map<string, number>();
    for (const rating of ratings) {
      const id = await seed(database).asset({ ownerId: me.id, exif: { rating } });
      ids.set(id, rating || -2);
    }
    await database.sql`delete from asset_exif where asset_id = ${[...ids.keys()].at(-2)!}`;
    for (const direction of ['desc', 'asc'] as const) {
      const seen: string[] = [];
      let page: number | undefined = 1;
      while (page) {
        const assets: { items: { id: string }[]; nextPage: string | null } = await search(
          { orderBy: { field: 'rating', direction }, size: 2, page },
          me,
        );
        seen.push(...getIds(assets.items));
        page = assets.nextPage ? Number(assets.nextPage) : undefined;
      }
      const sorted = [...ids.values()].toSorted((a, b) => (direction === 'asc' ? a - b : b - a));
      expect(seen.map((id) => ids.get(id)!)).toEqual(sorted);
      expect(new Set(seen).size).toBe(ids.size);
    }
    expect((await search({ rating: null }, me)).total).toBe(3);
    expect((await search({ filter: { rating: { ne: null } } }, me)).total).toBe(6);
    expect((await search({ rating: 5 }, me)).total).toBe(2);
  });

  test('by local capture time across months, ascending and descending', async () => {
    const me = await seed(database).user();
    for (let n = 0; n < 12; n++) {
      const takenAt = new Date(Date.UTC(2024, n % 5, 28 + (n % 4), 23, n));
      const local = new Date(takenAt.getTime() + (n % 3) * 5 * 3_600_000);
      const localTakenAt = local.toISOString().slice(0, -1);
      const visibility = n % 3 === 1 ? 'archive' : 'timeline';
      await seed(database).asset({ ownerId: me.id, takenAt, localTakenAt, visibility });
    }
    for (const direction of ['desc', 'asc'] as const) {
      const times: string[] = [];
      let cursor: string | null = null;
      do {
        const assets: { items: { localDateTime: string }[]; nextCursor: string | null } =
          await search(
            { orderBy: { field: 'localDateTime', direction }, size: 5, ...(cursor && { cursor }) },
            me,
          );
        times.push(...assets.items.map((item) => item.localDateTime));
        cursor = assets.nextCursor;
      } while (cursor);
      const sorted = times.toSorted((a, b) => a.localeCompare(b));
      expect(times).toEqual(direction === 'asc' ? sorted : sorted.toReversed());
      expect(times).toHaveLength(12);
    }
  });

  test('a far page is the same by number and by following pages', async () => {
    const me = await seed(database).user();
    await addManyAssets(database, me.id, 5600);
    await addManyAssets(database, me.id, 500, { visibility: 'archive' });
    await database.sql`
      update asset set local_taken_at = local_taken_at + (get_byte(sha1, 0) % 27 - 13) * interval '1 hour'
      where owner_id = ${me.id}`;
    const all = await database.sql<{ id: string; visibility: string }[]>`
      select id, visibility from asset where owner_id = ${me.id} order by taken_at desc, id desc`;
    const timeline = all.filter(({ visibility }) => visibility === 'timeline');
    for (const [page, size] of [
      [52, 100],
      [55, 100],
      [56, 100],
      [5, 1000],
      [6, 1000],
      [5199, 1],
      [57, 100],
    ] as const) {
      for (const [body, listed] of [
        [{}, all],
        [{ visibility: 'timeline' }, timeline],
      ] as const) {
        const { items, nextPage } = await search({ page, size, ...body }, me);
        const from = (page - 1) * size;
        expect(getIds(items)).toEqual(listed.slice(from, from + size).map((row) => row.id));
        expect(nextPage).toBe(from + size < listed.length ? String(page + 1) : null);
      }
    }
  });
});

test('suggestions are sorted without regard to case and punctuation', async () => {
  const me = await seed(database).user();
  const makes = ['Zeta', 'apple', "d'Arc", 'Canon', 'de Mar', '(Old) Kodak'];
  for (const make of makes) await seed(database).asset({ ownerId: me.id, exif: { make } });
  const { body } = await call(app, 'GET /search/suggestions?type=camera-make', { session: me });
  expect(body).toEqual(['apple', 'Canon', "d'Arc", 'de Mar', '(Old) Kodak', 'Zeta']);
});
