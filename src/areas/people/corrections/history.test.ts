import { describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import {
  addScene,
  BOX,
  getFace,
  listCorrections,
  patchFace,
  undoCorrection,
} from '../../../../test/support/corrections.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { unlock } from '../../../../test/support/household.ts';
import { addFace, addPerson, faceVector } from '../../../../test/support/people.ts';

const { database, app } = await useApp();

const user = () => seed(database).user();

describe('the history', () => {
  test('lists the newest first, in pages', async () => {
    const at = await addScene(database);
    await patchFace(app, at, { personId: at.bob });
    await patchFace(app, at, { personId: null });
    await patchFace(app, at, { personId: at.ann, box: BOX });
    const all = await listCorrections(app, at.me, at.ann);
    expect(all.items.map((item: { kind: string }) => item.kind)).toEqual([
      'moved-onto',
      'box-moved',
      'moved-onto',
    ]);
    expect(all).toMatchObject({ total: 3, page: 1, size: 25, hasNextPage: false });
    const page = await listCorrections(app, at.me, at.ann, '?size=1&page=2');
    expect(page).toMatchObject({ items: [{ kind: 'box-moved' }], hasNextPage: true });
    expect((await listCorrections(app, at.me, at.bob)).items[0]).toMatchObject({
      kind: 'moved-off',
      personId: null,
      previousPersonId: at.bob,
    });
  });

  test('VS-004: omits records about Locked, trashed or hidden photos', async () => {
    const at = await addScene(database);
    await patchFace(app, at, { personId: at.bob });
    const total = async () => (await listCorrections(app, at.me, at.bob)).total;
    expect(await total()).toBe(1);
    for (const state of [
      'locked_at = now()',
      'trashed_at = now(), locked_at = null',
      "visibility = 'hidden', trashed_at = null",
    ]) {
      await database.sql.unsafe(`update asset set ${state} where id = $1`, [at.assetId]);
      expect([state, await total()]).toEqual([state, 0]);
    }
    await database.sql`
      update asset set visibility = 'timeline', locked_at = now() where id = ${at.assetId}`;
    const [record] = await database.sql`
      select id from face_correction where face_id = ${at.faceId}`;
    expect((await undoCorrection(app, at.me, record!['id'] as string)).status).toBe(404);
    await unlock(database, at.me);
    const reply = await call(app, `POST /people/corrections/${record!['id']}/undo`, {
      session: at.me,
    });
    expect(reply.status).toBe(200);
  });

  test('LM-013, LM-014: sizes and pages at and beyond their limits', async () => {
    const at = await addScene(database);
    const ask = (query: string) =>
      call(app, `GET /people/${at.ann}/corrections?${query}`, { as: at.me });
    for (const query of ['page=1', 'size=1', 'size=100']) {
      expect((await ask(query)).status).toBe(200);
    }
    for (const query of ['page=0', 'size=0', 'size=101']) {
      const reply = await ask(query);
      expect(reply.status).toBe(400);
      expect(reply.body.errors[0].path).toEqual([query.split('=')[0]]);
    }
  });
});

test('moves faces given by photo and person to the person in the path', async () => {
  const at = await addScene(database);
  const put = (as: TestUser, data: object[]) =>
    call(app, `PUT /people/${at.bob}/reassign`, { as, body: { data } });
  const item = { assetId: at.assetId, personId: at.ann };
  const stranger = await user();
  expect((await put(stranger, [item])).status).toBe(400);
  const foreign = await addPerson(database, { ownerId: stranger.id }, [faceVector(0)]);
  const theirs = { assetId: foreign.faces[0]!.assetId, personId: foreign.id };
  expect((await put(at.me, [item, theirs])).status).toBe(400);
  expect((await getFace(app, at)).person.id).toBe(at.ann);
  const reply = await put(at.me, [item, { ...item, assetId: theirs.assetId }]);
  expect(reply.body.map((person: { id: string }) => person.id)).toEqual([at.bob, at.ann]);
  expect((await getFace(app, at)).person.id).toBe(at.bob);
  expect((await listCorrections(app, at.me, at.ann)).items).toMatchObject([{ kind: 'moved-onto' }]);
  await addFace(database, { ownerId: at.me.id });
});
