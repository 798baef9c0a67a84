import { expect, test } from 'bun:test';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import sharp from 'sharp';
import { waitUntilBlocked } from '../../../../test/support/blocked-statements.ts';
import { useApp } from '../../../../test/support/database.ts';
import { call, seed, send, type TestUser } from '../../../../test/support/harness.ts';
import { derivedPath, jobCtx } from '../../../../test/support/processing.ts';
import { addFace, addPerson } from '../../../../test/support/people.ts';
import { derivedName } from '../../../core/paths.ts';
import { cropFace } from '../../../media/face-crop.ts';
import { getThumbnailName } from './thumbnail.domain.ts';
import { handleRenderPerson } from './thumbnail.handlers.ts';

const { database, app } = await useApp();

/** Grey, with a face-sized square of one colour where the face is. */
async function photoWith(ownerId: string, colour: string): Promise<string> {
  const assetId = await seed(database).asset({ ownerId, width: 1000, height: 800 });
  const name = derivedName(assetId, 'preview', 'jpg');
  const square = await sharp({
    create: { width: 240, height: 240, channels: 3, background: colour },
  })
    .png()
    .toBuffer();
  const bytes = await sharp({
    create: { width: 1000, height: 800, channels: 3, background: '#888888' },
  })
    .composite([{ input: square, left: 80, top: 80 }])
    .jpeg()
    .toBuffer();
  await mkdir(dirname(derivedPath(database, name)), { recursive: true });
  await Bun.write(derivedPath(database, name), bytes);
  await database.sql`
    insert into asset_file (asset_id, kind, name, mime_type, size, tag)
    values (${assetId}, 'preview', ${name}, 'image/jpeg', ${bytes.length}, 'x')`;
  return assetId;
}
const BOX = { x1: 0.08, y1: 0.1, x2: 0.32, y2: 0.4 };
const render = async (personId: string) => {
  const effect = await handleRenderPerson(jobCtx(database), { personId });
  const tidy = await database.db.transaction((tx) => effect!(tx));
  await tidy?.();
};
const thumbnail = (as: TestUser, id: string) => send(app, `GET /people/${id}/thumbnail`, { as });
async function getColour(response: Response): Promise<number[]> {
  const image = sharp(await response.bytes());
  expect(await image.metadata()).toMatchObject({ width: 250, height: 250, format: 'webp' });
  const { data } = await image.raw().toBuffer({ resolveWithObject: true });
  const middle = (125 * 250 + 125) * 3;
  return [...data.subarray(middle, middle + 3)].map((value) => Math.round(value / 255));
}

test("a person's thumbnail is 404 until rendered and shows visible faces only", async () => {
  const me = await seed(database).user();
  const { id } = await addPerson(database, { ownerId: me.id, name: 'Ann' });
  expect((await thumbnail(me, id)).status).toBe(404);
  await render(id);
  expect((await thumbnail(me, id)).status).toBe(404);

  const red = await photoWith(me.id, '#ff0000');
  await addFace(database, { ownerId: me.id, personId: id, assetId: red, ...BOX });
  await render(id);
  const made = await thumbnail(me, id);
  expect(made.status).toBe(200);
  expect(made.headers.get('content-type')).toBe('image/webp');
  expect(await getColour(made)).toEqual([1, 0, 0]);
  const { body } = await call(app, `GET /people/${id}`, { as: me });
  expect(body.thumbnailPath).not.toBe('');

  // The owner's choice goes before the machine's.
  const blue = await photoWith(me.id, '#0000ff');
  await addFace(database, { ownerId: me.id, personId: id, assetId: blue, ...BOX, score: 0.7 });
  await render(id);
  expect(await getColour(await thumbnail(me, id))).toEqual([1, 0, 0]);
  await call(app, `PUT /people/${id}`, { as: me, body: { featureFaceAssetId: blue } });
  await render(id);
  expect(await getColour(await thumbnail(me, id))).toEqual([0, 0, 1]);

  // A photo that is locked is shown nowhere, not even as a face.
  await database.sql`update asset set locked_at = now() where id = ${blue}`;
  expect((await thumbnail(me, id)).status).toBe(404);
  await render(id);
  expect(await getColour(await thumbnail(me, id))).toEqual([1, 0, 0]);
  await database.sql`update asset set trashed_at = now() where id = ${red}`;
  await render(id);
  expect((await thumbnail(me, id)).status).toBe(404);
  expect(await Bun.file(derivedPath(database, getThumbnailName(id))).exists()).toBe(false);
});

test('a thumbnail that is asked for and not there is rendered, once', async () => {
  const me = await seed(database).user();
  const { id } = await addPerson(database, { ownerId: me.id });
  const stranger = await seed(database).user();
  const countJobs = async () => {
    const rows = await database.sql`
      select 1 from job where name = 'people.render' and payload ->> 'personId' = ${id}`;
    return rows.length;
  };
  expect([(await thumbnail(stranger, id)).status, await countJobs()]).toEqual([400, 0]);
  expect([(await thumbnail(me, id)).status, await countJobs()]).toEqual([404, 1]);
  expect([(await thumbnail(me, id)).status, await countJobs()]).toEqual([404, 1]);
});

