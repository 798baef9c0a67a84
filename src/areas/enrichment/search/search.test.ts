import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { createFilmTests } from '../../../../test/support/films.ts';
import { call, NOW, testApp } from '../../../../test/support/harness.ts';
import { unlock } from '../../../../test/support/household.ts';
import { openDatabase } from '../../../db/client.ts';
import { getVectorIndex } from '../../../inference/index.ts';
import * as store from '../store.ts';

// Films are cut and decoded while others use the machine, too.
setDefaultTimeout(300_000);

const films = createFilmTests();
const { addPickedFilm, describeAs, listFrames, mark, search } = films;

describe('search', () => {
  test('EP-033: by words of captions, titles and typed transcripts', async () => {
    const id = await addPickedFilm(films.me);
    await describeAs(id, [{ caption: 'A lighthouse, seashore' }, { caption: 'A cat' }]);
    const said = await mark(id, { startMs: 10, title: 'Toast', transcript: 'Auf die Großmutter!' });
    const told = (await search({ query: 'a lighthouse' })).body;
    expect(told.items).toHaveLength(1);
    expect(told.items[0]).toMatchObject({ assetId: id, matchedBy: ['caption'] });
    expect(told.nextPage).toBeNull();
    const spoken = (await search({ query: 'grossmutter' })).body.items;
    expect(spoken).toMatchObject([
      { momentId: said.body.id, matchedBy: ['transcript'], timeMs: 10 },
    ]);
    expect((await search({ query: 'toast' })).body.items).toHaveLength(1);
    expect((await search({ query: 'submarine' })).body.items).toEqual([]);
    expect((await search({ query: 'toast', kinds: ['generated'] })).body.items).toEqual([]);
    expect((await search({ query: 'toast', assetIds: [crypto.randomUUID()] })).body.items).toEqual(
      [],
    );
    expect((await search({ query: 'toast', assetIds: [id] })).body.items).toHaveLength(1);
    expect((await search({ query: '' })).status).toBe(400);
    const path = `/enrichment/videos/${id}/moments/${said.body.id}` as const;
    await call(films.app, `PUT ${path}`, { as: films.me, body: { transcript: 'Cheers' } });
    expect((await search({ query: 'grossmutter' })).body.items).toEqual([]);
    expect((await search({ query: 'cheers' })).body.items).toHaveLength(1);
  });

  test('pages do not overlap', async () => {
    const id = await addPickedFilm(films.me);
    for (const startMs of [0, 1, 2, 3, 4]) await mark(id, { startMs, title: 'Wave' });
    const pages = await Promise.all(
      [1, 2, 3].map(async (page) => (await search({ query: 'wave', size: 2, page })).body),
    );
    expect(pages.map(({ items, nextPage }) => [items.length, nextPage])).toEqual([
      [2, 2],
      [2, 3],
      [1, null],
    ]);
    const ids = pages.flatMap(({ items }) =>
      items.map((item: { momentId: string | null }) => item.momentId),
    );
    expect(new Set(ids).size).toBe(5);
  });

  test('excludes videos of others and Locked, trashed or broken ones', async () => {
    const shown = await addPickedFilm(films.house.owner);
    await describeAs(shown, [{ caption: 'A zebra', vector: [1, 0] }], 'states');
    for (const state of [
      { lockedAt: NOW },
      { trashedAt: NOW },
      { brokenReason: 'broken: no frames' },
      { lockedAt: NOW, trashedAt: NOW },
      { ownerId: films.house.stranger.id },
      { ownerId: films.house.partner.id },
    ]) {
      const id = await addPickedFilm(films.house.owner, state);
      await describeAs(id, [{ caption: 'A zebra', vector: [1, 0] }], 'states');
    }
    await unlock(films.database, films.house.owner);
    const found = await call(films.app, 'POST /enrichment/moments/search', {
      session: films.house.owner,
      body: { query: 'zebra' },
    });
    expect(found.body.items.map((item: { assetId: string }) => item.assetId)).toEqual([shown]);
    const [first] = await listFrames(shown);
    const alike = await call(films.app, `GET /enrichment/frames/${first!.id}/similar`, {
      session: films.house.owner,
    });
    expect(alike.body.items).toEqual([]);
  });
});

describe('similar', () => {
  test('EP-007: returns the nearest without the frame itself, runs no model and writes nothing', async () => {
    const [one, two] = [await addPickedFilm(films.me), await addPickedFilm(films.me)];
    await describeAs(
      one,
      [{ caption: 'a', vector: [1, 0, 0] }, { caption: 'b', vector: [0, 1, 0] }, { caption: 'c' }],
      'near',
    );
    await describeAs(
      two,
      [
        { caption: 'd', vector: [0.8, 0.6, 0] },
        { caption: 'e', vector: [0.6, 0.8, 0] },
        { caption: 'f' },
      ],
      'near',
    );
    const [frame] = await listFrames(one);
    // Over a connection that lets nothing be written.
    const { deps } = films.database;
    const { db, sql, ...opened } = openDatabase(deps.settings.databaseUrl!, { max: 1 });
    await sql`set session characteristics as transaction read only`;
    const similar = (query = '') =>
      call(
        testApp(films.database, { db, sql }),
        `GET /enrichment/frames/${frame!.id}/similar${query}`,
        {
          as: films.me,
        },
      );
    const { status, body } = await similar();
    expect(status).toBe(200);
    expect(body.nextPage).toBeNull();
    expect(body.items.map((item: { caption: string | null }) => item.caption)).toEqual([
      'd',
      'e',
      'b',
    ]);
    expect(body.items.map((item: { frameId: string | null }) => item.frameId)).not.toContain(
      frame!.id,
    );
    for (const item of body.items) expect(item.matchedBy).toEqual(['similarity']);
    expect(body.items[0].score).toBeCloseTo(0.8, 1);
    const limited = await similar('?limit=1');
    expect(limited.body.items).toHaveLength(1);
    await getVectorIndex({ ...deps, sql }).close();
    await opened.close();
  });

  test('LM-024: limits 1 and 100 are accepted', async () => {
    const id = await addPickedFilm(films.me);
    const [frame] = await store.listFrames(films.database.db, id);
    for (const limit of [1, 100]) {
      const path = `GET /enrichment/frames/${frame!.id}/similar?limit=${limit}` as const;
      expect((await call(films.app, path, { as: films.me })).status).toBe(200);
    }
  });

  test('LM-025: limits 0 and 101 are refused by name', async () => {
    const id = await addPickedFilm(films.me);
    const [frame] = await store.listFrames(films.database.db, id);
    for (const limit of [0, 101]) {
      const path = `GET /enrichment/frames/${frame!.id}/similar?limit=${limit}` as const;
      const { status, body } = await call(films.app, path, { as: films.me });
      expect(status).toBe(400);
      expect(body.errors[0].path).toEqual(['limit']);
    }
  });
});
