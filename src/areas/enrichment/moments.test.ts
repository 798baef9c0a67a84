import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createFilmTests } from '../../../test/support/films.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import * as store from './store.ts';

// Films are cut and decoded while others use the machine, too.
setDefaultTimeout(300_000);

const films = createFilmTests();
const { addFilm, addPickedFilm, getMoments, describeAs, mark, requestMoments, pick } = films;

describe('moments', () => {
  test('EP-009: one by hand survives a refresh; a generated one cannot be changed', async () => {
    const id = await addPickedFilm(films.me);
    await describeAs(id, [{ caption: 'A dog' }, { caption: 'A cat' }, { caption: null }]);
    const made = await mark(id, { startMs: 1000, endMs: 1500, title: 'First steps' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      kind: 'manual',
      startMs: 1000,
      endMs: 1500,
      title: 'First steps',
      caption: null,
      transcript: null,
      source: null,
      isOutdated: false,
    });
    await pick(id, true);
    await describeAs(id, [{ caption: 'A horse' }, { caption: null }, { caption: null }]);
    const { moments } = await getMoments(id);
    expect(
      moments.map((moment: { kind: string; caption: string | null }) => [
        moment.kind,
        moment.caption,
      ]),
    ).toEqual([
      ['generated', 'A horse'],
      ['manual', null],
      ['generated', null],
      ['generated', null],
    ]);
    expect(moments[1].id).toBe(made.body.id);
    const path = `/enrichment/videos/${id}/moments/${moments[0].id}` as const;
    expect(
      (await call(films.app, `PUT ${path}`, { as: films.me, body: { title: 'x' } })).status,
    ).toBe(400);
    expect((await call(films.app, `DELETE ${path}`, { as: films.me })).status).toBe(400);
    expect((await getMoments(id)).moments).toHaveLength(4);
  });

  test('a JSON string as body creates no moment', async () => {
    const id = await addPickedFilm(films.me);
    const route = `POST /enrichment/videos/${id}/moments`;
    const bodies: [type: string | undefined, text: string][] = [
      ['application/json', '"a title"'],
      ['application/json', JSON.stringify(JSON.stringify({ startMs: 0 }))],
      ['application/json', '0'],
      ['application/json', '[{"startMs":0}]'],
      ['text/plain', '{"startMs":0}'],
      ['application/x-www-form-urlencoded', 'startMs=0'],
      [undefined, 'a title'],
    ];
    for (const [type, text] of bodies) {
      const request = new Request(`http://localhost/api${route.slice('POST '.length)}`, {
        method: 'POST',
        headers: { 'x-api-key': films.me.key, ...(type && { 'content-type': type }) },
        body: new TextEncoder().encode(text),
      });
      expect([400, 415]).toContain((await films.app.handle(request)).status);
    }
    expect((await getMoments(id)).moments).toEqual([]);
  });

  test('EP-034: generated moments are outdated after an edit of the video and name their source', async () => {
    const id = await addFilm(films.me);
    await describeAs(id, [{ caption: 'A dog' }, { caption: 'A cat' }, { caption: null }]);
    await mark(id, { startMs: 0 });
    const before = await getMoments(id);
    expect(before).toMatchObject({ status: 'ready', isOutdated: false });
    expect(before.source.models).toEqual(['tiny']);
    await films.database.sql`update asset_exif set orientation = '6' where asset_id = ${id}`;
    const after = await getMoments(id);
    expect(after.isOutdated).toBe(true);
    expect(after.source).toEqual(before.source);
    expect(after.frames.map((frame: { isOutdated: boolean }) => frame.isOutdated)).toEqual([
      true,
      true,
      true,
    ]);
    for (const { kind, isOutdated, source } of after.moments) {
      expect(isOutdated).toBe(kind === 'generated');
      expect(source).toEqual(kind === 'generated' ? before.source : null);
    }
    await pick(id);
    await describeAs(id, [{ caption: 'A dog' }, { caption: 'A cat' }, { caption: null }]);
    const renewed = await getMoments(id);
    expect(renewed.isOutdated).toBe(false);
    expect(renewed.source.sourceRevision).not.toBe(before.source.sourceRevision);
    const files = await readdir(
      join(films.database.deps.paths.derived, id.slice(0, 2), id.slice(2, 4)),
    );
    expect(files.filter((name) => name.startsWith(id))).toHaveLength(3);
  });

  test('EP-035: own ones are changed; an end before the start is refused; foreign ones are unknown', async () => {
    const id = await addPickedFilm(films.house.owner);
    const { body: moment } = await mark(id, { startMs: 1000 }, films.house.owner);
    expect(moment).toMatchObject({ startMs: 1000, endMs: 1000 });
    const put = (body: object, as: TestUser, momentId = moment.id, of = id) =>
      call(films.app, `PUT /enrichment/videos/${of}/moments/${momentId}`, { as, body });
    const changed = await put({ title: 'Goal' }, films.house.owner);
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ title: 'Goal', startMs: 1000, endMs: 1000 });
    expect((await put({ endMs: 999 }, films.house.owner)).status).toBe(400);
    expect((await put({ startMs: 1001 }, films.house.owner)).status).toBe(400);
    expect((await put({ endMs: 6001 }, films.house.owner)).status).toBe(400);
    const unknown = await put(
      { title: 'x' },
      films.house.stranger,
      Bun.randomUUIDv7(),
      crypto.randomUUID(),
    );
    expect(unknown.status).toBe(404);
    for (const other of [films.house.stranger, films.house.viewer]) {
      expect(await put({ title: 'x' }, other)).toMatchObject({ status: 404, body: unknown.body });
    }
    const elsewhere = await addPickedFilm(films.me);
    expect((await put({ title: 'x' }, films.me, moment.id, elsewhere)).status).toBe(404);
    expect((await getMoments(id, films.house.owner)).moments[0].title).toBe('Goal');
  });

  test('EP-036: are unknown once deleted', async () => {
    const id = await addPickedFilm(films.me);
    const { body: moment } = await mark(id, { startMs: 1000, endMs: 2000 });
    const path = `DELETE /enrichment/videos/${id}/moments/${moment.id}` as const;
    const stranger = await seed(films.database).user();
    expect((await call(films.app, path, { as: stranger })).status).toBe(404);
    expect((await call(films.app, path, { as: films.me })).status).toBe(204);
    const again = await call(films.app, path, { as: films.me });
    const never = await call(
      films.app,
      `DELETE /enrichment/videos/${id}/moments/${Bun.randomUUIDv7()}`,
      {
        as: films.me,
      },
    );
    expect(again.status).toBe(404);
    expect(again.body).toEqual(never.body);
  });

  test('lie within the video and are created by its owner only', async () => {
    const id = await addPickedFilm(films.house.owner);
    expect((await mark(id, { startMs: 2000, endMs: 1000 }, films.house.owner)).status).toBe(400);
    expect((await mark(id, { startMs: 0, endMs: 6001 }, films.house.owner)).status).toBe(400);
    expect((await mark(id, { startMs: 7000 }, films.house.owner)).status).toBe(400);
    expect((await mark(id, { startMs: 0, title: 'x'.repeat(256) }, films.house.owner)).status).toBe(
      400,
    );
    expect((await mark(films.house.ids.plain, { startMs: 0 }, films.house.owner)).status).toBe(400);
    expect((await mark(id, { startMs: 0 }, films.house.viewer)).status).toBe(404);
    expect((await mark(id, { startMs: 0 }, films.house.stranger)).status).toBe(404);
    expect((await getMoments(id, films.house.owner)).moments).toEqual([]);
    expect((await requestMoments(id, films.house.viewer)).status).toBe(200);
    expect((await requestMoments(id, films.house.stranger)).status).toBe(404);
    expect((await requestMoments(films.house.ids.plain, films.house.owner)).status).toBe(404);
  });
});

