import { beforeEach, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../test/support/harness.ts';
import { saveRecognizedText } from '../../../test/support/recognized-text.ts';
import { queryRows } from '../../db/query.ts';

const { database, app } = await useApp();
let owner: TestUser;
let stranger: TestUser;
beforeEach(async () => {
  owner = await seed(database).user();
  stranger = await seed(database).user();
});

const TEXT = ['Stadtwerke Köln', 'Ihre neue Abrechnung', 'Bitte aufbewahren'];
async function photo(lines: readonly string[] = TEXT, over: object = {}): Promise<string> {
  const assetId = await seed(database).asset({ ownerId: owner.id, ...over });
  await saveRecognizedText(database, { assetId, ownerId: owner.id }, lines);
  return assetId;
}
const list = (query = '', caller: Caller = { as: owner }) =>
  call(app, `GET /documents${query}`, caller);
const listed = async (query = '', caller?: Caller): Promise<string[]> =>
  (await list(query, caller)).body.items.map(({ id }: { id: string }) => id);
const get = async (id: string, caller: Caller = { as: owner }) =>
  call(app, `GET /documents/${id}`, caller);
const find = (query: string) => listed(`?query=${encodeURIComponent(query)}`);

describe('the list of documents', () => {
  test('newest capture first, with what a card shows', async () => {
    const days = ['2024-01-01', '2024-03-01', '2024-02-01'];
    const ids = [];
    for (const day of days) {
      ids.push(
        await photo(TEXT, { takenAt: new Date(`${day}T10:00:00Z`), fileName: `${day}.jpg` }),
      );
    }
    const { body } = await list();
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[2], ids[0]]);
    expect(body).toMatchObject({ total: 3, page: 1, size: 100, hasNextPage: false });
    expect(body.items[0]).toEqual({
      id: ids[1],
      originalFileName: '2024-03-01.jpg',
      fileCreatedAt: '2024-03-01T10:00:00.000Z',
      localDateTime: '2024-03-01T10:00:00.000Z',
      thumbhash: null,
      lineCount: 3,
      snippet: 'Stadtwerke Köln Ihre neue Abrechnung Bitte aufbewahren',
      hasCorrections: false,
    });
  });

  test('pages follow each other without gaps', async () => {
    const ids = [];
    for (let day = 1; day <= 5; day++) {
      ids.unshift(await photo(TEXT, { takenAt: new Date(Date.UTC(2024, 0, day)) }));
    }
    const pages = [
      await list('?size=2'),
      await list('?size=2&page=2'),
      await list('?size=2&page=3'),
    ];
    expect(pages.flatMap(({ body }) => body.items.map((item: { id: string }) => item.id))).toEqual(
      ids,
    );
    expect(pages.map(({ body }) => body.hasNextPage)).toEqual([true, true, false]);
    expect(pages.map(({ body }) => body.total)).toEqual([5, 5, 5]);
    expect((await list('?size=2&page=4')).body).toMatchObject({ items: [], hasNextPage: false });
  });

  test('excludes photos without text, videos and photos of others', async () => {
    const document = await photo();
    const blank = await photo([]);
    const video = await photo(TEXT, { type: 'VIDEO', fileName: 'a.mp4' });
    const foreign = await seed(database).asset({ ownerId: stranger.id });
    await saveRecognizedText(database, { assetId: foreign, ownerId: stranger.id }, TEXT);
    expect(await listed()).toEqual([document]);
    expect((await get(blank)).status).toBe(404);
    expect((await get(video)).status).toBe(200);
  });

  test('follows changes of the assets', async () => {
    const id = await photo();
    const change = (set: string) =>
      queryRows(database.db, sql`update asset set ${sql.raw(set)} where id = ${id}`);
    for (const [set, back] of [
      ['trashed_at = now()', 'trashed_at = null'],
      ['locked_at = now()', 'locked_at = null'],
      [`visibility = 'hidden'`, `visibility = 'timeline'`],
    ] as const) {
      await change(set);
      expect((await list()).body).toMatchObject({ items: [], total: 0 });
      await change(back);
      expect(await listed()).toEqual([id]);
    }
    const other = await photo(TEXT, { takenAt: new Date('2025-01-01T00:00:00Z') });
    expect(await listed()).toEqual([id, other]);
    await change(`taken_at = '2020-01-01T00:00:00Z', visibility = 'archive'`);
    expect(await listed()).toEqual([other, id]);
    await queryRows(database.db, sql`delete from asset where id = ${id}`);
    expect((await list()).body).toMatchObject({ total: 1 });
  });

  test('omits and does not count what a content rule excludes', async () => {
    const [shown, hidden] = [await photo(), await photo()];
    const tag = await call(app, 'POST /tags', { as: owner, body: { name: 'private' } });
    await call(app, `PUT /tags/${tag.body.id}/assets`, { as: owner, body: { ids: [hidden] } });
    const rules = [{ kind: 'tag', targetId: tag.body.id }];
    await queryRows(
      database.db,
      sql`
      update app_user set preferences = ${JSON.stringify({ lockedContent: { filterEnabled: true, rules } })}::jsonb
      where id = ${owner.id}`,
    );
    expect((await list()).body).toMatchObject({ items: [{ id: shown }], total: 1 });
  });

  test('LM-028: sizes 1 and 250, a query of 200', async () => {
    for (const query of ['?size=1', '?size=250', `?query=${'a'.repeat(200)}`]) {
      expect((await list(query)).status).toBe(200);
    }
  });

  test('LM-029: size 0 and 251, a query of 201, page 0 → 400 naming the parameter', async () => {
    for (const [query, name] of [
      ['?size=0', 'size'],
      ['?size=251', 'size'],
      [`?query=${'a'.repeat(201)}`, 'query'],
      ['?page=0', 'page'],
    ] as const) {
      const { status, body } = await list(query);
      expect(status).toBe(400);
      expect(body.errors).toContainEqual(expect.objectContaining({ path: [name] }));
    }
  });
});

