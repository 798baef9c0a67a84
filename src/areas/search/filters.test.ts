import { addFace } from '../../../test/support/people.ts';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { seed, type TestDatabase } from '../../../test/support/harness.ts';
import { type Household } from '../../../test/support/household.ts';
import { metadataSearch, openSearchHousehold } from '../../../test/support/searching.ts';
import type { App } from '../../app.ts';
import { albumAssets, albums } from '../../db/tables/albums.ts';
import { assetFiles } from '../../db/tables/assets.ts';
import { tagAssets, tags } from '../../db/tables/tags.ts';

let database: TestDatabase;
let app: App;
let house: Household;
beforeAll(async () => {
  ({ database, app, house } = await openSearchHousehold());
});
afterAll(() => database.close());

const { search, found } = metadataSearch(() => ({ app, house }));

test('finds each metadata field by its value, and items without one by null', async () => {
  const me = await seed(database).user();
  const exif = {
    city: 'Kyoto',
    state: 'Kansai',
    country: 'Japan',
    make: 'Sony',
    model: 'A7',
    lensModel: '35mm',
    rating: 3,
    description: 'Under 100% rain',
  };
  const id = await seed(database).asset({ ownerId: me.id, exif });
  const bare = await seed(database).asset({ ownerId: me.id });
  const { description: _, ...exact } = exif;
  for (const [field, value] of Object.entries(exact)) {
    expect(await found({ [field]: value }, { as: me })).toEqual([id]);
    expect(await found({ [field]: null }, { as: me })).toEqual([bare]);
  }
  expect(await found({ description: 'under 100% R' }, { as: me })).toEqual([id]);
  expect(await found({ description: '100_' }, { as: me })).toEqual([]);

  const [row] = await database.sql`select sha1 from asset where id = ${id}`;
  for (const encoding of ['base64', 'hex'] as const) {
    const checksum = Buffer.from(row!['sha1']).toString(encoding);
    expect(await found({ checksum }, { as: me })).toEqual([id]);
  }
  expect((await search({ checksum: 'x' }, { as: me })).status).toBe(400);
  await database.db.insert(assetFiles).values({
    assetId: bare,
    kind: 'encoded_video',
    name: 'x',
    mimeType: 'video/mp4',
    size: 1,
    tag: 't',
  });
  expect(await found({ isEncoded: true }, { as: me })).toEqual([bare]);
  expect(await found({ isEncoded: false }, { as: me })).toEqual([id]);
});

test('files that no picture could be made of are found, or left out', async () => {
  const me = await seed(database).user();
  const whole = await seed(database).asset({ ownerId: me.id });
  const broken = await seed(database).asset({
    ownerId: me.id,
    brokenReason: 'broken: no JPEG file',
  });
  const find = (isBroken: object) => found({ filter: { isBroken } }, { as: me });
  expect(await find({ eq: true })).toEqual([broken]);
  expect(await find({ eq: false })).toEqual([whole]);
  expect((await search({ filter: { isBroken: {} } }, { as: me })).status).toBe(400);
});

test('times are compared as instants, both ends included', async () => {
  const me = await seed(database).user();
  const at = (text: string) => seed(database).asset({ ownerId: me.id, takenAt: new Date(text) });
  const [first, second] = [await at('2020-01-01T00:00:00Z'), await at('2020-01-02T00:00:00Z')];
  const both = [first, second].toSorted();
  expect(await found({ takenAfter: '2020-01-02T01:00:00+01:00' }, { as: me })).toEqual([second]);
  expect(await found({ takenBefore: '2020-01-01T00:00:00Z' }, { as: me })).toEqual([first]);
  expect(await found({ createdAfter: '2001-01-01T00:00:00Z' }, { as: me })).toEqual(both);
  expect(await found({ updatedBefore: '2001-01-01T00:00:00Z' }, { as: me })).toEqual([]);
  expect(await found({ filter: { takenAt: { lt: '2020-01-02T00:00:00' } } }, { as: me })).toEqual([
    first,
  ]);
  expect((await search({ filter: { takenAt: { lt: '2020-01-02' } } }, { as: me })).status).toBe(
    400,
  );
  expect((await search({ takenAfter: '2020-01-02T01:00:00' }, { as: me })).status).toBe(400);
  expect((await search({ filter: { takenAt: { lt: 'x' } } }, { as: me })).status).toBe(400);
});

test('albums and tags require all that are named, and only those the caller may open', async () => {
  const me = await seed(database).user();
  const ids = await Promise.all([1, 2, 3].map(() => seed(database).asset({ ownerId: me.id })));
  const [one, two, three] = ids as [string, string, string];
  const add = async (assetIds: string[]) => {
    const [album] = await database.db
      .insert(albums)
      .values({ ownerId: me.id, name: 'a' })
      .returning();
    const albumId = album!.id;
    await database.db.insert(albumAssets).values(assetIds.map((assetId) => ({ albumId, assetId })));
    return albumId;
  };
  const [first, second] = [await add([one, two]), await add([two])];
  expect(await found({ albumIds: [first] }, { as: me })).toEqual([one, two].toSorted());
  expect(await found({ albumIds: [first, second] }, { as: me })).toEqual([two]);
  expect(await found({ isNotInAlbum: true }, { as: me })).toEqual([three]);
  const none = { filter: { albumIds: { any: [first], none: [second] } } };
  expect(await found(none, { as: me })).toEqual([one]);
  expect((await search({ albumIds: [house.albumId] }, { as: me })).status).toBe(400);
  expect((await search({ albumIds: [first] }, {}, '?slug=assets')).status).toBe(400);

  const [tag] = await database.db.insert(tags).values({ ownerId: me.id, value: 't' }).returning();
  await database.db.insert(tagAssets).values({ tagId: tag!.id, assetId: one });
  expect(await found({ tagIds: [tag!.id] }, { as: me })).toEqual([one]);
  expect(await found({ tagIds: null }, { as: me })).toEqual([two, three].toSorted());
  expect(await found({ tagIds: [tag!.id] }, { as: house.owner })).toEqual([]);
});

