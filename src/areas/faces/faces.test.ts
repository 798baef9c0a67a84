import { describe, expect, test } from 'bun:test';
import { deleteForGood } from '../../../test/support/deletion.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { addFace, addPerson, faceVector } from '../../../test/support/people.ts';

const { database, app } = await useApp();

const user = (permissions?: string[]) => seed(database).user(permissions);
const photo = (ownerId: string, over: object = {}) =>
  seed(database).asset({ ownerId, width: 1000, height: 800, ...over });
const list = async (as: TestUser, assetId: string, query = '') =>
  (await call(app, `GET /faces?id=${assetId}${query}`, { as })).body;
const source = async (as: TestUser, assetId: string) =>
  (await call(app, `GET /faces/source?id=${assetId}`, { as })).body;
const rotate = (assetId: string) => database.sql`
  insert into asset_edit values (${assetId}, 0, 'rotate', '{"angle": 90}')`;

const BOX = { x: 100, y: 80, width: 200, height: 160, imageWidth: 1000, imageHeight: 800 };

async function drawn() {
  const me = await user();
  const assetId = await photo(me.id);
  const ann = await addPerson(database, { ownerId: me.id, name: 'Ann' });
  const { revision } = await source(me, assetId);
  const body = { ...BOX, assetId, personId: ann.id, expectedSourceRevision: revision };
  const created = await call(app, 'POST /faces', { as: me, body });
  expect(created.status).toBe(201);
  return { me, assetId, ann: ann.id, face: created.body, revision: revision as string };
}

test('a drawn face is listed and deleted for good', async () => {
  const { me, assetId, ann, face, revision } = await drawn();
  expect(face).toEqual({
    id: face.id,
    boundingBoxX1: 100,
    boundingBoxY1: 80,
    boundingBoxX2: 300,
    boundingBoxY2: 240,
    imageWidth: 1000,
    imageHeight: 800,
    person: expect.objectContaining({ id: ann, name: 'Ann' }),
    sourceType: 'manual',
    revision: 1,
    sourceRevision: revision,
    isHidden: false,
  });
  expect(await list(me, assetId)).toEqual([face]);
  const jobs = await database.sql`
    select name from job where unique_key in (${face.id}, ${ann}) order by name`;
  expect(jobs.map((job) => job['name'])).toEqual(['faces.embed', 'people.render']);
  const nobody = await call(app, 'POST /faces', { as: me, body: { ...BOX, assetId } });
  expect(nobody.body.person).toBeNull();
  const remove = (id: string) =>
    call(app, `DELETE /faces/${id}`, { as: me, body: { force: true } });
  expect((await remove(face.id)).status).toBe(204);
  expect((await remove(face.id)).status).toBe(400);
  expect(await list(me, assetId, '&withHidden=true')).toEqual([nobody.body]);
});

test('a box lies inside the picture it was drawn on', async () => {
  const me = await user();
  const assetId = await photo(me.id);
  for (const wrong of [
    { x: -1 },
    { width: 0 },
    { x: 900 },
    { y: 700 },
    { imageWidth: 0 },
    { width: 1.5 },
    { height: undefined },
  ]) {
    const body = { ...BOX, assetId, ...wrong };
    expect((await call(app, 'POST /faces', { as: me, body })).status).toBe(400);
  }
  const { revision } = await source(me, assetId);
  const body = { ...BOX, assetId, x: 0, y: 0, width: 1000, height: 800 };
  expect((await call(app, 'POST /faces', { as: me, body })).status).toBe(201);
  const [face] = await list(me, assetId);
  const patched = await call(app, `PATCH /faces/${face.id}`, {
    as: me,
    body: { expectedRevision: 1, expectedSourceRevision: revision, box: { ...BOX, x: 900 } },
  });
  expect(patched.status).toBe(400);
  expect(await list(me, assetId)).toEqual([face]);
});

test('EP-028: the revision of the picture follows its edits, not its description', async () => {
  const me = await user();
  const assetId = await photo(me.id);
  const before = await source(me, assetId);
  expect(before).toEqual({
    assetId,
    revision: expect.any(String),
    imageWidth: 1000,
    imageHeight: 800,
  });
  await call(app, `PUT /assets/${assetId}`, { as: me, body: { description: 'the sea' } });
  expect(await source(me, assetId)).toEqual(before);
  await rotate(assetId);
  const edited = await source(me, assetId);
  expect(edited.revision).not.toBe(before.revision);
  await database.sql`update asset_exif set orientation = '6' where asset_id = ${assetId}`;
  expect((await source(me, assetId)).revision).not.toBe(edited.revision);
});

