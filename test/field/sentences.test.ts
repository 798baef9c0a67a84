import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../support/database.ts';
import { call, NOW, seed, type TestUser } from '../support/harness.ts';
import { indexTexts } from '../support/text-index.ts';

// People write what they look for as they say it, in their language, with the names of their library.

const { database, app } = await useApp();
let me: TestUser;
let stranger: TestUser;
const names = new Map<string, string>();

async function add(name: string, day: string, shows: readonly string[], over: object = {}) {
  const { owner = me, exif, ...rest } = over as { owner?: TestUser; exif?: object };
  const id = await seed(database).asset({
    ownerId: owner.id,
    takenAt: new Date(`${day}T12:00:00Z`),
    localTakenAt: `${day} 12:00:00`,
    ...(exif && { exif }),
    ...rest,
  });
  names.set(id, name);
  for (const person of shows)
    await database.sql`
      insert into face (owner_id, asset_id, person_id, x1, y1, x2, y2, image_width, image_height,
        source, source_revision)
      select ${owner.id}, ${id}, id, 0.1, 0.1, 0.2, 0.2, 100, 100, 'manual', 'r' from person
      where owner_id = ${owner.id} and name = ${person}`;
}

const MUNICH = { city: 'Munich', state: 'Bavaria', country: 'Germany' };
const WARSAW = { city: 'Warsaw', state: 'Mazovia', country: 'Poland' };

beforeAll(async () => {
  me = await seed(database).user(['all'], { timeZone: 'Europe/Berlin' });
  stranger = await seed(database).user();
  for (const as of [me, stranger])
    for (const name of ['Rosa', 'Leon', 'ロサ', '山田花子'])
      await call(app, 'POST /people', { as, body: { name } });
  await add('rosa', '2025-04-10', ['Rosa'], { exif: MUNICH });
  await add('both', '2024-07-10', ['Rosa', 'Leon'], { exif: WARSAW });
  await add('leon', '2023-07-10', ['Leon'], { exif: { ...MUNICH, description: 'Karussell' } });
  await add('japanese', '2022-01-10', ['ロサ', '山田花子']);
  await add('hanako', '2022-02-10', ['山田花子']);
  await add('video', '2018-04-10', [], { type: 'VIDEO', durationMs: 9000 });
  // What no sentence may show.
  const exif = { ...MUNICH, description: 'Karussell' };
  await add('archived', '2025-04-10', ['Rosa'], { exif, visibility: 'archive' });
  await add('locked', '2025-04-10', ['Rosa'], { exif, lockedAt: NOW });
  await add('trashed', '2025-04-10', ['Leon'], { exif, trashedAt: NOW });
  await add('hidden', '2025-04-10', ['Leon'], { exif, visibility: 'hidden' });
  await add('foreign', '2025-04-10', ['Rosa', 'Leon', 'ロサ'], { exif, owner: stranger });
  await indexTexts(database);
});

async function ask(query: string, as = me) {
  const { body, status } = await call(app, 'POST /search/ask', { as, body: { query } });
  expect(status).toBe(200);
  const found = body.assets.items.map(({ id }: { id: string }) => names.get(id) ?? id).toSorted();
  return { found, unresolved: body.interpretation.unresolved as string[] };
}
const testFound = (found: readonly string[], queries: readonly string[]) =>
  test.each([...queries])(`%p finds ${found.join(', ') || 'nothing'}`, async (query) => {
    expect(await ask(query)).toEqual({ found: found.toSorted(), unresolved: [] });
  });

describe('628: a place by its name in the language of the person', () => {
  testFound(
    ['rosa', 'leon'],
    [
      'München',
      'à Munich',
      'Monaco di Baviera',
      'w Monachium',
      'в Мюнхене',
      'ミュンヘンの写真',
      '慕尼黑',
    ],
  );
  testFound(
    ['both'],
    ['Warschau', 'en Varsovia', 'w Warszawie', 'в Польше', 'ポーランド', 'Pologne'],
  );

  test('is known to those only who have a photo there', async () => {
    const other = await seed(database).user();
    expect((await ask('Warschau', other)).found).toEqual([]);
    expect((await ask('Mailand')).found).toEqual([]);
    expect((await ask('Munich', stranger)).found).toEqual(['foreign']);
  });
});

