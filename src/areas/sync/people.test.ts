import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { deleteForGood } from '../../../test/support/deletion.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';
import { saveRecognizedText } from '../../../test/support/recognized-text.ts';
import { type Copy, emptyCopy, syncAll, syncOnce } from '../../../test/sync/client.ts';
import { connect, waitForWatermark, syncCast } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const { database, app } = await useApp();

const sync = (user: TestUser, copy: Copy) => syncCast(database, app, user, copy);

/** An account with Ann on two photos, and a copy of it. */
async function annsAccount() {
  const me = await seed(database).user();
  const ann = await addPerson(database, { ownerId: me.id, name: 'Ann' });
  const shown = { ownerId: me.id, personId: ann.id };
  const faces = [await addFace(database, shown), await addFace(database, shown)] as const;
  const copy = emptyCopy();
  await waitForWatermark(database);
  await syncAll(connect(app, me), copy);
  return { me, ann: ann.id, faces, copy };
}

describe('without the PIN no line is sent', () => {
  const lockedAccount = async () => {
    const account = await annsAccount();
    const { me, copy, ann } = account;
    await database.sql`update asset set locked_at = now() where owner_id = ${me.id}`;
    expect(await sync(me, copy)).toEqual({ PersonDeleteV1: 1 });
    expect(copy.faces.size).toBe(0);
    return { ...account, ann };
  };

  test('when a person on Locked photos is named, recognised again, merged or removed', async () => {
    const { me, ann, faces, copy } = await lockedAccount();
    const { sql } = database;
    await sql`update person set name = 'Bea' where id = ${ann}`;
    const shown = { ownerId: me.id, assetId: faces[0].assetId };
    await addFace(database, { ...shown, personId: ann });
    const { id: other } = await addFace(database, shown);
    expect(await sync(me, copy)).toEqual({});
    const found = await sql.begin(async (tx) => {
      const [row] = await tx`insert into person (owner_id) values (${me.id}) returning id`;
      await tx`update face set person_id = ${row!['id']} where id = ${other}`;
      return row!['id'] as string;
    });
    expect(await sync(me, copy)).toEqual({});
    await unlock(database, me);
    const reply = await call(app, 'POST /people/merge', {
      session: me,
      body: { ids: [found, ann] },
    });
    expect(reply.status).toBe(200);
    await database.sql`update session set elevated_until = null where user_id = ${me.id}`;
    expect(await sync(me, copy)).toEqual({});
    await deleteForGood(database, [faces[1].assetId]);
    expect(await sync(me, copy)).toEqual({});
    await unlock(database, me);
    expect((await call(app, `DELETE /people/${found}`, { session: me })).status).toBe(204);
    await sql`update session set elevated_until = null where user_id = ${me.id}`;
    expect(await sync(me, copy)).toEqual({});
  });

  test('until the photos are unlocked', async () => {
    const { me, copy } = await lockedAccount();
    await database.sql`update asset set locked_at = null where owner_id = ${me.id}`;
    expect(await sync(me, copy)).toEqual({ PersonV1: 1, AssetFaceV2: 2 });
    await expectCopy(database, copy, { id: me.id });
  });
});

test('a merged person is removed, and sent again under the same id when restored', async () => {
  const { me, ann, faces, copy } = await annsAccount();
  const other = await addPerson(database, { ownerId: me.id, name: 'Anne' });
  await addFace(database, { ownerId: me.id, personId: other.id });
  await sync(me, copy);
  const body = { ids: [other.id, ann] };
  expect((await call(app, 'POST /people/merge', { as: me, body })).status).toBe(200);
  expect(await sync(me, copy)).toEqual({ PersonDeleteV1: 1, PersonV1: 1, AssetFaceV2: 2 });
  expect([...copy.persons.keys()]).toEqual([other.id]);
  expect(copy.faces.get(faces[0].id)!['personId']).toBe(other.id);

  const { body: list } = await call(app, `GET /people/${other.id}/corrections`, { as: me });
  const undo = `POST /people/corrections/${list.items[0].id}/undo` as const;
  expect((await call(app, undo, { as: me })).status).toBeLessThan(300);
  expect(await sync(me, copy)).toEqual({ PersonV1: 2, AssetFaceV2: 2 });
  expect(copy.faces.get(faces[0].id)!['personId']).toBe(ann);
  await expectCopy(database, copy, { id: me.id });
});

