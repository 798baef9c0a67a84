import { beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { saveRecognizedText, createTextLine } from '../../../test/support/recognized-text.ts';
import type { TextLine } from '../../inference/index.ts';

const LINES = ['Fahrrad Schmidt', 'Reparatur Bremse', 'Summe 45,00 EUR', 'Vielen Dank'];

const { database, app } = await useApp();
let owner: TestUser;
let id: string;
beforeEach(async () => {
  owner = await seed(database).user();
  id = await seed(database).asset({ ownerId: owner.id });
  await read(LINES);
});

const read = (lines: readonly (string | TextLine)[]) =>
  saveRecognizedText(database, { assetId: id, ownerId: owner.id }, lines, 'ocr-test-2');
const get = () => call(app, `GET /documents/${id}`, { as: owner });
const edit = (body: object) => call(app, `PUT /documents/${id}/lines`, { as: owner, body });
const shown = async (): Promise<[number, string][]> =>
  (await get()).body.lines.map(({ line, text }: { line: number; text: string }) => [line, text]);
const found = async (query: string) =>
  (await call(app, `GET /documents?query=${query}`, { as: owner })).body.items.length;

test('lines with a low score are dropped', async () => {
  await read([
    ...LINES,
    createTextLine('guess', 4, { score: 0.5 }),
    createTextLine('sure', 5, { score: 0.51 }),
  ]);
  expect((await shown()).map(([, text]) => text)).toEqual([...LINES, 'sure']);
});

test('recognizing the same lines again changes nothing and keeps their ids', async () => {
  const ocr = async () => (await call(app, `GET /assets/${id}/ocr`, { as: owner })).body;
  const [before, lines] = [await ocr(), await shown()];
  await read(LINES);
  expect(await ocr()).toEqual(before);
  expect(await shown()).toEqual(lines);
});

test("a line with another text keeps its number and the owner's edit", async () => {
  await edit({ line: 0, action: 'correct', text: 'Fahrrad Schmitt' });
  await edit({ line: 3, action: 'dismiss' });
  await read(['Fahrad Schmidt', LINES[1]!, LINES[2]!, 'Vielen Dunk']);
  const { body } = await get();
  expect(body.lines[0]).toMatchObject({
    line: 0,
    text: 'Fahrrad Schmitt',
    recognizedText: 'Fahrad Schmidt',
    edit: { revision: 1 },
  });
  expect(body.lines[3]).toMatchObject({ recognizedText: 'Vielen Dunk', isDismissed: true });
});

test('new lines get new numbers, and stand where they are read', async () => {
  await read([
    LINES[0]!,
    createTextLine('Meisterbetrieb', 0.5),
    ...LINES.slice(1).map((text, at) => createTextLine(text, at + 1)),
  ]);
  expect(await shown()).toEqual([
    [0, LINES[0]!],
    [4, 'Meisterbetrieb'],
    [1, LINES[1]!],
    [2, LINES[2]!],
    [3, LINES[3]!],
  ]);
});

test('lines of a rotated picture are matched by their text', async () => {
  await edit({ line: 1, action: 'correct', text: 'Reparatur der Bremse' });
  await read(LINES.map((text, at) => createTextLine(text, 12 + at)));
  expect(await shown()).toEqual([
    [0, LINES[0]!],
    [1, 'Reparatur der Bremse'],
    [2, LINES[2]!],
    [3, LINES[3]!],
  ]);
});

test('keeps only corrected lines of those that are not recognized again', async () => {
  await edit({ line: 1, action: 'correct', text: 'Bremse vorn' });
  await edit({ line: 3, action: 'dismiss' });
  await read([LINES[0]!, createTextLine(LINES[2]!, 2)]);
  expect(await shown()).toEqual([
    [0, LINES[0]!],
    [1, 'Bremse vorn'],
    [2, LINES[2]!],
  ]);
  const ocr = await call(app, `GET /assets/${id}/ocr`, { as: owner });
  expect(ocr.body).toHaveLength(2);
  expect(await found('vorn')).toBe(1);
  const [, { edit: made }] = (await get()).body.lines;
  const undone = await call(app, `DELETE /documents/${id}/lines/${made.editId}?revision=1`, {
    as: owner,
  });
  expect(undone.body.lines).toHaveLength(2);
  // The number of a line that went is given to no other as long as later ones are there.
  await read([LINES[0]!, createTextLine(LINES[2]!, 2), createTextLine('Neue Zeile', 9)]);
  expect((await shown()).at(-1)).toEqual([3, 'Neue Zeile']);
});

test('an asset without text is no document, unless the owner has made a decision', async () => {
  await read([]);
  expect((await get()).status).toBe(404);
  expect(await found('bremse')).toBe(0);
  await read(LINES);
  await call(app, `PUT /documents/${id}/fields/title`, {
    as: owner,
    body: { action: 'correct', value: 'Bike' },
  });
  await read([]);
  expect((await get()).body).toMatchObject({ text: '', lines: [], revision: 1 });
  const listed = async () => (await call(app, 'GET /documents', { as: owner })).body;
  expect(await listed()).toMatchObject({ items: [], total: 0 });
  await read(LINES);
  expect(await listed()).toMatchObject({ items: [{ id, lineCount: 4 }] });
  expect((await get()).body.revision).toBe(1);
});

test('control characters are removed from texts', async () => {
  await read(['Fahrrad\0 Schmidt\u0007', '  ', 'Summe fünfundvierzig']);
  expect((await shown()).map(([, text]) => text)).toEqual([
    'Fahrrad  Schmidt',
    'Summe fünfundvierzig',
  ]);
});

test('the search by words finds what was read and what was corrected', async () => {
  await edit({ line: 1, action: 'correct', text: 'Schaltung eingestellt' });
  const { handleIndexText } = await import('../search/match/text-index.handlers.ts');
  const ctx = {
    ...database.deps,
    signal: new AbortController().signal,
    isLastAttempt: false,
    onFailed: () => {},
    restartTimeLimit: () => {},
  };
  const effect = await handleIndexText(ctx as never, {} as never);
  await database.db.transaction(async (tx) => void (await effect?.(tx)));
  const search = async (ocr: string) =>
    (await call(app, 'POST /search/metadata', { as: owner, body: { ocr } })).body.assets.items.map(
      (item: { id: string }) => item.id,
    );
  expect(await search('Schaltung')).toEqual([id]);
  expect(await search('bremse')).toEqual([id]);
  expect(await search('Kette')).toEqual([]);
});

test('a photo whose lines are all dismissed is not found until one is restored', async () => {
  for (const line of LINES.keys()) await edit({ line, action: 'dismiss' });
  expect(await found('fahrrad')).toBe(0);
  const { body } = await get();
  expect(body).toMatchObject({ text: '', lines: [{}, {}, {}, {}] });
  const { editId } = body.lines[0].edit;
  await call(app, `DELETE /documents/${id}/lines/${editId}?revision=1`, { as: owner });
  expect(await found('fahrrad')).toBe(1);
});
