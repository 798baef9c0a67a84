import { beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { createTextLine, saveRecognizedText } from '../../../test/support/recognized-text.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import type { TextLine } from '../../inference/index.ts';
import { handleIndexText } from '../search/match/text-index.handlers.ts';

const { database, app } = await useApp();
let owner: TestUser;
beforeEach(async () => {
  owner = await seed(database).user();
});

/** A line of `height` x `width` of the picture, `row` lines from the top. */
const line = (text: string, row: number, width = 0.2, height = 0.04): TextLine => {
  const [top, left] = [row * 0.05, 0.1];
  return createTextLine(text, row, {
    quad: [
      { x: left, y: top },
      { x: left + width, y: top },
      { x: left + width, y: top + height },
      { x: left, y: top + height },
    ],
  });
};
async function photo(lines: readonly TextLine[], takenAt = new Date()): Promise<string> {
  const assetId = await seed(database).asset({ ownerId: owner.id, takenAt });
  await saveRecognizedText(database, { assetId, ownerId: owner.id }, lines);
  return assetId;
}
const list = async (query = '') =>
  (await call(app, `GET /documents${query}`, { as: owner })).body as {
    items: { id: string }[];
    total: number;
  };
const listed = async (query = ''): Promise<string[]> =>
  (await list(query)).items.map(({ id }) => id);
const words = (count: number) => Array.from({ length: count }, (_, at) => `wort${at}`).join(' ');

test('a street sign is found by its text and is no document', async () => {
  const sign = await photo([line('Bahnhofstraße', 0), line('Gasse', 1)]);
  expect(await list()).toMatchObject({ items: [], total: 0 });
  expect(await listed('?query=bahnhof')).toEqual([sign]);
  const effect = await handleIndexText(jobCtx(database), {});
  await database.db.transaction(async (tx) => void (await effect?.(tx)));
  const { body } = await call(app, 'POST /search/metadata', {
    as: owner,
    body: { ocr: 'Bahnhofstraße' },
  });
  expect(body.assets.items.map(({ id }: { id: string }) => id)).toEqual([sign]);
  const read = await call(app, `GET /documents/${sign}`, { as: owner });
  expect([read.status, read.body.lines.length]).toEqual([200, 2]);
});

test.each([
  ['three lines', [line('eins', 0), line('zwei', 1), line('drei', 2)], false],
  ['four lines', [line('eins', 0), line('zwei', 1), line('drei', 2), line('vier', 3)], true],
  ['24 words', [line(words(24), 0)], false],
  ['25 words', [line(words(25), 0)], true],
  [
    '25 words in Chinese',
    [line('我们今天去北京大学图书馆看书明天去上海博物馆参观后天回家吃饭睡觉然后工作学习', 0)],
    false,
  ],
  ['7.9 % of the picture', [line('GROSS', 0, 0.79, 0.1)], false],
  ['8.1 % of the picture', [line('GROSS', 0, 0.81, 0.1)], true],
  ['a receipt of two lines', [line('Kassenbon', 0), line('Summe 4,50', 1)], true],
])('%s', async (_name, lines, isDocument) => {
  const id = await photo(lines);
  expect(await listed()).toEqual(isDocument ? [id] : []);
});

test('total and pages count documents only', async () => {
  const ids: string[] = [];
  for (let day = 1; day <= 6; day++) {
    const takenAt = new Date(Date.UTC(2024, 0, day));
    const id = await photo([line(day % 2 ? words(30) : 'STOP', 0)], takenAt);
    if (day % 2) ids.unshift(id);
  }
  expect(await list('?size=2')).toMatchObject({ total: 3, hasNextPage: true });
  expect([...(await listed('?size=2')), ...(await listed('?size=2&page=2'))]).toEqual(ids);
});

test('follows corrections of lines and decisions about fields', async () => {
  const id = await photo([line('Quitung', 0), line('Meier', 1)]);
  const put = (path: string, body: object) =>
    call(app, `PUT /documents/${id}/${path}`, { as: owner, body });
  expect(await listed()).toEqual([]);
  await put('lines', { line: 0, action: 'correct', text: 'Quittung' });
  expect(await listed()).toEqual([id]);
  await put('fields/document-type', { action: 'dismiss' });
  expect(await list()).toMatchObject({ items: [], total: 0 });
  await put('fields/document-type', { action: 'correct', value: 'receipt', revision: 1 });
  await put('lines', { line: 0, action: 'dismiss', revision: 1 });
  expect(await list()).toMatchObject({ items: [{ id }], total: 1 });
  // A document that the owner has marked stays one, whatever is read later.
  await saveRecognizedText(database, { assetId: id, ownerId: owner.id }, [line('Meier', 1)]);
  expect(await listed()).toEqual([id]);
  await call(app, `DELETE /documents/${id}/fields/document-type?revision=2`, { as: owner });
  expect(await list()).toMatchObject({ items: [], total: 0 });
});

test('a stranger sees nothing of either', async () => {
  await photo([line(words(30), 0)]);
  const stranger = await seed(database).user();
  for (const query of ['', '?query=wort1']) {
    const { body } = await call(app, `GET /documents${query}`, { as: stranger });
    expect(body).toMatchObject({ items: [], total: 0 });
  }
});