describe('a list in a filter', () => {
  test('of people, tags, albums and pets means all of them, however many', async () => {
    const me = await seed(database).user();
    const other = await seed(database).user();
    const [all, some] = [
      await seed(database).asset({ ownerId: me.id }),
      await seed(database).asset({ ownerId: me.id }),
    ];
    const { sql } = database;
    const each = <T>(work: (at: number) => Promise<T>) =>
      Promise.all(Array.from({ length: 7 }, (_, at) => work(at)));
    const people = await each(async (at) => {
      const [row] = await sql`insert into person (owner_id) values (${me.id}) returning id`;
      for (const asset of at < 5 ? [all, some] : [all]) {
        await addFace(database, { ownerId: me.id, assetId: asset, personId: row!['id'] });
      }
      return row!['id'] as string;
    });
    const tags = await each(async (at) => {
      const [row] = await sql`
        insert into tag (owner_id, value) values (${me.id}, ${`t${at}`}) returning id`;
      const [below] = await sql`insert into tag (owner_id, parent_id, value)
        values (${me.id}, ${row!['id']}, ${`t${at}/x`}) returning id`;
      for (const asset of at < 5 ? [all, some] : [all]) {
        await sql`insert into tag_asset (tag_id, asset_id) values (${below!['id']}, ${asset})`;
      }
      return row!['id'] as string;
    });
    const foreign = await sql`insert into person (owner_id) values (${other.id}) returning id`;
    for (const [name, ids] of [
      ['personIds', people],
      ['tagIds', tags],
    ] as const) {
      expect([name, await found({ [name]: ids }, { as: me })]).toEqual([name, [all]]);
      expect(await found({ [name]: [...ids, ...ids] }, { as: me })).toEqual([all]);
      expect((await found({ [name]: ids.slice(0, 5) }, { as: me })).toSorted()).toEqual(
        [all, some].toSorted(),
      );
      expect(await found({ [name]: [...ids, foreign[0]!['id']] }, { as: me })).toEqual([]);
      expect(await found({ [name]: ids }, { as: other })).toEqual([]);
    }
  });

  test('counts as one SQL parameter, and is limited as documented', async () => {
    const me = await seed(database).user();
    const id = await seed(database).asset({
      ownerId: me.id,
      exif: { city: 'a "b" \\c', rating: 3 },
    });
    const words = (last: string) => [...Array.from({ length: 999 }, (_, at) => `x${at}`), last];
    const filters = [
      { city: { in: words('a "b" \\c') } },
      { rating: { in: [...Array.from({ length: 998 }, (_, at) => at + 10), 2.5, 3] } },
      { id: { eq: id }, city: { notIn: words('{') } },
      { or: Array.from({ length: 50 }, () => ({ city: { in: words('a "b" \\c') } })) },
    ];
    for (const filter of filters) expect(await found({ filter }, { as: me })).toEqual([id]);

    const many = Array.from({ length: 70_000 }, () => 'x');
    for (const [body, path] of [
      [{ filter: { city: { in: many } } }, ['filter', 'city', 'in']],
      [{ filter: { type: { in: many } } }, ['filter', 'type', 'in']],
      [{ filter: { personIds: { any: many } } }, ['filter', 'personIds', 'any']],
      [{ personIds: many }, ['personIds']],
    ] as const) {
      const { status, body: told } = await search(body, { as: me });
      expect([status, told.errors.length, told.errors[0].path]).toEqual([400, 1, path]);
      expect(told.errors[0].message).toMatch(/^Too big: expected array to have <=\d+ items$/);
    }
  });
});

test('months and days of any year are those of the local clock', async () => {
  const me = await seed(database).user();
  const taken = (takenAt: string, localTakenAt: string) =>
    seed(database).asset({ ownerId: me.id, takenAt: new Date(takenAt), localTakenAt });
  const august = [
    await taken('1995-08-01T12:00:00Z', '1995-08-01 12:00:00'),
    // Still July in Greenwich.
    await taken('2019-07-31T20:00:00Z', '2019-08-01 05:00:00'),
    await taken('2023-08-24T12:00:00Z', '2023-08-24 12:00:00'),
  ];
  const july = await taken('2023-07-24T12:00:00Z', '2023-07-24 12:00:00');
  await taken('2023-12-24T12:00:00Z', '2023-12-24 12:00:00');
  const find = async (filter: object) => (await found({ filter }, { as: me })).toSorted();
  expect(await find({ takenOn: { in: ['08'] } })).toEqual(august.toSorted());
  expect(await find({ takenOn: { in: ['08-24'] } })).toEqual([august[2]!]);
  expect(await find({ takenOn: { in: ['08-01', '07'] } })).toEqual(
    [august[0]!, august[1]!, july].toSorted(),
  );
  expect(await find({ takenOn: { in: ['2019-08-01', '2022-08-24'] } })).toEqual([august[1]!]);
  expect(await find({ takenOn: { in: ['02-31'] } })).toEqual([]);
  const of2023 = { gte: '2023-01-01T00:00:00.000', lte: '2023-12-31T23:59:59.999' };
  expect(await find({ takenOn: { in: ['08'] }, takenAt: of2023 })).toEqual([august[2]!]);
  for (const name of ['8', '13', '08-32', '2023-08', "08'"])
    expect((await search({ filter: { takenOn: { in: [name] } } }, { as: me })).status).toBe(400);
  expect((await search({ filter: { takenOn: { in: [] } } }, { as: me })).status).toBe(400);
});
