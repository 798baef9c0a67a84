import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { albums } from '../../../db/tables/albums.ts';
import { partners } from '../../../db/tables/identity.ts';
import { tagAssets, tags } from '../../../db/tables/tags.ts';
import { type Candidate, complete } from './complete.ts';

const { database, app } = await useApp();

describe('what was typed is completed at its end', () => {
  const name = (kind: Candidate['kind'], label: string, count = 0): Candidate => ({
    kind,
    label,
    count,
  });
  const NAMES = [
    name('person', 'Anna Lee'),
    name('person', 'Joanna'),
    name('person', 'Jörg', 1),
    name('person', 'Lee Ann'),
    name('place', 'Ankara', 3),
    name('place', 'Andorra', 9),
    name('place', 'New York', 5),
    name('place', 'Newcastle', 2),
    name('place', '東京', 2),
    name('album', 'Ankara 2020'),
    name('tag', 'antiques'),
    name('tag', 'Lee Ann'),
  ];
  const texts = (query: string, size = 8) => complete(query, NAMES, size).map(({ text }) => text);
  test.each<[string, string[]]>([
    ['an', ['Anna Lee', 'album Ankara 2020', 'Andorra', 'Ankara', 'antiques', 'Lee Ann']],
    ['beach with ann', ['beach with Anna Lee', 'beach with Lee Ann']],
    ['lee', ['Lee Ann', 'Anna Lee']],
    ['anna l', ['Anna Lee']],
    ['photos in new', ['photos in New York', 'photos in Newcastle']],
    ['photos in new ', ['photos in New York']],
    ['jorg', ['Jörg']],
    ['東', ['東京']],
    ['in album ank', ['in album Ankara 2020', 'in album Ankara']],
    // Nothing is left to complete.
    ['Anna Lee', []],
    ['xyz', []],
    ['?!', []],
    ['%_', []],
  ])('%p', (query, expected) => expect(texts(query)).toEqual(expected));

  test('with at most as many as asked for, and not of one kind alone', () => {
    expect(texts('an', 2)).toEqual(['Anna Lee', 'album Ankara 2020']);
    const many = Array.from({ length: 20 }, (_, at) => name('person', `Ann ${at}`));
    const found = complete('an', [...many, ...NAMES], 8);
    expect(found.filter(({ kind }) => kind === 'person')).toHaveLength(4);
    expect(found.map(({ label }) => label)).toContain('Andorra');
  });
});