test('the thumbnail is deleted with the person', async () => {
  const me = await seed(database).user();
  const { id } = await addPerson(database, { ownerId: me.id });
  const assetId = await photoWith(me.id, '#00ff00');
  await addFace(database, { ownerId: me.id, personId: id, assetId, ...BOX });
  await render(id);
  expect((await call(app, `DELETE /people/${id}`, { as: me })).status).toBe(204);
  const [row] = await database.sql`select names from removed_file where owner_id = ${me.id}`;
  expect(row!['names']).toEqual([getThumbnailName(id)]);
  const jobs = await database.sql`select 1 from job where name = 'trash.removeFiles'`;
  expect(jobs).toHaveLength(1);
  // One that was made while the person went belongs to nobody.
  await handleRenderPerson(jobCtx(database), { personId: id }).then(async (effect) => {
    await (
      await database.db.transaction((tx) => effect!(tx))
    )?.();
  });
  expect((await thumbnail(me, id)).status).toBe(400);
});

test('a face at the edge, and one that is larger than the picture, are cut within it', async () => {
  const me = await seed(database).user();
  const assetId = await photoWith(me.id, '#ff0000');
  const path = derivedPath(database, derivedName(assetId, 'preview', 'jpg'));
  for (const box of [
    { x1: 0, y1: 0, x2: 0.01, y2: 0.01 },
    { x1: 0.9, y1: 0.9, x2: 1, y2: 1 },
    { x1: 0, y1: 0, x2: 1, y2: 1 },
  ]) {
    const { width, height } = await sharp(await cropFace(path, box)).metadata();
    expect([width, height]).toEqual([250, 250]);
  }
});

test('the thumbnail is 404 after its face was reassigned, until another is rendered', async () => {
  const me = await seed(database).user();
  const ann = await addPerson(database, { ownerId: me.id, name: 'Ann' });
  const ben = await addPerson(database, { ownerId: me.id, name: 'Ben' });
  const small = { ...BOX, x2: 0.2, y2: 0.25 };
  const red = await photoWith(me.id, '#ff0000');
  const blue = await photoWith(me.id, '#0000ff');
  await addFace(database, { ownerId: me.id, personId: ann.id, assetId: red, ...small });
  await addFace(database, { ownerId: me.id, personId: ben.id, assetId: blue, ...BOX });
  await call(app, 'POST /people/merge', { as: me, body: { ids: [ann.id, ben.id] } });
  await render(ann.id);
  const getThumbnailPath = async () =>
    (await call(app, `GET /people/${ann.id}`, { as: me })).body.thumbnailPath;
  expect(await getThumbnailPath()).toBe(`/api/people/${ann.id}/thumbnail`);
  expect(await getColour(await thumbnail(me, ann.id))).toEqual([0, 0, 1]);

  const late = await handleRenderPerson(jobCtx(database), { personId: ann.id });
  const { items } = (await call(app, `GET /people/${ann.id}/corrections`, { as: me })).body;
  const undo = `POST /people/corrections/${items[0].id}/undo` as const;
  expect((await call(app, undo, { as: me })).status).toBe(200);
  expect(await getThumbnailPath()).toBe('');
  // One that was cut before is kept afterwards.
  await database.db.transaction((tx) => late!(tx));
  expect(await getThumbnailPath()).toBe('');
  expect((await thumbnail(me, ann.id)).status).toBe(404);
  await render(ann.id);
  expect(await getThumbnailPath()).toBe(`/api/people/${ann.id}/thumbnail`);
  expect(await getColour(await thumbnail(me, ann.id))).toEqual([1, 0, 0]);
});

test('replacing a thumbnail never makes it 404', async () => {
  const me = await seed(database).user();
  const ann = await addPerson(database, { ownerId: me.id });
  const assetId = await photoWith(me.id, '#ff0000');
  await addFace(database, { ownerId: me.id, personId: ann.id, assetId, ...BOX });
  await render(ann.id);
  // As if the one before had been larger.
  await database.sql`update person set thumbnail_size = thumbnail_size + 1 where id = ${ann.id}`;
  const better = { ...BOX, x2: 0.6, y2: 0.8 };
  await addFace(database, { ownerId: me.id, personId: ann.id, assetId, ...better });
  const effect = await handleRenderPerson(jobCtx(database), { personId: ann.id });
  let seen: Promise<Response> | undefined;
  await database.db.transaction(async (tx) => {
    await effect!(tx);
    seen = thumbnail(me, ann.id);
    await waitUntilBlocked(database.sql);
  });
  expect((await seen!).status).toBe(200);
});