test('EP-016: assigns a face to the person in the path', async () => {
  const { me, assetId, face } = await drawn();
  const bob = await addPerson(database, { ownerId: me.id, name: 'Bob' });
  const reply = await call(app, `PUT /faces/${bob.id}`, { as: me, body: { id: face.id } });
  expect(reply).toMatchObject({ status: 200, body: { id: bob.id, name: 'Bob' } });
  expect(await list(me, assetId)).toMatchObject([{ id: face.id, person: { id: bob.id } }]);
});

describe('a change of a face', () => {
  test('ER-001: is refused when the face was changed since', async () => {
    const { me, assetId, face } = await drawn();
    const patch = (expectedRevision: number, body: object) =>
      call(app, `PATCH /faces/${face.id}`, { as: me, body: { expectedRevision, ...body } });
    expect((await patch(1, { isHidden: false })).body.revision).toBe(2);
    for (const body of [{ personId: null }, { isHidden: true }]) {
      expect(await patch(1, body)).toMatchObject({
        status: 409,
        body: { code: 'stale_revision', currentRevision: 2 },
      });
    }
    expect(await list(me, assetId)).toEqual([{ ...face, revision: 2 }]);
  });

  test('ER-002: of the box is refused when the photo was turned since', async () => {
    const { me, assetId, face, revision } = await drawn();
    await rotate(assetId);
    const { revision: currentRevision } = await source(me, assetId);
    const body = { expectedRevision: 1, expectedSourceRevision: revision, box: BOX };
    const reply = await call(app, `PATCH /faces/${face.id}`, { as: me, body });
    expect(reply).toMatchObject({
      status: 409,
      body: { code: 'stale_revision', currentRevision },
    });
    const post = { ...BOX, assetId, expectedSourceRevision: revision };
    expect((await call(app, 'POST /faces', { as: me, body: post })).status).toBe(409);
    expect(await list(me, assetId)).toEqual([face]);
    const right = { ...body, expectedSourceRevision: currentRevision, box: { ...BOX, x: 0 } };
    const moved = await call(app, `PATCH /faces/${face.id}`, { as: me, body: right });
    expect(moved.body).toMatchObject({ boundingBoxX1: 0, sourceRevision: currentRevision });
  });

  test('must not be empty, and a box needs the revision of its picture', async () => {
    const { me, assetId, face } = await drawn();
    for (const body of [{}, { box: BOX }, { personId: 'x' }, { isHidden: null }]) {
      const patch = { as: me, body: { expectedRevision: 1, ...body } };
      expect((await call(app, `PATCH /faces/${face.id}`, patch)).status).toBe(400);
    }
    expect(await list(me, assetId)).toEqual([face]);
  });

  test('hides a face and shows it again, with its person', async () => {
    const { me, assetId, ann, face } = await drawn();
    const patch = (expectedRevision: number, isHidden: boolean) =>
      call(app, `PATCH /faces/${face.id}`, { as: me, body: { expectedRevision, isHidden } });
    expect((await patch(1, true)).body).toMatchObject({ isHidden: true, revision: 2 });
    expect(await list(me, assetId)).toEqual([]);
    expect(await list(me, assetId, '&withHidden=true')).toMatchObject([{ isHidden: true }]);
    const records = await call(app, `GET /people/${ann}/corrections`, { as: me });
    expect(records.body.items).toMatchObject([{ kind: 'not-a-face', canUndo: true }]);
    expect((await patch(2, false)).body).toMatchObject({ isHidden: false, person: { id: ann } });
  });

  test('of two concurrent changes of one revision one is refused', async () => {
    const { me, face } = await drawn();
    const patch = (x: number) =>
      call(app, `PATCH /faces/${face.id}`, {
        as: me,
        body: {
          expectedRevision: 1,
          expectedSourceRevision: face.sourceRevision,
          box: { ...BOX, x },
        },
      });
    const replies = await Promise.all([patch(1), patch(2)]);
    expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });
});

