import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { useApp } from '../../../test/support/database.ts';
import { documentEdits, INVOICE } from '../../../test/support/document-edits.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { type Household, seedHousehold, unlock } from '../../../test/support/household.ts';
import { saveRecognizedText } from '../../../test/support/recognized-text.ts';
import { queryRows } from '../../db/query.ts';

const { database, app } = await useApp();
let owner: TestUser;
let id: string;
beforeEach(async () => {
  owner = await seed(database).user();
  id = await seed(database).asset({ ownerId: owner.id });
  await saveRecognizedText(database, { assetId: id, ownerId: owner.id }, INVOICE);
});

const { decide, forget, edit, undo } = documentEdits(() => ({ app, owner: { as: owner }, id }));

describe('whoever is not the owner changes nothing', () => {
  let home: Household;
  beforeAll(async () => {
    home = await seedHousehold(database);
  });

  test('strangers, partners and members get the answer of an unknown id', async () => {
    const assetId = home.ids.plain;
    await saveRecognizedText(database, { assetId, ownerId: home.owner.id }, INVOICE);
    const body = { line: 0, action: 'correct', text: 'Mine' };
    const made = await edit(body, { as: home.owner }, assetId);
    await decide('title', { action: 'confirm' }, { as: home.owner }, assetId);
    const { editId } = made.body.lines[0].edit;
    for (const as of [home.stranger, home.viewer, home.member]) {
      const unknown = crypto.randomUUID();
      for (const attempt of [
        (of: string) => decide('date', { action: 'confirm' }, { as }, of),
        (of: string) => forget('title', '?revision=1', { as }, of),
        (of: string) => edit({ ...body, revision: 1 }, { as }, of),
        (of: string) => undo(editId, '?revision=1', { as }, of),
      ]) {
        const { status, body: said } = await attempt(unknown);
        expect(status).toBe(404);
        expect(await attempt(assetId)).toMatchObject({ status, body: said });
      }
    }
    const { body: after } = await call(app, `GET /documents/${assetId}`, { as: home.owner });
    expect(after).toMatchObject({ revision: 1, lines: [{ text: 'Mine' }, {}, {}, {}, {}] });
  });

  test('a shared link, no credential, and a key without asset.update', async () => {
    const assetId = home.ids.plain;
    await saveRecognizedText(database, { assetId, ownerId: home.owner.id }, INVOICE);
    const routes = [
      ['PUT', `/documents/${assetId}/fields/title`, { action: 'confirm' }],
      ['DELETE', `/documents/${assetId}/fields/title?revision=1`, undefined],
      ['PUT', `/documents/${assetId}/lines`, { line: 0, action: 'dismiss' }],
      ['DELETE', `/documents/${assetId}/lines/${crypto.randomUUID()}?revision=1`, undefined],
    ] as const;
    const reader = await seed(database).user(['asset.read']);
    for (const [method, path, body] of routes) {
      const link = `${path}${path.includes('?') ? '&' : '?'}slug=assets`;
      expect((await call(app, `${method} ${link}` as never, { body })).status).toBe(403);
      expect((await call(app, `${method} ${path}` as never, { body })).status).toBe(401);
      expect((await call(app, `${method} ${path}` as never, { as: reader, body })).status).toBe(
        403,
      );
    }
  });

  test('Locked documents are changed in an unlocked session only', async () => {
    await queryRows(database.db, sql`update asset set locked_at = now() where id = ${id}`);
    expect((await edit({ line: 0, action: 'dismiss' })).status).toBe(404);
    await unlock(database, owner);
    expect((await edit({ line: 0, action: 'dismiss' }, { session: owner })).status).toBe(200);
  });
});
