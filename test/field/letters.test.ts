import { beforeAll, describe, expect, test } from 'bun:test';
import { upsertFileTags } from '../../src/areas/tags/create-paths.domain.ts';
import { upsertPeopleByName } from '../../src/areas/people/index.ts';
import { fold } from '../../src/core/fold-text.ts';
import { useApp } from '../support/database.ts';
import { call, seed, type TestUser } from '../support/harness.ts';
import type { Json } from '../support/json.ts';

// Letters: nobody types an accent to find his grandmother, and a Mac writes é in two characters.

const { database, app } = await useApp();
let me: TestUser;
let other: TestUser;

const decompose = (text: string): string => text.normalize('NFD');

const NAMES = ['été.jpg', 'ÉTÉ 2.jpg', `${decompose('été')} 3.jpg`, 'paris.jpg'];

beforeAll(async () => {
  [me, other] = [await seed(database).user(), await seed(database).user()];
  const add = (fileName: string, values: object = {}) =>
    seed(database).asset({ ownerId: me.id, fileName, ...values } as never);
  for (const name of NAMES) await add(name);
  await add('a.jpg', { exif: { description: 'Straße in Łódź, Ærø, Σοφός', city: 'Łódź' } });
  await add('été locked.jpg', { lockedAt: new Date() });
  await add('été trashed.jpg', { trashedAt: new Date() });
  await seed(database).asset({ ownerId: other.id, fileName: 'été of another.jpg' });
});

const findNames = async (filter: object): Promise<string[]> => {
  const { body } = await call(app, 'POST /search/metadata', { as: me, body: filter });
  return body.assets.items.map(({ originalFileName }: Json) => originalFileName).sort();
};

describe('searches', () => {
  const SUMMERS = NAMES.slice(0, 3).sort();
  for (const typed of ['ete', 'ÉTÉ', decompose('été'), 'Été']) {
    test(`570 ${JSON.stringify(typed)} finds each file name with été, and none of others, the trash or the Locked folder`, async () => {
      expect(await findNames({ originalFileName: typed })).toEqual(SUMMERS);
    });
  }

  test('571 wildcards of a database are letters of a name', async () => {
    expect(await findNames({ originalFileName: '%t%' })).toEqual([]);
    expect(await findNames({ originalFileName: '_te' })).toEqual([]);
  });

  for (const typed of ['strasse', 'STRASSE', 'łodz', 'lodz', 'aero', 'σοφος', 'ΣΟΦΌΣ']) {
    test(`572 ${typed} finds the description that has it with other letters`, async () => {
      expect(await findNames({ description: typed })).toEqual(['a.jpg']);
    });
  }

  test('573 a folder is found by letters without accents', async () => {
    expect(await findNames({ originalPath: 'ete 2' })).toEqual(NAMES.slice(1, 2));
  });

  test('574 the trash finds names by letters without accents', async () => {
    const list = async (q: string) =>
      (await call(app, `GET /trash/items?query=${encodeURIComponent(q)}`, { as: me })).body.items
        .length;
    expect([await list('ete'), await list('etes')]).toEqual([1, 0]);
  });
});

