import { describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import {
  addScene,
  BOX,
  getFace,
  listCorrections,
  patchFace,
  type Scene,
  undoCorrection,
} from '../../../../test/support/corrections.ts';
import { call, seed } from '../../../../test/support/harness.ts';
import { addPerson, faceVector } from '../../../../test/support/people.ts';

const { database, app } = await useApp();

const user = () => seed(database).user();

/** Refused for this reason, and told before; nothing changes. */
async function refused(at: Scene, recordId: string, reason: string): Promise<void> {
  const before = await getFace(app, at);
  const reply = await undoCorrection(app, at.me, recordId);
  expect(reply).toMatchObject({ status: 409, body: { code: 'not_undoable', reason } });
  expect(await getFace(app, at)).toEqual(before);
}

describe('undo', () => {
  test('ST-065: returns a reassigned face to its person', async () => {
    const at = await addScene(database);
    expect((await patchFace(app, at, { personId: at.bob })).body.person.id).toBe(at.bob);
    const [record] = (await listCorrections(app, at.me, at.ann)).items;
    expect(record).toMatchObject({
      kind: 'moved-onto',
      personId: at.bob,
      previousPersonId: at.ann,
      faceId: at.faceId,
      assetId: at.assetId,
      mergedPersonIds: [],
      affectedFaceCount: 1,
      previousBox: null,
      box: { x: 100, y: 80, width: 200, height: 240, imageWidth: 1000, imageHeight: 800 },
      canUndo: true,
      undoBlockedReason: null,
      undoneAt: null,
    });
    expect((await listCorrections(app, at.me, at.bob)).items).toEqual([record]);
    const reply = await undoCorrection(app, at.me, record.id);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      id: record.id,
      undoneAt: expect.any(String),
      canUndo: false,
      undoBlockedReason: 'already-undone',
    });
    expect((await getFace(app, at)).person.id).toBe(at.ann);
  });

  test('ST-066: restores a face marked as not a face, with its person', async () => {
    const at = await addScene(database);
    const body = { force: false };
    expect((await call(app, `DELETE /faces/${at.faceId}`, { as: at.me, body })).status).toBe(204);
    expect(await getFace(app, at)).toMatchObject({ isHidden: true, person: null });
    const [record] = (await listCorrections(app, at.me, at.ann)).items;
    expect(record).toMatchObject({ kind: 'not-a-face', personId: null, previousPersonId: at.ann });
    expect((await undoCorrection(app, at.me, record.id)).status).toBe(200);
    expect(await getFace(app, at)).toMatchObject({ isHidden: false, person: { id: at.ann } });
  });

  test('ST-067: restores the place of a moved box', async () => {
    const at = await addScene(database);
    const before = await getFace(app, at);
    expect((await patchFace(app, at, { box: BOX })).body).toMatchObject({
      boundingBoxX1: 10,
      boundingBoxY1: 20,
      boundingBoxX2: 110,
      boundingBoxY2: 220,
    });
    const [record] = (await listCorrections(app, at.me, at.ann)).items;
    expect(record).toMatchObject({ kind: 'box-moved', box: BOX, previousBox: { x: 100, y: 80 } });
    // Done: its vector is now of the place where it was moved to.
    await database.sql`delete from job where name = 'faces.embed'`;
    const boxBy = async () =>
      (await database.sql`select box_by from face where id = ${at.faceId}`)[0]!['box_by'];
    expect(await boxBy()).toBe('owner');
    expect((await undoCorrection(app, at.me, record.id)).status).toBe(200);
    expect(await boxBy()).toBe('machine');
    expect(await getFace(app, at)).toEqual({ ...before, revision: 3 });
    const jobs = await database.sql`select payload from job where name = 'faces.embed'`;
    expect([...jobs]).toEqual([{ payload: { faceId: at.faceId } }]);
  });

  test('a box moved twice and undone once stays where the owner put it first', async () => {
    const at = await addScene(database);
    await patchFace(app, at, { box: BOX });
    await patchFace(app, at, { box: { ...BOX, x: 30 } });
    const boxBy = async () =>
      (await database.sql`select box_by from face where id = ${at.faceId}`)[0]!['box_by'];
    const [second, first] = (await listCorrections(app, at.me, at.ann)).items;
    expect((await undoCorrection(app, at.me, second.id)).status).toBe(200);
    expect(await boxBy()).toBe('owner');
    expect((await undoCorrection(app, at.me, first.id)).status).toBe(200);
    expect(await boxBy()).toBe('machine');
  });

  test('ST-068: restores merged people under their old ids, with faces and name', async () => {
    const at = await addScene(database);
    await call(app, 'POST /people/merge', { as: at.me, body: { ids: [at.ann, at.bob] } });
    expect((await call(app, `GET /people/${at.bob}`, { as: at.me })).status).toBe(400);
    const [record] = (await listCorrections(app, at.me, at.ann)).items;
    expect(record).toMatchObject({
      kind: 'merge',
      personId: at.ann,
      faceId: null,
      mergedPersonIds: [at.bob],
      affectedFaceCount: 1,
      canUndo: true,
    });
    expect((await undoCorrection(app, at.me, record.id)).status).toBe(200);
    expect((await call(app, `GET /people/${at.bob}`, { as: at.me })).body.name).toBe('Bob');
    expect((await call(app, `GET /people/${at.ann}`, { as: at.me })).body.name).toBe('Ann');
    expect(
      await getFace(app, { me: at.me, faceId: at.bobs.id, assetId: at.bobs.assetId }),
    ).toMatchObject({ person: { id: at.bob } });
    expect((await listCorrections(app, at.me, at.bob)).items[0]).toMatchObject({ id: record.id });
  });

  test('ST-068: the survivor loses the name that came with the merge, not a later one', async () => {
    for (const rename of [false, true]) {
      const me = await user();
      const a = await addPerson(database, { ownerId: me.id }, [faceVector(0)]);
      const b = await addPerson(database, { ownerId: me.id, name: 'Bob' }, [faceVector(1)]);
      await call(app, 'POST /people/merge', { as: me, body: { ids: [a.id, b.id] } });
      if (rename) await call(app, `PUT /people/${a.id}`, { as: me, body: { name: 'Zoe' } });
      const [record] = (await listCorrections(app, me, a.id)).items;
      expect((await undoCorrection(app, me, record.id)).status).toBe(200);
      const { body } = await call(app, `GET /people/${a.id}`, { as: me });
      expect(body.name).toBe(rename ? 'Zoe' : '');
    }
  });

  test('ST-069, ER-004: not after the face went to somebody else', async () => {
    const at = await addScene(database);
    await patchFace(app, at, { personId: at.bob });
    const [record] = (await listCorrections(app, at.me, at.ann)).items;
    const cat = await addPerson(database, { ownerId: at.me.id, name: 'Cat' });
    await patchFace(app, at, { personId: cat.id });
    await refused(at, record.id, 'person-changed');
    const told = (await listCorrections(app, at.me, at.ann)).items[0];
    expect(told).toMatchObject({ canUndo: false, undoBlockedReason: 'person-changed' });
  });

  test('ST-070, ER-004: not after the box was moved', async () => {
    const at = await addScene(database);
    await patchFace(app, at, { personId: at.bob });
    const [record] = (await listCorrections(app, at.me, at.ann)).items;
    await patchFace(app, at, { box: BOX });
    await refused(at, record.id, 'box-changed');
  });

  test('ST-071, ER-004: not after the photo was edited', async () => {
    const at = await addScene(database);
    await patchFace(app, at, { personId: at.bob });
    const [record] = (await listCorrections(app, at.me, at.ann)).items;
    await database.sql`
      insert into asset_edit values (${at.assetId}, 0, 'rotate', '{"angle": 90}')`;
    await refused(at, record.id, 'original-changed');
    await database.sql`delete from asset_edit where asset_id = ${at.assetId}`;
    expect((await undoCorrection(app, at.me, record.id)).status).toBe(200);
  });

  test('ST-072, ER-004: not after the face was deleted for good', async () => {
    const at = await addScene(database);
    await patchFace(app, at, { personId: at.bob });
    const [record] = (await listCorrections(app, at.me, at.ann)).items;
    const body = { force: true };
    expect((await call(app, `DELETE /faces/${at.faceId}`, { as: at.me, body })).status).toBe(204);
    await refused(at, record.id, 'face-gone');
  });

  test('ST-073, ER-004: not twice', async () => {
    const at = await addScene(database);
    await patchFace(app, at, { personId: at.bob });
    const [record] = (await listCorrections(app, at.me, at.ann)).items;
    expect((await undoCorrection(app, at.me, record.id)).status).toBe(200);
    await refused(at, record.id, 'already-undone');
  });

  test('ER-004: not after the person it was taken from is gone', async () => {
    const at = await addScene(database);
    await patchFace(app, at, { personId: at.bob });
    const [record] = (await listCorrections(app, at.me, at.bob)).items;
    await call(app, `DELETE /people/${at.ann}`, { as: at.me });
    await refused(at, record.id, 'person-gone');
  });

  test('ER-004: not of a merge when one of its faces has moved on', async () => {
    const at = await addScene(database);
    await call(app, 'POST /people/merge', { as: at.me, body: { ids: [at.bob, at.ann] } });
    const [record] = (await listCorrections(app, at.me, at.bob)).items;
    const cat = await addPerson(database, { ownerId: at.me.id, name: 'Cat' });
    await patchFace(app, at, { personId: cat.id });
    await refused(at, record.id, 'person-changed');
    await patchFace(app, at, { personId: at.bob });
    await refused(at, record.id, 'box-changed');
    expect((await call(app, `GET /people/${at.ann}`, { as: at.me })).status).toBe(400);
  });

  test('of two concurrent undos one succeeds', async () => {
    const at = await addScene(database);
    await patchFace(app, at, { personId: at.bob });
    const [record] = (await listCorrections(app, at.me, at.ann)).items;
    const replies = await Promise.all([
      undoCorrection(app, at.me, record.id),
      undoCorrection(app, at.me, record.id),
    ]);
    expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    expect((await getFace(app, at)).person.id).toBe(at.ann);
  });

  test('returns 404 to a stranger', async () => {
    const at = await addScene(database);
    await patchFace(app, at, { personId: at.bob });
    const [record] = (await listCorrections(app, at.me, at.ann)).items;
    const stranger = await user();
    const foreign = await undoCorrection(app, stranger, record.id);
    expect(foreign.status).toBe(404);
    expect((await undoCorrection(app, stranger, crypto.randomUUID())).body).toEqual(foreign.body);
    expect((await getFace(app, at)).person.id).toBe(at.bob);
  });
});
