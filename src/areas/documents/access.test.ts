import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../test/support/harness.ts';
import { type Household, seedHousehold, unlock } from '../../../test/support/household.ts';
import { saveRecognizedText } from '../../../test/support/recognized-text.ts';

const { database, app } = await useApp();
let owner: TestUser;
beforeEach(async () => {
  owner = await seed(database).user();
});

const TEXT = ['Stadtwerke Köln', 'Ihre neue Abrechnung', 'Bitte aufbewahren'];
const list = (query = '', caller: Caller = { as: owner }) =>
  call(app, `GET /documents${query}`, caller);
const listed = async (query = '', caller?: Caller): Promise<string[]> =>
  (await list(query, caller)).body.items.map(({ id }: { id: string }) => id);
const get = async (id: string, caller: Caller = { as: owner }) =>
  call(app, `GET /documents/${id}`, caller);

describe('who sees it', () => {
  let home: Household;
  beforeAll(async () => {
    home = await seedHousehold(database);
    for (const [state, assetId] of Object.entries(home.ids)) {
      const ownerId =
        state.endsWith('OfPartner') || state === 'ofPartner' ? home.partner.id : home.owner.id;
      await saveRecognizedText(database, { assetId, ownerId }, TEXT);
    }
  });

  test('VS-001: of one asset in each state, the photos of Timeline and archive are listed', async () => {
    const names = async (caller: Caller) => home.getNames(await listed('', caller));
    const shown = ['archived', 'favorite', 'live', 'plain', 'stackChild'];
    expect(await names({ as: home.owner })).toEqual(shown);
    await unlock(database, home.owner);
    expect(await names({ session: home.owner })).toEqual(shown);
    expect((await list('', { as: home.owner })).body.total).toBe(shown.length);
    expect(await names({ as: home.partner })).toEqual(['archivedOfPartner', 'ofPartner']);
    for (const as of [home.viewer, home.member, home.stranger])
      expect(await names({ as })).toEqual([]);
  });

  test('VS-002: a foreign id returns the error of an unknown one', async () => {
    const unknown = await get(crypto.randomUUID(), { as: home.stranger });
    const foreign = await get(home.ids.plain, { as: home.stranger });
    expect(foreign).toMatchObject({ status: 404, body: unknown.body });
    const ocr = (id: string) => call(app, `GET /assets/${id}/ocr`, { as: home.stranger });
    expect(await ocr(home.ids.plain)).toMatchObject({
      status: 400,
      body: (await ocr(crypto.randomUUID())).body,
    });
  });

  test('a partner and a member of an album read the text, and no suggestions', async () => {
    for (const as of [home.viewer, home.member]) {
      const { status, body } = await get(home.ids.plain, { as });
      expect(status).toBe(200);
      expect(body).toMatchObject({ isOwner: false, text: TEXT.join('\n'), fields: [] });
    }
    expect((await get(home.ids.archived, { as: home.viewer })).status).toBe(404);
    expect((await get(home.ids.locked, { as: home.member })).status).toBe(404);
  });

  test('Locked documents are read in an unlocked session only', async () => {
    expect((await get(home.ids.locked, { as: home.owner })).status).toBe(404);
    await unlock(database, home.owner);
    expect((await get(home.ids.locked, { session: home.owner })).status).toBe(200);
  });

  test('a shared link reads no documents, and without a credential there is nothing', async () => {
    for (const route of [
      'GET /documents?slug=assets',
      `GET /documents/${home.ids.plain}?slug=assets`,
      `GET /assets/${home.ids.plain}/ocr?slug=assets`,
    ] as const) {
      expect((await call(app, route)).status).toBe(403);
    }
    expect((await call(app, 'GET /documents')).status).toBe(401);
  });

  test('a key needs asset.read', async () => {
    const key = await seed(database).user(['asset.update']);
    expect((await list('', { as: key })).status).toBe(403);
    expect((await get(home.ids.plain, { as: key })).status).toBe(403);
  });
});