describe('629: without somebody', () => {
  testFound(
    ['leon'],
    [
      'Leon without Rosa',
      'Leon ohne Rosa',
      'Leon, wo Rosa nicht dabei ist',
      'Leon sans Rosa',
      'Leon sin Rosa',
      'Leon senza Rosa',
      'Leon zonder Rosa',
      'Leon bez Rosy',
      'Leon sem Rosa',
      'Leon Rosaなし',
      '没有Rosa的Leon',
      'Leon без Rosa',
    ],
  );
  testFound(['hanako'], ['ロサのいない山田花子', '山田花子、ロサなし']);
  testFound(['rosa'], ['Rosa nicht in Warschau', 'Rosa pas à Varsovie', 'Rosa nie w Warszawie']);
});

describe('630: names in Japanese', () => {
  testFound(
    ['japanese'],
    ['ロサ', 'ロサの写真', 'ロサと山田花子', 'ロサと山田花子が一緒の写真を見せて'],
  );
  testFound(['japanese', 'hanako'], ['山田花子', '山田花子さん']);

  test('are not found by a part of them', async () => {
    expect((await ask('ロ')).found).toEqual([]);
    expect((await ask('花')).found).toEqual([]);
  });
});

describe('631: months, seasons and kinds', () => {
  testFound(['rosa', 'video'], ['April', 'en avril', 'w kwietniu', '4月', 'в апреле']);
  testFound(
    ['video'],
    ['video april 2018', 'vídeos de abril de 2018', 'filmy z kwietnia 2018', '2018年4月の動画'],
  );
  testFound(['both', 'leon'], ['summer', 'en été', 'fotos de verano', 'latem', '夏の写真', '夏天']);
});

describe('648: years of two digits', () => {
  testFound(
    ['video'],
    ["april '18", "10 april '18", "Frühling '18", "abril del '18", "from '17 to '19"],
  );
  testFound(['both'], ["summer of '24", 'Leon im Sommer ’24', "Rosa, estate '24"]);
});

describe('632: several names, and words between them', () => {
  testFound(
    ['both'],
    [
      'Leon and Rosa together',
      'Rosa und Leon zusammen',
      'montre-moi Rosa et Leon ensemble',
      'Rosa y Leon juntos en Varsovia',
      'zdjęcia Leona i Rosy razem',
      'Rosa e Leon insieme a Varsavia',
      'Rosa en Leon samen in Warschau',
      'LeonとRosaが一緒',
      'Leon和Rosa一起',
    ],
  );
});

describe('633: words that nobody knows', () => {
  test.each([
    ['Leon xqzzt', ['both', 'leon'], ['xqzzt']],
    ['Rosa blorptastic in Warschau', ['both'], ['blorptastic']],
    // A word of the dictionary that no picture can show.
    ['Leon Fantasie', ['both', 'leon'], ['fantasie']],
  ])('%p shows what is understood, and tells the rest', async (query, found, unresolved) => {
    expect(await ask(query)).toEqual({ found, unresolved });
  });

  test('a word that occurs in the library, or that labels show, is a condition', async () => {
    expect((await ask('Leon Karussell')).found).toEqual(['leon']);
    expect((await ask('Rosa Karussell')).found).toEqual([]);
    expect((await ask('Rosa mit einem Elefanten')).found).toEqual([]);
  });

  test('page by page, and nothing behind the last one', async () => {
    const list = async (page: number) => {
      const body = { query: 'Leon Fantasie', page, size: 1 };
      const reply = await call(app, 'POST /search/ask', { as: me, body });
      return reply.body.assets.items.map(({ id }: { id: string }) => names.get(id));
    };
    expect([await list(1), await list(2), await list(3)]).toEqual([['both'], ['leon'], []]);
    const last = { query: 'Karussell Leon', page: 2, size: 1 };
    const behind = await call(app, 'POST /search/ask', { as: me, body: last });
    expect(behind.body.assets.items).toEqual([]);
  });

  test('alone they find nothing', async () => {
    expect((await ask('xqzzt')).found).toEqual([]);
  });
});
