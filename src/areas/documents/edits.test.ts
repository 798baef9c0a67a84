import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { documentEdits, INVOICE } from '../../../test/support/document-edits.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { saveRecognizedText } from '../../../test/support/recognized-text.ts';

const { database, app } = await useApp();
let owner: TestUser;
let id: string;
beforeEach(async () => {
  owner = await seed(database).user();
  id = await seed(database).asset({ ownerId: owner.id });
  await saveRecognizedText(database, { assetId: id, ownerId: owner.id }, INVOICE);
});

const get = async (as = owner) => (await call(app, `GET /documents/${id}`, { as })).body;
const { decide, forget, edit, undo } = documentEdits(() => ({ app, owner: { as: owner }, id }));
const getField = (body: { fields: { field: string }[] }, name: string) =>
  body.fields.find(({ field }) => field === name);
const stale = (currentRevision: number | null) => ({
  status: 409,
  body: { code: 'stale_revision', currentRevision, retryable: false },
});
const texts = ({ lines }: { lines: { text: string }[] }) => lines.map(({ text }) => text);

describe('fields', () => {
  test('EP-037: a field is confirmed, and corrected with its revision only', async () => {
    const confirmed = await decide('total-amount', { action: 'confirm' });
    expect(confirmed.status).toBe(200);
    expect(getField(confirmed.body, 'total-amount')).toEqual({
      field: 'total-amount',
      suggestedValue: '120.00',
      confidence: expect.any(Number),
      lines: [4],
      decision: {
        action: 'confirm',
        value: '120.00',
        revision: 1,
        updatedAt: expect.stringMatching(/Z$/),
      },
    } as never);
    const corrected = await decide('total-amount', {
      action: 'correct',
      value: '121.00',
      revision: 1,
    });
    expect(getField(corrected.body, 'total-amount')).toMatchObject({
      suggestedValue: '120.00',
      decision: { action: 'correct', value: '121.00', revision: 2 },
    } as never);
    expect(corrected.body.revision).toBe(2);
    expect(await decide('total-amount', { action: 'correct', value: '1' })).toMatchObject(stale(2));
    expect(await decide('total-amount', { action: 'dismiss', revision: 1 })).toMatchObject(
      stale(2),
    );
    const dismissed = await decide('total-amount', { action: 'dismiss', revision: 2 });
    expect(getField(dismissed.body, 'total-amount')).toMatchObject({
      decision: { action: 'dismiss', value: null, revision: 3 },
    } as never);
  });

  test('EP-011: a decision is undone with its revision only', async () => {
    await decide('title', { action: 'correct', value: 'Drill' });
    await decide('title', { action: 'correct', value: 'A drill', revision: 1 });
    expect(await forget('title', '?revision=1')).toMatchObject(stale(2));
    expect((await forget('title', '')).status).toBe(400);
    const { status, body } = await forget('title', '?revision=2');
    expect(status).toBe(200);
    expect(getField(body, 'title')).toMatchObject({
      suggestedValue: 'Rechnung',
      decision: null,
    } as never);
    expect(body.revision).toBe(0);
    expect((await forget('title', '?revision=2')).status).toBe(404);
    const again = await decide('title', { action: 'confirm' });
    expect(again.body.revision).toBe(1);
  });

  test('a revision for a field without a decision is stale', async () => {
    expect(await decide('title', { action: 'confirm', revision: 1 })).toMatchObject(stale(null));
  });

  test('days, amounts and currencies are validated; other fields take any text', async () => {
    const say = async (field: string, value: string) => {
      await database.sql`delete from document_field where asset_id = ${id}`;
      const { status, body } = await decide(field, { action: 'correct', value });
      return status === 200 ? 200 : [status, body.errors[0].path];
    };
    const refused = [400, ['value']];
    for (const [field, value] of [
      ['date', 'nonsense'],
      ['date', '12.03.2024'],
      ['due-date', '2024-02-30'],
      ['due-date', '2024-13-01'],
      ['expiry-date', '0000-01-01'],
      ['expiry-date', '2024-03-12T00:00:00Z'],
      ['total-amount', 'a lot'],
      ['total-amount', '120 EUR'],
      ['total-amount', '1e308'],
      ['currency', 'XXXX'],
      ['currency', 'XXX'],
      ['currency', 'eur'],
    ] as const) {
      expect([field, value, await say(field, value)]).toEqual([field, value, refused]);
    }
    for (const [field, value] of [
      ['date', '2024-02-29'],
      ['expiry-date', '1999-12-31'],
      ['total-amount', '-12.5'],
      ['total-amount', '1000000'],
      ['currency', 'CHF'],
      ['currency', ' DEM '],
      ['document-type', 'menu'],
      ['document-number', 'nonsense'],
      ['issuer', 'XXXX'],
    ] as const) {
      expect([field, value, await say(field, value)]).toEqual([field, value, 200]);
    }
  });

  test('confirm needs a suggestion, correct a value, the others take none', async () => {
    for (const [field, body] of [
      ['recipient', { action: 'confirm' }],
      ['title', { action: 'correct' }],
      ['title', { action: 'correct', value: '   ' }],
      ['title', { action: 'correct', value: '' }],
      ['title', { action: 'correct', value: 'x'.repeat(501) }],
      ['title', { action: 'confirm', value: 'Rechnung' }],
      ['title', { action: 'dismiss', value: 'Rechnung' }],
      ['title', { action: 'invent' }],
      ['title', { action: 'dismiss', revision: 0 }],
      ['colour', { action: 'dismiss' }],
    ] as const) {
      expect([field, body, (await decide(field, body)).status]).toEqual([field, body, 400]);
    }
    expect((await get()).revision).toBe(0);
  });

  test('of two concurrent decisions one gets 409', async () => {
    const replies = await Promise.all(
      ['a', 'b', 'c'].map((value) => decide('title', { action: 'correct', value })),
    );
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
  });

  test('a corrected line changes what is suggested', async () => {
    const { body } = await edit({ line: 4, action: 'correct', text: 'Gesamtbetrag 130,00 EUR' });
    expect(getField(body, 'total-amount')).toMatchObject({ suggestedValue: '130.00' } as never);
    const without = await edit({ line: 4, action: 'dismiss', revision: 1 });
    expect(getField(without.body, 'total-amount')).toMatchObject({ suggestedValue: null } as never);
  });
});