describe('the names of a library', () => {
  let [me, partner]: TestUser[] = [];
  const labels = async (query: string, as = me!) =>
    (await call(app, `GET /search/completions?query=${query}`, { as })).body.map(
      ({ kind, label }: { kind: string; label: string }) => `${kind} ${label}`,
    );

  beforeAll(async () => {
    me = await seed(database).user();
    partner = await seed(database).user();
    const stranger = await seed(database).user();
    const asset = (ownerId: string, city: string, over: object = {}) =>
      seed(database).asset({ ownerId, exif: { city, country: null }, ...over });
    const mine = await asset(me.id, 'Zagreb');
    const locked = await asset(me.id, 'Zlocked', { lockedAt: new Date() });
    await asset(me.id, 'Ztrashed', { trashedAt: new Date() });
    await asset(stranger.id, 'Zstranger');
    await asset(partner.id, 'Zpartner');
    for (const [ownerId, name, isHidden] of [
      [me.id, 'Zoe', false],
      [me.id, 'Zhidden', true],
      [stranger.id, 'Zstrange', false],
      [partner.id, 'Zpartnered', false],
    ] as const)
      await database.sql`insert into person (owner_id, name, is_hidden, is_manual)
        values (${ownerId}, ${name}, ${isHidden}, true)`;
    const [trip] = await database.db
      .insert(tags)
      .values({ ownerId: me.id, value: 'Trip' })
      .returning();
    for (const [value, parentId, assetId] of [
      ['Trip/Zermatt', trip!.id, mine],
      ['Zsecret', null, locked],
    ] as const) {
      const [tag] = await database.db
        .insert(tags)
        .values({ ownerId: me.id, value, parentId })
        .returning();
      await database.db.insert(tagAssets).values({ tagId: tag!.id, assetId });
    }
    await database.sql`insert into pet (owner_id, name, species) values
      (${me.id}, 'Zorro', 'dog'), (${stranger.id}, 'Zstray', 'cat')`;
    await database.db.insert(albums).values([
      { ownerId: me.id, name: 'Zoo' },
      { ownerId: stranger.id, name: 'Zalien' },
    ]);
    await database.db
      .insert(partners)
      .values({ sharerId: partner.id, viewerId: me.id, inTimeline: true });
  });

  const OWN = ['person Zoe', 'pet Zorro', 'album Zoo'];
  test('are the own ones, and places of partners who show them', async () => {
    expect(await labels('z')).toEqual([...OWN, 'place Zagreb', 'place Zpartner', 'tag Zermatt']);
    await database.db.update(partners).set({ hidesPlaces: true });
    expect(await labels('z')).toEqual([...OWN, 'place Zagreb', 'tag Zermatt']);
    await database.db.update(partners).set({ hidesPlaces: false });
    expect(await labels('z', partner!)).toEqual(['person Zpartnered', 'place Zpartner']);
    expect(await labels('')).toEqual([]);
  });

  test('and the months and years of the own Timeline, in a language', async () => {
    const stranger = await seed(database).user();
    const taken = (day: string, over: object = {}) =>
      seed(database).asset({ ownerId: me!.id, takenAt: new Date(`${day}T12:00:00Z`), ...over });
    await taken('2001-05-01');
    await taken('2001-08-01');
    await taken('1999-08-01');
    await taken('2001-06-01', { lockedAt: new Date() });
    await taken('2001-07-01', { trashedAt: new Date() });
    await taken('2001-09-01', { visibility: 'archive' });
    await taken('2001-10-01', { ownerId: stranger.id });
    expect(await labels('2001')).toEqual(['date August 2001', 'date May 2001']);
    expect(await labels('in%20aug')).toEqual(['date August 2001', 'date August 1999']);
    expect(await labels('199')).toEqual(['date 1999', 'date August 1999']);
    expect(await labels('2001', stranger)).toEqual(['date October 2001']);
    const find = async (query: string, language: string) =>
      (
        await call(app, `GET /search/completions?query=${query}&language=${language}`, { as: me })
      ).body.map(({ label, text }: Record<string, string>) => [label, text]);
    expect(await find('Paris%20ao%C3%BBt%202', 'fr')).toEqual([['août 2001', 'Paris août 2001']]);
    expect(await find('mai', 'de')).toEqual([['Mai 2001', 'Mai 2001']]);
    // Holidays of months that have items: none is in May, in August or in another's October.
    expect(await find('hallo', 'en')).toEqual([]);
    await taken('2001-12-01');
    expect(await find('Paris%20no', 'fr')).toEqual([
      ['Noël', 'Paris Noël'],
      ['Veille de Noël', 'Paris Veille de Noël'],
    ]);
    expect(await find('valent', 'en')).toEqual([]);
  });

  test('lead to what has a page of its own', async () => {
    const { body } = await call(app, 'GET /search/completions?query=z', { as: me! });
    const [album] = await database.sql`select id from album where name = 'Zoo'`;
    const [tag] = await database.sql`select id from tag where value = 'Trip/Zermatt'`;
    const ids = new Map(body.map(({ kind, id }: { kind: string; id?: string }) => [kind, id]));
    expect(ids.get('album')).toBe(album!['id']);
    expect(ids.get('tag')).toBe(tag!['id']);
    expect(body[0].id).toBe(body[0].person.id);
    expect(ids.get('pet')).toBeString();
    expect(ids.get('place')).toBeUndefined();
  });

  test('are of the kinds that the key may read', async () => {
    const read = async (...permissions: string[]) => {
      const body = { name: 'k', permissions: ['asset.read', ...permissions] };
      const { body: key } = await call(app, 'POST /api-keys', { session: me!, body });
      return labels('z', { ...me!, key: key.secret });
    };
    const places = ['place Zagreb', 'place Zpartner'];
    expect(await read()).toEqual(places);
    expect(await read('person.read')).toEqual(['person Zoe', 'pet Zorro', ...places]);
    expect(await read('album.read')).toEqual(['album Zoo', ...places]);
    expect(await read('tag.read')).toEqual([...places, 'tag Zermatt']);
  });

  test('are refused without the permission, and for texts that are too long', async () => {
    const weak = await seed(database).user(['album.read']);
    const status = async (path: `GET /${string}`, as = me!) =>
      (await call(app, path, { as })).status;
    expect(await status('GET /search/completions?query=z', weak)).toBe(403);
    expect(await status('GET /search/completions')).toBe(400);
    expect(await status(`GET /search/completions?query=${'x'.repeat(501)}`)).toBe(400);
    expect(await status('GET /search/completions?query=z&size=0')).toBe(400);
    expect((await call(app, 'GET /search/completions?query=z')).status).toBe(401);
  });
});
