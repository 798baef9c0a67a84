import { describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { seedHousehold } from '../../../../test/support/household.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { indexTexts } from '../../../../test/support/text-index.ts';
import { handleIndexText } from '../match/text-index.handlers.ts';
import { saveTextPart } from '../match/text-index.store.ts';

const { database, app } = await useApp();

const smart = (body: object, caller: Caller) =>
  call(app, 'POST /search/smart', { ...caller, body });

const found = async (body: object, as: TestUser): Promise<string[]> => {
  const reply = await smart(body, { as });
  expect(reply.status).toBe(200);
  return reply.body.assets.items.map((item: { id: string }) => item.id);
};

describe('without an embedding model words are searched', () => {
  test('in descriptions, tags, places, file names and recognized text', async () => {
    const me = await seed(database).user();
    const add = (values: object, exif: object = {}) =>
      seed(database).asset({ ownerId: me.id, exif, ...values });
    const described = await add({}, { description: 'Große Straße im Regen' });
    const placed = await add({}, { city: 'Århus', country: 'Denmark' });
    const named = await add({ fileName: 'summer_fest-2019.jpg' });
    const tagged = await add({});
    const read = await add({});
    const shot = await add({}, { make: 'Leica', model: 'Q2' });
    await database.sql`
      with tag as (insert into tag (owner_id, value) values (${me.id}, 'Family/Grandma') returning id)
      insert into tag_asset select id, ${tagged} from tag`;
    await saveTextPart(database.db, read, 'read', 'RECHNUNG Nr. 4711');
    for (const state of [
      { lockedAt: NOW },
      { trashedAt: NOW },
      { visibility: 'archive' as const },
    ]) {
      await add(state, { description: 'Straße' });
    }
    await indexTexts(database);
    for (const [query, ids] of [
      ['strasse', [described]],
      ['Regen Straße', [described]],
      ['Regen Sonne', [described]],
      ['arhus', [placed]],
      ['photos of denmark', [placed]],
      ['fest', [named]],
      ['summer_fest-2019', [named]],
      ['grandma', [tagged]],
      ['family', [tagged]],
      ['rechnung', [read]],
      ['4711', [read]],
      ['leica', [shot]],
      ['grandmar', [tagged]],
      ['nothing', []],
    ] as const) {
      const shown = await found({ query, visibility: 'timeline' }, me);
      expect([query, shown]).toEqual([query, [...ids]]);
    }
    expect(await found({ query: 'strasse', visibility: 'archive' }, me)).toHaveLength(1);
    expect(await found({ query: 'strasse' }, me)).toHaveLength(2);
    expect(await found({ query: 'strasse', withArchived: false }, me)).toHaveLength(1);
    expect(await found({ query: 'strasse', city: 'Århus' }, me)).toEqual([]);

    // The recognised text is also a filter of its own; other words match nothing.
    const ocr = async (text: string) =>
      (
        await call(app, 'POST /search/metadata', { as: me, body: { ocr: text } })
      ).body.assets.items.map((item: { id: string }) => item.id);
    expect(await ocr('Rechnung')).toEqual([read]);
    expect(await ocr('Straße')).toEqual([]);
    expect(await ocr('?')).toEqual([]);
  });

  test('the text index follows every change', async () => {
    const me = await seed(database).user();
    const id = await seed(database).asset({ ownerId: me.id });
    const body = { description: 'Zeppelin' };
    expect((await call(app, `PUT /assets/${id}`, { as: me, body })).status).toBe(200);
    await indexTexts(database);
    expect(await found({ query: 'zeppelin' }, me)).toEqual([id]);
    await call(app, `PUT /assets/${id}`, { as: me, body: { description: 'Ballon' } });
    await indexTexts(database);
    expect(await found({ query: 'zeppelin' }, me)).toEqual([]);
    expect(await found({ query: 'ballon' }, me)).toEqual([id]);

    const [tag] = (await call(app, 'PUT /tags', { as: me, body: { tags: ['Circus'] } })).body;
    await call(app, `PUT /tags/${tag.id}/assets`, { as: me, body: { ids: [id] } });
    await indexTexts(database);
    expect(await found({ query: 'circus' }, me)).toEqual([id]);
    await database.sql`update tag set value = 'Theatre' where id = ${tag.id}`;
    await indexTexts(database);
    expect(await found({ query: 'circus' }, me)).toEqual([]);
    expect(await found({ query: 'theatre' }, me)).toEqual([id]);
    await call(app, `DELETE /tags/${tag.id}`, { as: me });
    await saveTextPart(database.db, id, 'caption', 'A clown');
    await indexTexts(database);
    expect(await found({ query: 'theatre' }, me)).toEqual([]);
    expect(await found({ query: 'clown' }, me)).toEqual([id]);
    await saveTextPart(database.db, id, 'caption', '');
    await indexTexts(database);
    expect(await found({ query: 'clown' }, me)).toEqual([]);
  });

  test('a change during indexing is not lost, and a deleted asset is skipped', async () => {
    const me = await seed(database).user();
    const ids = [
      await seed(database).asset({ ownerId: me.id, exif: { description: 'before' } }),
      await seed(database).asset({ ownerId: me.id, exif: { description: 'before' } }),
    ] as const;
    const effect = await handleIndexText(jobCtx(database), {});
    await database.sql`update asset_exif set description = 'after' where asset_id = ${ids[0]}`;
    await database.sql`delete from asset where id = ${ids[1]}`;
    await database.db.transaction(async (tx) => void (await effect!(tx)));
    await indexTexts(database);
    expect(await found({ query: 'after' }, me)).toEqual([ids[0]]);
    expect(await found({ query: 'before' }, me)).toEqual([]);
    expect(await handleIndexText(jobCtx(database), {})).toBeUndefined();
  });

  test('words of other accounts are neither found nor suggested as corrections', async () => {
    const [me, other] = [await seed(database).user(), await seed(database).user()];
    await seed(database).asset({ ownerId: me.id, exif: { description: 'Geheimnis' } });
    await indexTexts(database);
    for (const query of ['geheimnis', 'geheimnes', 'geh']) {
      expect(await found({ query }, other)).toEqual([]);
      expect(await found({ query }, me)).toHaveLength(1);
    }
    const reply = await call(app, 'POST /search/ask', { as: other, body: { query: 'geheimnis' } });
    expect(reply.body.interpretation.unresolved).toEqual(['geheimnis']);
  });

  test('pages follow each other without gaps or repetitions', async () => {
    const me = await seed(database).user();
    for (let n = 0; n < 5; n++) {
      await seed(database).asset({ ownerId: me.id, exif: { description: `boat ${n}` } });
    }
    await indexTexts(database);
    const seen: string[] = [];
    let page: number | undefined = 1;
    while (page) {
      const { assets }: { assets: { items: { id: string }[]; nextPage: string | null } } = (
        await smart({ query: 'boat', size: 2, page }, { as: me })
      ).body;
      seen.push(...assets.items.map((item: { id: string }) => item.id));
      page = assets.nextPage ? Number(assets.nextPage) : undefined;
    }
    expect(new Set(seen).size).toBe(5);
  });
});

test('no text and no asset → 400; an asset of somebody else like an unknown one', async () => {
  const house = await seedHousehold(database);
  const { owner, stranger, ids } = house;
  const none = { status: 400, body: { message: 'Either `query` or `queryAssetId` must be set' } };
  expect(await smart({}, { as: owner })).toMatchObject(none);
  expect(await smart({ query: ' ' }, { as: owner })).toMatchObject(none);
  const noAccess = { status: 400, body: { message: 'Not found or no asset.read access' } };
  expect(await smart({ queryAssetId: ids.plain }, { as: stranger })).toMatchObject(noAccess);
  const unknown = { queryAssetId: crypto.randomUUID() };
  expect(await smart(unknown, { as: stranger })).toMatchObject(noAccess);
  expect(await smart({ queryAssetId: ids.locked }, { as: owner })).toMatchObject(noAccess);
  expect((await smart({ queryAssetId: ids.plain }, { as: owner })).body.assets.items).toEqual([]);
  expect((await smart({ query: 'x', visibility: 'locked' }, { as: owner })).status).toBe(401);
  expect((await call(app, 'POST /search/smart?slug=assets', { body: { query: 'x' } })).status).toBe(
    403,
  );
});