describe('lines', () => {
  test('EP-010: corrected and dismissed by the owner, read by a member, never changed', async () => {
    const member = await seed(database).user();
    await call(app, 'POST /albums', {
      as: owner,
      body: { albumName: 'A', assetIds: [id], albumUsers: [{ userId: member.id, role: 'viewer' }] },
    });
    await edit({ line: 2, action: 'correct', text: 'Rechnungsnummer: RE-2024-07' });
    await edit({ line: 3, action: 'dismiss' });
    const shown = [INVOICE[0], INVOICE[1], 'Rechnungsnummer: RE-2024-07', INVOICE[4]].join('\n');
    for (const as of [owner, member]) {
      const body = await get(as);
      expect(body.text).toBe(shown);
      expect(body.lines[2]).toMatchObject({
        text: 'Rechnungsnummer: RE-2024-07',
        recognizedText: INVOICE[2],
        isDismissed: false,
      });
      expect(body.lines[3]).toMatchObject({ recognizedText: INVOICE[3], isDismissed: true });
      expect(body.fields).toHaveLength(as === owner ? 10 : 0);
      expect(body.lines[2].edit === null).toBe(as === member);
    }
  });

  test('EP-038: an edit is undone with its revision only, and the recognized line shows again', async () => {
    const { body } = await edit({ line: 2, action: 'correct', text: 'Nummer 7' });
    const { editId } = body.lines[2].edit;
    expect(await undo(editId, '?revision=2')).toMatchObject(stale(1));
    expect((await undo(editId, '')).status).toBe(400);
    expect((await undo(crypto.randomUUID(), '?revision=1')).status).toBe(404);
    const after = await undo(editId, '?revision=1');
    expect(after.status).toBe(200);
    expect(after.body.lines[2]).toMatchObject({ text: INVOICE[2], edit: null });
    expect(after.body.text).toBe(INVOICE.join('\n'));
    expect((await undo(editId, '?revision=1')).status).toBe(404);
  });

  test('replacing an edit keeps its id and needs its revision', async () => {
    const first = (await edit({ line: 0, action: 'correct', text: 'Acme' })).body.lines[0].edit;
    expect(first).toEqual({
      editId: expect.any(String),
      revision: 1,
      action: 'correct',
      updatedAt: expect.stringMatching(/Z$/),
    });
    const { editId } = first;
    expect(await edit({ line: 0, action: 'dismiss' })).toMatchObject(stale(1));
    expect(await edit({ line: 0, action: 'dismiss', editId, revision: 2 })).toMatchObject(stale(1));
    const other = crypto.randomUUID();
    expect(await edit({ line: 0, action: 'dismiss', editId: other, revision: 1 })).toMatchObject(
      stale(1),
    );
    expect(await edit({ line: 1, action: 'dismiss', editId, revision: 1 })).toMatchObject(
      stale(null),
    );
    const second = await edit({ line: 0, action: 'dismiss', editId, revision: 1 });
    expect(second.body.lines[0]).toMatchObject({
      text: INVOICE[0],
      isDismissed: true,
      edit: { editId, revision: 2, action: 'dismiss' },
    });
  });

  test('a correction needs a text, a dismissal takes none, and the line must be there', async () => {
    for (const body of [
      { line: 0, action: 'correct' },
      { line: 0, action: 'correct', text: ' ' },
      { line: 0, action: 'correct', text: 'x'.repeat(2001) },
      { line: 0, action: 'correct', text: 'a\0b' },
      { line: 0, action: 'dismiss', text: 'a' },
      { line: 99, action: 'dismiss' },
      { line: -1, action: 'dismiss' },
      { action: 'dismiss' },
    ]) {
      expect([body, (await edit(body)).status]).toEqual([body, 400]);
    }
    expect(texts(await get())).toEqual(INVOICE);
  });
});
