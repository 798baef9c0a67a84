import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import {
  call,
  seed,
  type TestDatabase,
  type TestUser,
  testApp,
  testDatabase,
} from '../../../test/support/harness.ts';
import { withModels } from '../../../test/support/models.ts';
import { addFile, drainLane, jobCtx } from '../../../test/support/processing.ts';
import {
  countCharacterErrors,
  simulatePhonePhoto,
  PAGES,
  renderPage,
} from '../../../test/support/document-pages.ts';
import { MEDIA, skipWithout } from '../../../test/support/requirements.ts';
import type { App } from '../../app.ts';
import { closeInference } from '../../inference/client.ts';
import { embeddingSink, featureSink } from '../../inference/embeddings.sink.ts';
import { analysisHandlers } from '../../inference/handlers.ts';
import { handleRenderEdits } from '../assets/edits/edits.handlers.ts';
import { handleRenderImage } from '../assets/processing/thumbnails.handlers.ts';
import { renderImage } from '../assets/jobs.ts';
import { facesSink } from '../faces/sink.ts';
import { handleRenderPerson } from '../people/thumbnail/thumbnail.handlers.ts';
import { petsSink } from '../pets/sink.ts';
import { tagLabelSink } from '../search/labels/sink.ts';
import { textSink } from './sink.ts';
import { enqueue } from '../../jobs/queue.ts';

// From the file to what the API answers, with the models that are shipped.
skipWithout('models').describe('text in real pictures', () => {
  let database: TestDatabase;
  let app: App;
  let owner: TestUser;
  beforeAll(async () => {
    database = await testDatabase();
    app = testApp(database);
  });
  afterAll(async () => {
    await closeInference();
    await database.close();
  });
  beforeEach(async () => {
    owner = await seed(database).user();
    await database.sql`truncate job`;
  });

  /** Uploaded, rendered and read. */
  async function add(file: Parameters<typeof addFile>[1]): Promise<string> {
    const id = await addFile(database, file, { ownerId: owner.id });
    await enqueue(database.db, renderImage, { assetId: id });
    await drainLane(database, 'image', {
      'assets.renderImage': handleRenderImage,
      'assets.renderEdits': handleRenderEdits,
      'people.render': handleRenderPerson,
    });
    await read(id);
    return id;
  }
  async function read(assetId: string): Promise<void> {
    const { settings } = database.deps;
    const ctx = jobCtx(database, { settings: withModels(settings.dataDir) });
    const sinks = [facesSink, embeddingSink, petsSink, tagLabelSink, textSink, featureSink];
    const handle = analysisHandlers(sinks)['inference.readText'];
    const effect = await handle(ctx, { assetId, force: true });
    await database.db.transaction(async (tx) => void (await effect?.(tx)));
  }
  const get = async (id: string) => (await call(app, `GET /documents/${id}`, { as: owner })).body;
  const find = async (query: string): Promise<string[]> => {
    const { body } = await call(app, `GET /documents?query=${encodeURIComponent(query)}`, {
      as: owner,
    });
    return body.items.map((item: { id: string }) => item.id);
  };
  const getSuggestion = (
    body: { fields: { field: string; suggestedValue: string }[] },
    name: string,
  ) => body.fields.find(({ field }) => field === name)?.suggestedValue;

  test('a receipt, and a bad photo of a German invoice: found, and their values suggested', async () => {
    const [receiptPage, invoicePage] = PAGES as [(typeof PAGES)[0], (typeof PAGES)[0]];
    const receipt = await add({ name: 'receipt.jpg', bytes: await renderPage(receiptPage) });
    const invoice = await add({
      name: 'bill.jpg',
      bytes: await simulatePhonePhoto(await renderPage(invoicePage)),
    });
    const [receiptBody, invoiceBody] = [await get(receipt), await get(invoice)];
    for (const [page, { text }] of [
      [receiptPage, receiptBody],
      [invoicePage, invoiceBody],
    ] as const) {
      const { errors, of } = countCharacterErrors(page.lines.join(''), text);
      expect(errors / of).toBeLessThan(0.04);
    }
    expect(getSuggestion(receiptBody, 'document-type')).toBe('receipt');
    expect(getSuggestion(receiptBody, 'total-amount')).toBe('8.37');
    expect(getSuggestion(receiptBody, 'date')).toBe('2024-03-14');
    expect(getSuggestion(invoiceBody, 'document-type')).toBe('invoice');
    expect(getSuggestion(invoiceBody, 'total-amount')).toBe('1190.00');
    expect(getSuggestion(invoiceBody, 'due-date')).toBe('2024-03-17');
    expect(getSuggestion(invoiceBody, 'document-number')).toBe('RE-2024-0815');
    expect(getSuggestion(invoiceBody, 'issuer')).toBe('Mustermann Elektro GmbH');
    expect(await find('whole milk')).toEqual([receipt]);
    expect(await find('rechnung')).toEqual([invoice]);

    const line = invoiceBody.lines.find((one: { text: string }) => one.text === 'Rechnung').line;
    await call(app, `PUT /documents/${invoice}/lines`, {
      as: owner,
      body: { line, action: 'correct', text: 'Rechnung für den Keller' },
    });
    const before = await get(invoice);
    await read(invoice);
    expect(await get(invoice)).toEqual(before);
  }, 300_000);

  test('what the model cannot read is neither found nor a document; the lines beside it are', async () => {
    const page = (lines: readonly string[]) =>
      renderPage({ name: 'page', font: 'DejaVu Sans', size: 34, lines });
    const russian = await add({
      name: 'moscow.jpg',
      bytes: await page([
        'Добро пожаловать в Москву',
        'Магазин открыт ежедневно',
        'Осторожно двери закрываются',
        'Улица Пушкина дом десять',
        'Хлеб и молоко 12,50',
      ]),
    });
    expect((await call(app, `GET /assets/${russian}/ocr`, { as: owner })).body).toEqual([]);
    expect((await call(app, 'GET /documents', { as: owner })).body.total).toBe(0);
    const german = await add({
      name: 'shop.jpg',
      bytes: await page(['Müllabfuhr jeden Donnerstag früh', 'IMEI 356938035643809', 'Größe']),
    });
    expect(await find('donnerstag')).toEqual([german]);
    expect(await find('356938035643809')).toEqual([german]);
  }, 300_000);

  skipWithout('media').test(
    'photos of a book, labels, notes and a shop sign',
    async () => {
      const ids: Record<string, string> = {};
      for (const name of ['craft-beer.jpg', 'handwritten-notes.jpg', 'japanese-shop.jpg']) {
        ids[name] = await add(join(MEDIA!, 'text', name));
      }
      expect(await find('remember')).toEqual([ids['handwritten-notes.jpg']!]);
      const { body } = await call(app, 'GET /documents', { as: owner });
      expect(body.items.map(({ id }: { id: string }) => id)).toContain(ids['craft-beer.jpg']);
      const lines = await call(app, `GET /assets/${ids['japanese-shop.jpg']}/ocr`, { as: owner });
      expect(lines.body.length).toBeGreaterThan(0);
      const text = lines.body.map((one: { text: string }) => one.text).join('');
      expect(text).toMatch(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u);
    },
    300_000,
  );
});