describe('people', () => {
  const PEOPLE = ['Zoë Brontë-Čapek', 'Eva', 'Émile', 'adam', 'Ömer', "O'Brien"];

  beforeAll(async () => {
    for (const name of PEOPLE) {
      const options = { as: me, body: { name: decompose(name) } };
      expect((await call(app, 'POST /people', options)).status).toBe(201);
    }
    await call(app, 'POST /people', { as: other, body: { name: 'Zoe of another' } });
  });

  const find = async (name: string): Promise<string[]> =>
    (await call(app, `GET /search/person?name=${encodeURIComponent(name)}`, { as: me })).body.map(
      (person: Json) => person.name,
    );

  for (const typed of ['zoe', 'ZOË', 'bronte', 'capek', 'čapek', 'bronte-capek', 'Zoë B']) {
    test(`575 ${typed} finds Zoë Brontë-Čapek and nobody else`, async () => {
      expect(await find(typed)).toEqual(['Zoë Brontë-Čapek']);
    });
  }

  test('576 a name is found from the beginning of its words only', async () => {
    expect([await find('apek'), await find('oe'), await find('%'), await find('_va')]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect([await find("o'brien"), await find('brien')]).toEqual([["O'Brien"], ["O'Brien"]]);
  });

  test('577 people of equal rank are listed in the order of a telephone book', async () => {
    const { people } = (await call(app, 'GET /people', { as: me })).body;
    expect(people.map(({ name }: Json) => name)).toEqual([
      'adam',
      'Émile',
      'Eva',
      "O'Brien",
      'Ömer',
      'Zoë Brontë-Čapek',
    ]);
  });

  test('578 a face of another program joins the person whose name is written in the other form', async () => {
    const found = await upsertPeopleByName(database.db, me.id, ['Émile', 'Ömer']);
    expect(found.size).toBe(2);
    const [row] = await database.sql`
      select count(*)::int as count from person where owner_id = ${me.id}`;
    expect(row!['count']).toBe(PEOPLE.length);
  });
});

describe('tags, albums', () => {
  const listTags = async (as: TestUser): Promise<string[]> =>
    (await call(app, 'GET /tags', { as })).body.map(({ value }: Json) => value);
  const make = (as: TestUser, name: string) => call(app, 'POST /tags', { as, body: { name } });

  test('579 two tags that look the same cannot be, whoever makes them', async () => {
    const user = await seed(database).user();
    expect((await make(user, 'Café')).status).toBe(201);
    expect((await make(user, decompose('Café'))).status).toBe(400);
    const tags = [decompose('Café'), `${decompose('Café')}/Œuvre`];
    expect((await call(app, 'PUT /tags', { as: user, body: { tags } })).status).toBe(200);
    const paths = [decompose('Café'), `${decompose('Café')}|Œuvre`];
    await upsertFileTags(database.db, user.id, { paths, mayGrow: true });
    expect(await listTags(user)).toEqual(['Café', 'Café/Œuvre']);
    // Another account has one of its own.
    expect((await make(other, decompose('Café'))).status).toBe(201);
  });

  test('580 a tag that is renamed to look like another is refused', async () => {
    const user = await seed(database).user();
    await make(user, 'Café');
    const { id } = (await make(user, 'Bar')).body;
    const rename = (name: string, as = user) =>
      call(app, `PUT /tags/${id}`, { as, body: { name } });
    expect((await rename(decompose('Café'))).status).toBe(400);
    expect((await rename('Mine', other)).status).toBe(400);
    expect(await listTags(user)).toEqual(['Bar', 'Café']);
    expect((await rename(decompose('Thé'))).body).toMatchObject({ name: 'Thé', value: 'Thé' });
  });

  test('581 tags are listed in the order of a dictionary', async () => {
    const user = await seed(database).user();
    const tags = ['Zoo', 'Äpfel', 'apple', 'Émeraude', 'eve', 'Café/Œuvre'];
    await call(app, 'PUT /tags', { as: user, body: { tags } });
    expect(await listTags(user)).toEqual([
      'Äpfel',
      'apple',
      'Café',
      'Café/Œuvre',
      'Émeraude',
      'eve',
      'Zoo',
    ]);
  });

  test('582 an album is found by its name in either form', async () => {
    const albumName = 'Été à Kőszeg 강아지';
    const made = await call(app, 'POST /albums', {
      as: me,
      body: { albumName: decompose(albumName) },
    });
    expect(made.body.albumName).toBe(albumName);
    for (const name of [albumName, decompose(albumName)]) {
      const path = `GET /albums?name=${encodeURIComponent(name)}` as const;
      expect((await call(app, path, { as: me })).body).toHaveLength(1);
      expect((await call(app, path, { as: other })).body).toEqual([]);
    }
  });
});

/** Blocks of letters with cases and accents, without those that Unicode got after its version 15. */
const BLOCKS = [
  [0x20, 0x1c88],
  [0x1d00, 0x2fff],
  [0x3040, 0x30ff],
  [0xac00, 0xac1f],
  [0xf900, 0xffef],
] as const;

test('583 the database folds each letter as the server does', async () => {
  const letters = BLOCKS.flatMap(([from, to]) =>
    Array.from({ length: to - from }, (_, at) => String.fromCodePoint(from + at)),
  );
  const rows = await database.sql<{ letter: string; folded: string }[]>`
    select letter, fold_text(letter) as folded from unnest(${letters}::text[]) letter`;
  expect(rows).toHaveLength(letters.length);
  expect(rows.filter(({ letter, folded }) => folded !== fold(letter))).toEqual([]);
});