describe('the query', () => {
  test('finds words, parts of words, without marks and mistyped, all of them', async () => {
    const bill = await photo(['Stadtwerke Köln', 'Straße 1', 'Rechnung RE-2024-0815', '12,50 €']);
    const letter = await photo(['Liebe Großmutter', 'viele Grüße aus Köln', '東京都渋谷区道玄坂']);
    expect(await find('koln')).toEqual(expect.arrayContaining([bill, letter]));
    for (const query of [
      'STRASSE',
      'straße',
      'stadtw',
      'echnung',
      'rechnug',
      '2024-0815',
      '12,50',
    ]) {
      expect(await find(query)).toEqual([bill]);
    }
    expect(await find('grüße köln')).toEqual([letter]);
    expect(await find('渋谷')).toEqual([letter]);
    expect(await find('€')).toEqual([bill]);
    for (const query of ['hamburg', 'rechnung großmutter', '100%', '_', '%', String.raw`\\`]) {
      expect(await find(query)).toEqual([]);
    }
  });

  test('searches corrections and recognized text, not dismissed lines', async () => {
    const id = await photo(['Stadtwerke Koin', 'Zahlbar bis Mai', 'Wasserzeichen']);
    const edit = (body: object) => call(app, `PUT /documents/${id}/lines`, { as: owner, body });
    await edit({ line: 0, action: 'correct', text: 'Stadtwerke Köln' });
    await edit({ line: 2, action: 'dismiss' });
    expect(await find('köln')).toEqual([id]);
    expect(await find('koin')).toEqual([id]);
    expect(await find('wasserzeichen')).toEqual([]);
    const { body } = await list('?query=koln');
    expect(body.items[0]).toMatchObject({
      snippet: 'Stadtwerke Köln Zahlbar bis Mai',
      hasCorrections: true,
    });
  });

  test('the snippet shows the match, however long the text is', async () => {
    const filler = 'Größere Mengen anderer Wörter stehen hier. '.repeat(12);
    await photo([filler, 'Der Schatz liegt unter der Eiche', filler]);
    const [item] = (await list('?query=schatz')).body.items;
    expect(item.snippet).toContain('Der Schatz liegt unter der Eiche');
    expect(item.snippet.length).toBeLessThanOrEqual(300);
    expect(item.snippet).toMatch(/^….*…$/);
  });
});

describe('the lines', () => {
  test('are returned with their places', async () => {
    const id = await photo();
    const { body } = await get(id);
    expect(body).toMatchObject({ id, isOwner: true, revision: 0, text: TEXT.join('\n') });
    expect(body.lines[1]).toEqual({
      line: 1,
      text: TEXT[1],
      recognizedText: TEXT[1],
      isDismissed: false,
      confidence: expect.closeTo(0.95, 5),
      box: [0.1, 0.05, 0.9, 0.05, 0.9, 0.09, 0.1, 0.09].map((value) => expect.closeTo(value, 5)),
      edit: null,
    });
    expect(body.fields).toHaveLength(10);
    expect(body.fields[5]).toEqual({
      field: 'issuer',
      suggestedValue: 'Stadtwerke Köln',
      confidence: expect.any(Number),
      lines: [0],
      decision: null,
    });
  });

  test("are returned for any asset to other clients, with the owner's corrections", async () => {
    const id = await photo(['STOP', 'Fost', 'x']);
    const ocr = async () => (await call(app, `GET /assets/${id}/ocr`, { as: owner })).body;
    expect((await ocr()).map(({ text }: { text: string }) => text)).toEqual(['STOP', 'Fost', 'x']);
    expect((await ocr())[0]).toEqual({
      id: expect.any(String),
      assetId: id,
      text: 'STOP',
      boxScore: expect.closeTo(0.9, 5),
      textScore: expect.closeTo(0.95, 5),
      x1: expect.closeTo(0.1, 5),
      y1: 0,
      x2: expect.closeTo(0.9, 5),
      y2: 0,
      x3: expect.closeTo(0.9, 5),
      y3: expect.closeTo(0.04, 5),
      x4: expect.closeTo(0.1, 5),
      y4: expect.closeTo(0.04, 5),
    });
    const plain = await seed(database).asset({ ownerId: owner.id });
    expect((await call(app, `GET /assets/${plain}/ocr`, { as: owner })).body).toEqual([]);
    const document = await photo();
    await call(app, `PUT /documents/${document}/lines`, {
      as: owner,
      body: { line: 0, action: 'correct', text: 'Stadtwerke Bonn' },
    });
    await call(app, `PUT /documents/${document}/lines`, {
      as: owner,
      body: { line: 1, action: 'dismiss' },
    });
    const { body } = await call(app, `GET /assets/${document}/ocr`, { as: owner });
    expect(body.map(({ text }: { text: string }) => text)).toEqual(['Stadtwerke Bonn', TEXT[2]]);
  });
});
