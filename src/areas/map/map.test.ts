import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { type Household, unlock } from '../../../test/support/household.ts';
import { ON_MAP, seedPlacedHousehold, seedPlacedPartner } from '../../../test/support/map.ts';
import { listDifferences } from '../../../test/support/schema.ts';
import { MapMarkerResponseDto } from './schemas.ts';

const { database, app } = await useApp();
let house: Household;
beforeAll(async () => {
  house = await seedPlacedHousehold(database);
});

async function markers(query = '', caller: Caller = { as: house.owner }) {
  const { status, body } = await call(app, `GET /map/markers?${query}`, caller);
  expect(status).toBe(200);
  expect(body.flatMap((marker: object) => listDifferences(MapMarkerResponseDto, marker))).toEqual(
    [],
  );
  return body as { id: string; lat: number; lon: number; city: string | null }[];
}
const shown = async (query = '', caller?: Caller) =>
  house.getNames((await markers(query, caller)).map(({ id }) => id));

describe('GET /map/markers returns each asset with a position', () => {
  test("of the caller's Timeline, and of the archive on request", async () => {
    expect(await shown()).toEqual(ON_MAP);
    expect(await shown('isArchived=false')).toEqual(ON_MAP);
    expect(await shown('isArchived=true')).toEqual(['archived', ...ON_MAP]);
    const all = await markers();
    expect(all.find(({ id }) => id === house.ids.plain)).toEqual({
      id: house.ids.plain,
      lat: 38.7,
      lon: -9.1,
      city: 'Lisbon',
      state: null,
      country: 'Portugal',
    } as never);
  });

  test('without locked assets, also in an unlocked session', async () => {
    await unlock(database, house.owner);
    expect(await shown('isArchived=true', { session: house.owner })).toEqual([
      'archived',
      ...ON_MAP,
    ]);
  });

  test("counts only the caller's own favorites", async () => {
    expect(await shown('isFavorite=true')).toEqual(['favorite']);
    expect(await shown('isFavorite=false')).toEqual(['plain', 'video']);
    const query = 'isFavorite=true&withPartners=true&withSharedAlbums=true';
    expect(await shown(query)).toEqual(['favorite']);
    expect(await shown(query, { as: house.member })).toEqual([]);
  });

  test("includes partners whose Timelines are shown in the caller's", async () => {
    expect(await shown('withPartners=true')).toEqual(
      ['ofPartner', ...ON_MAP].toSorted((a, b) => (a < b ? -1 : 1)),
    );
    expect(await shown('withPartners=true', { as: house.viewer })).toEqual([]);
  });

  test('includes shared albums without duplicates', async () => {
    expect(await shown('', { as: house.member })).toEqual([]);
    expect(await shown('withSharedAlbums=true', { as: house.member })).toEqual(ON_MAP);
    expect(await shown('withSharedAlbums=true&isArchived=true', { as: house.member })).toEqual([
      'archived',
      ...ON_MAP,
    ]);
    expect(await shown('withSharedAlbums=true', { as: house.stranger })).toEqual([]);
  });

  test('filters by the time of capture', async () => {
    const at = NOW.toISOString();
    expect(await shown(`fileCreatedAfter=${at}&fileCreatedBefore=${at}`)).toEqual(ON_MAP);
    expect(await shown('fileCreatedAfter=2026-01-03T00:00:00Z')).toEqual([]);
    expect(await shown('fileCreatedBefore=2026-01-02T04:04:04%2B01:00')).toEqual([]);
  });
});

test('omits assets of a partner who hides locations, also in albums', async () => {
  const { viewer, hidePlaces } = await seedPlacedPartner(app, database);
  const query = 'withPartners=true&withSharedAlbums=true';
  expect(await markers(query, { as: viewer })).toHaveLength(1);
  await hidePlaces();
  expect(await markers(query, { as: viewer })).toEqual([]);
});

