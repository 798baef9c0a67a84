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

/** Lines of a page below each other. */
const page = (texts: readonly string[], width = 0.8): TextLine[] =>
  texts.map((text, row) => line(text, row, width));
/** A line whose left upper corner is here, turned by `angle` degrees. */
function place(
  text: string,
  [left, top]: readonly [number, number],
  height: number,
  angle = 0,
  width = 0.2,
) {
  const turn = (angle / 180) * Math.PI;
  const [along, across] = [width * Math.cos(turn), width * Math.sin(turn)];
  const corners = [
    { x: left, y: top },
    { x: left + along, y: top + across },
    { x: left + along, y: top + across + height },
    { x: left, y: top + height },
  ] as const;
  return createTextLine(text, 0, { quad: [...corners] });
}
const WORDS = ['eins', 'zwei', 'drei', 'vier', 'fünf', 'sechs'];

test.each([
  ['three lines of a page', page(WORDS.slice(0, 3)), true],
  ['two lines of a page', page(WORDS.slice(0, 2)), false],
  ['four lines of a sign', page(WORDS.slice(0, 4), 0.2), false],
  ['24 words', [line(words(24), 0)], false],
  ['25 words', [line(words(25), 0)], true],
  [
    '25 words in Chinese',
    [line('我们今天去北京大学图书馆看书明天去上海博物馆参观后天回家吃饭睡觉然后工作学习', 0)],
    false,
  ],
  ['letters as large as the picture', [line('GROSS', 0, 0.9, 0.8)], false],
  [
    'a print on a shirt',
    ['WORLD', 'TOUR', '2019'].map((text, at) => place(text, [0.3, 0.2 + at * 0.2], 0.15)),
    false,
  ],
  [
    'stripes that are read as letters',
    [0, 1, 2, 3].map((at) => place('H', [0.1, 0.1 + at * 0.06], 0.05)),
    false,
  ],
  [
    'numbers of a chart',
    WORDS.map((text, at) => place(text, [(at % 2) * 0.7, at * 0.16], 0.02)),
    false,
  ],
  [
    'shop signs at any angle',
    WORDS.map((text, at) => place(text, [0.1 + (at % 3) * 0.2, 0.1 + at * 0.1], 0.06, at * 15)),
    false,
  ],
  [
    'a page that lies askew',
    WORDS.map((text, at) => place(text, [0.1, 0.1 + at * 0.08], 0.05, 20, 0.6)),
    true,
  ],
  ['a receipt of two lines', [line('Kassenbon', 0), line('Summe 4,50', 1)], true],
] as const)('%s', async (_name, lines, isDocument) => {
  const id = await photo(lines);
  expect(await listed()).toEqual(isDocument ? [id] : []);
});

test.each([
  [['white'], true],
  [['orange', 'gray'], true],
  [['brown', 'blue'], false],
  [[], true],
] as const)('a page on colours %p', async (colours, isDocument) => {
  const id = await seed(database).asset({ ownerId: owner.id });
  for (const colour of colours) {
    await database.sql`
      insert into asset_label (asset_id, source, label, score)
      values (${id}, 'colours', ${colour}, 0.5)`;
  }
  await saveRecognizedText(database, { assetId: id, ownerId: owner.id }, page(WORDS));
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