describe('who may', () => {
  test('ER-017: strangers get the errors of an unknown face and photo', async () => {
    const { me, assetId, ann, face } = await drawn();
    const stranger = await user();
    const theirs = await addPerson(database, { ownerId: stranger.id });
    const asks = (assetId: string, faceId: string) =>
      [
        [`GET /faces?id=${assetId}`, undefined],
        [`GET /faces/source?id=${assetId}`, undefined],
        ['POST /faces', { ...BOX, assetId }],
        [`PATCH /faces/${faceId}`, { expectedRevision: 1, isHidden: true }],
        [`PUT /faces/${theirs.id}`, { id: faceId }],
        [`DELETE /faces/${faceId}`, { force: true }],
        [`DELETE /faces/${faceId}`, { force: false }],
      ] as const;
    const unknown = asks(crypto.randomUUID(), crypto.randomUUID());
    for (const [index, [route, body]] of asks(assetId, face.id).entries()) {
      const caller = { as: stranger, ...(body && { body }) };
      const foreign = await call(app, route, caller);
      expect([route, foreign.status]).toEqual([route, 400]);
      expect(
        (
          await call(app, unknown[index]![0], {
            ...caller,
            ...(unknown[index]![1] && { body: unknown[index]![1] }),
          })
        ).body,
      ).toEqual(foreign.body);
    }
    // Nor is a person of somebody else put on one's own photo.
    const own = await photo(stranger.id);
    const body = { ...BOX, assetId: own, personId: ann };
    expect((await call(app, 'POST /faces', { as: stranger, body })).status).toBe(400);
    expect(await list(me, assetId)).toEqual([face]);
  });

  test('a partner sees the boxes of faces, without names and hidden faces', async () => {
    const { me, assetId, face } = await drawn();
    const hidden = await addFace(database, { ownerId: me.id, assetId, isHidden: true });
    const partner = await user();
    await database.sql`
      insert into partner (sharer_id, viewer_id, in_timeline) values (${me.id}, ${partner.id}, true)`;
    expect(await list(partner, assetId)).toEqual([{ ...face, person: null }]);
    const reply = await call(app, `GET /faces?id=${assetId}&withHidden=true`, { as: partner });
    expect(reply.status).toBe(400);
    const body = { expectedRevision: 1, isHidden: true };
    expect((await call(app, `PATCH /faces/${face.id}`, { as: partner, body })).status).toBe(400);
    const all = await list(me, assetId, '&withHidden=true');
    expect(new Set(all.map(({ id }: { id: string }) => id))).toEqual(new Set([face.id, hidden.id]));
  });

  test('faces of locked photos are there in an unlocked session only', async () => {
    const { me, assetId, face } = await drawn();
    await database.sql`update asset set locked_at = now() where id = ${assetId}`;
    expect((await call(app, `GET /faces?id=${assetId}`, { as: me })).status).toBe(400);
    const remove = { as: me, body: { force: true } };
    expect((await call(app, `DELETE /faces/${face.id}`, remove)).status).toBe(400);
    await unlock(database, me);
    const { body } = await call(app, `GET /faces?id=${assetId}`, { session: me });
    expect(body).toMatchObject([{ id: face.id }]);
  });

  test('AU-003: a key without the permission gets 403 on every write', async () => {
    const reader = await user(['face.read']);
    const { id, assetId } = await addFace(database, { ownerId: reader.id });
    for (const [route, body, permission] of [
      ['POST /faces', { ...BOX, assetId }, 'face.create'],
      [`PATCH /faces/${id}`, { expectedRevision: 1, isHidden: true }, 'face.update'],
      [`PUT /faces/${crypto.randomUUID()}`, { id }, 'face.update'],
      [`DELETE /faces/${id}`, { force: true }, 'face.delete'],
    ] as const) {
      const reply = await call(app, route, { as: reader, body });
      expect([route, reply.status]).toEqual([route, 403]);
      expect(reply.body.message).toBe(`Missing required permission: ${permission}`);
    }
    expect(await list(reader, assetId)).toMatchObject([{ id, isHidden: false }]);
  });

  test('a shared link gives no access to faces, not even of its own assets', async () => {
    const { me, assetId, face } = await drawn();
    const key = crypto.getRandomValues(new Uint8Array(50));
    const [link] = await database.sql`
      insert into shared_link (owner_id, type, slug, key)
      values (${me.id}, 'INDIVIDUAL', 'f', ${key}) returning id`;
    await database.sql`insert into shared_link_asset values (${link!['id']}, ${assetId})`;
    expect((await call(app, `GET /faces?id=${assetId}&slug=f`)).status).toBe(403);
    const body = { force: true };
    expect((await call(app, `DELETE /faces/${face.id}?slug=f`, { body })).status).toBe(403);
    const { body: shown } = await call(app, `GET /assets/${assetId}?slug=f`);
    expect(shown.people ?? []).toEqual([]);
    expect(await list(me, assetId)).toEqual([face]);
  });
});

test('deleting a photo deletes its faces and their vectors', async () => {
  const me = await user();
  const face = await addFace(database, { ownerId: me.id, vector: faceVector(0) });
  await deleteForGood(database, [face.assetId]);
  const left = await database.sql`
    select id from face where id = ${face.id}
    union all select subject_id from embedding where subject_id = ${face.id}`;
  expect(left).toHaveLength(0);
});