test('no guest and no key without the permission changes or reads anything', async () => {
  const id = await addPickedFilm(films.house.owner);
  const [frame] = await store.listFrames(films.database.db, id);
  const made = (await mark(id, { startMs: 0 }, films.house.owner)).body;
  const reader = await seed(films.database).user(['asset.read', 'asset.view']);
  const nobody = await seed(films.database).user(['album.read']);
  const video = `/enrichment/videos/${id}`;
  const routes = [
    ['GET', `/enrichment/frames/${frame!.id}`, undefined],
    ['GET', `/enrichment/frames/${frame!.id}/similar`, undefined],
    ['POST', '/enrichment/moments/search', { query: 'x' }],
    ['GET', `${video}/moments`, undefined],
    ['PUT', `${video}/cover`, { timeMs: 0 }],
    ['POST', `${video}/moments`, { startMs: 0 }],
    ['PUT', `${video}/moments/${made.id}`, { title: 'x' }],
    ['DELETE', `${video}/moments/${made.id}`, undefined],
  ] as const;
  for (const [method, path, body] of routes) {
    const isWrite = path.startsWith(video) && method !== 'GET';
    const status = async (caller: object, query = '') =>
      (await call(films.app, `${method} ${path}${query}` as 'GET /', { ...caller, body })).status;
    expect(await status({})).toBe(401);
    expect(await status({ as: nobody })).toBe(403);
    expect(await status({}, '?slug=assets')).toBe(403);
    if (isWrite) expect(await status({ as: reader })).toBe(403);
  }
  expect((await getMoments(id, films.house.owner)).moments).toMatchObject([
    { id: made.id, title: null },
  ]);
});