test('returns thousands of markers once each, newest first', async () => {
  const me = await seed(database).user();
  const { sql } = database;
  await sql`insert into original (sha256, size)
    select sha256(('map' || n)::bytea), 1 from generate_series(1, 6000) n`;
  await sql`insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at,
      local_taken_at, file_modified_at)
    select ${me.id}, 'IMAGE', sha256, substring(sha256 from 1 for 20), 'a.jpg', 1,
      now() - make_interval(secs => get_byte(sha256, 0)), now(), now()
    from original where sha256 in (
      select sha256(('map' || n)::bytea) from generate_series(1, 6000) n)`;
  // A database that has just been filled by the thousand knows nothing about it.
  await sql`analyze asset`;
  await sql`insert into asset_exif (asset_id, latitude, longitude)
    select id, 10, 20 from asset where owner_id = ${me.id}`;
  const found = await markers('', { as: me });
  expect(found).toHaveLength(6000);
  expect(new Set(found.map(({ id }) => id)).size).toBe(6000);
});

describe('markers of an album', () => {
  const ofAlbum = (query = '', caller: Caller = { as: house.owner }) =>
    call(app, `GET /albums/${house.albumId}/map-markers?${query}`, caller);
  const names = async (query?: string, caller?: Caller) =>
    house.getNames((await ofAlbum(query, caller)).body.map(({ id }: { id: string }) => id));

  test('are returned to everyone who can open it', async () => {
    const expected = ['archived', ...ON_MAP];
    for (const who of [house.owner, house.member]) {
      expect(await names('', { as: who })).toEqual(expected);
    }
    expect(await names('slug=album', {})).toEqual(expected);
  });

  test('are empty for a link that hides metadata', async () => {
    const body = { type: 'ALBUM', albumId: house.albumId, showMetadata: false };
    const { key } = (await call(app, 'POST /shared-links', { as: house.owner, body })).body;
    expect(await ofAlbum(`key=${key}`, {})).toMatchObject({ status: 200, body: [] });
  });

  const refused: [string, string, () => Caller, number][] = [
    ['another user', '', () => ({ as: house.stranger }), 400],
    ['a guest of another link', 'slug=assets', () => ({}), 400],
    ['a client without credentials', '', () => ({}), 401],
  ];
  for (const [who, query, caller, status] of refused) {
    test(`${who} → ${status}`, async () => {
      expect((await ofAlbum(query, caller())).status).toBe(status);
    });
  }
});

describe('refusals', () => {
  test('returns an error for guests and for keys without the permission', async () => {
    expect((await call(app, 'GET /map/markers?slug=assets')).status).toBe(403);
    const weak: TestUser = await seed(database).user(['asset.read']);
    const reply = await call(app, 'GET /map/markers', { as: weak });
    expect(reply.body.message).toBe('Missing required permission: map.read');
  });
  for (const query of ['isArchived=maybe', 'fileCreatedAfter=2026-01-01T00:00:00']) {
    test(`${query} → 400`, async () => {
      expect((await call(app, `GET /map/markers?${query}`, { as: house.owner })).status).toBe(400);
    });
  }
});

test('returns the city of a position without network access', async () => {
  const at = (lat: number | string, lon: number) =>
    call(app, `GET /map/reverse-geocode?lat=${lat}&lon=${lon}`, { as: house.owner });
  expect((await at(38.7223, -9.1393)).body).toEqual([
    { city: 'Lisbon', state: 'Lisbon', country: 'Portugal' },
  ]);
  expect((await at(-40, -20)).body).toEqual([]);
  expect((await at(91, 0)).status).toBe(400);
  expect((await at('x', 0)).status).toBe(400);
  // As Immich converts what is left out.
  const message = 'Invalid input: expected number, received NaN';
  for (const [query, path] of [
    ['lon=1', 'lat'],
    ['lat=1', 'lon'],
  ] as const) {
    const { body } = await call(app, `GET /map/reverse-geocode?${query}`, { as: house.owner });
    expect(body.errors).toMatchObject([{ path: [path], message }]);
  }
});