test('a face is updated when moved, redrawn, hidden and removed', async () => {
  const { me, ann, faces, copy } = await annsAccount();
  const [{ id, assetId }] = faces;
  const patch = async (body: object) => {
    const [row] = await database.sql`select revision, source_revision from face where id = ${id}`;
    const expected = {
      expectedRevision: row!['revision'],
      expectedSourceRevision: row!['source_revision'],
    };
    const reply = await call(app, `PATCH /faces/${id}`, { as: me, body: { ...expected, ...body } });
    expect(reply.status).toBe(200);
  };
  const box = { x: 10, y: 20, width: 30, height: 40, imageWidth: 1000, imageHeight: 800 };
  await patch({ box });
  expect(await sync(me, copy)).toEqual({ AssetFaceV2: 1 });
  expect(copy.faces.get(id)).toEqual({
    id,
    assetId,
    personId: ann,
    imageWidth: 1000,
    imageHeight: 800,
    boundingBoxX1: 10,
    boundingBoxY1: 20,
    boundingBoxX2: 40,
    boundingBoxY2: 60,
    sourceType: 'machine-learning',
    isVisible: true,
    deletedAt: null,
  });
  await patch({ personId: null });
  expect(await sync(me, copy)).toEqual({ PersonV1: 1, AssetFaceV2: 1 });
  expect(copy.faces.get(id)!['personId']).toBeNull();
  const hidden = await call(app, `DELETE /faces/${id}`, { as: me, body: { force: false } });
  expect(hidden.status).toBe(204);
  expect(await sync(me, copy)).toEqual({ AssetFaceV2: 1 });
  expect(copy.faces.get(id)!['isVisible']).toBe(false);
  const gone = await call(app, `DELETE /faces/${id}`, { as: me, body: { force: true } });
  expect(gone.status).toBe(204);
  expect(await sync(me, copy)).toEqual({ AssetFaceDeleteV1: 1 });
  await expectCopy(database, copy, { id: me.id });
});

test('faces that are recognised again without a change are not sent', async () => {
  const { me, copy } = await annsAccount();
  await database.sql`update face set clustered_at = now(), score = 0.5, model_id = 'new'`;
  expect(await sync(me, copy)).toEqual({});
});

test('a person is updated when hidden, given a face and deleted', async () => {
  const { me, ann, faces, copy } = await annsAccount();
  await call(app, `PUT /people/${ann}`, {
    as: me,
    body: { isHidden: true, birthDate: '1990-05-17', featureFaceAssetId: faces[1].assetId },
  });
  expect(await sync(me, copy)).toEqual({ PersonV1: 1 });
  expect(copy.persons.get(ann)).toMatchObject({
    name: 'Ann',
    isHidden: true,
    birthDate: '1990-05-17T00:00:00.000Z',
    faceAssetId: faces[1].id,
  });
  await database.sql`update asset set locked_at = now() where id = ${faces[1].assetId}`;
  expect(await sync(me, copy)).toEqual({ PersonV1: 1 });
  expect(copy.persons.get(ann)!['faceAssetId']).toBeNull();
  expect((await call(app, `DELETE /people/${ann}`, { as: me })).status).toBe(204);
  expect(await sync(me, copy)).toEqual({ PersonDeleteV1: 1, AssetFaceV2: 1 });
  await expectCopy(database, copy, { id: me.id });
});

test('faces are removed with their photo', async () => {
  const { me, ann, faces, copy } = await annsAccount();
  await deleteForGood(database, [faces[0].assetId]);
  expect(await sync(me, copy)).toEqual({ PersonV1: 1 });
  expect([...copy.faces.keys()]).toEqual([faces[1].id]);
  expect([...copy.persons.keys()]).toEqual([ann]);
  await expectCopy(database, copy, { id: me.id });
});

test('text is sent as corrected, and removed line by line', async () => {
  const me = await seed(database).user();
  const assetId = await seed(database).asset({ ownerId: me.id });
  const words = ['Fahrrad Schmidt', 'Reparatur Bremse', 'Summe 45,00 EUR', 'Vielen Dank'];
  const read = (lines: readonly string[]) =>
    saveRecognizedText(database, { assetId, ownerId: me.id }, lines, 'm');
  const copy = emptyCopy();
  await read(words);
  await sync(me, copy);
  const texts = () =>
    [...copy.ocr.values()]
      .flatMap((line) => (line['isVisible'] ? [String(line['text'])] : []))
      .toSorted();
  expect(texts()).toEqual(words.toSorted());
  await call(app, `PUT /documents/${assetId}/lines`, {
    as: me,
    body: { line: 0, action: 'correct', text: 'Fahrrad Schmitt' },
  });
  await call(app, `PUT /documents/${assetId}/lines`, {
    as: me,
    body: { line: 3, action: 'dismiss' },
  });
  expect(await sync(me, copy)).toEqual({ AssetOcrV1: 4 });
  expect(texts()).toEqual(['Fahrrad Schmitt', 'Reparatur Bremse', 'Summe 45,00 EUR']);
  await read(words.slice(0, 2));
  expect(await sync(me, copy)).toEqual({ AssetOcrDeleteV1: 2, AssetOcrV1: 2 });
  expect(texts()).toEqual(['Fahrrad Schmitt', 'Reparatur Bremse']);
  await expectCopy(database, copy, { id: me.id });
});

test('a copy older than a month is reset, people included', async () => {
  const { me, ann, copy } = await annsAccount();
  const then = new Date(NOW.getTime() - 31 * 86_400_000).toISOString();
  await database.sql`update sync_checkpoint set updated_at = ${then}`;
  expect((await syncOnce(connect(app, me), copy)).end).toBe('reset');
  expect(copy.persons.size + copy.faces.size).toBe(0);
  await syncAll(connect(app, me), copy);
  expect([...copy.persons.keys()]).toEqual([ann]);
  expect(copy.faces.size).toBe(2);
});
