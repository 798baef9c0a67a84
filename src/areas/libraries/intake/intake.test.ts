import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../../app.ts';
import { makeClip } from '../../../../test/fixtures/clips.ts';
import { quarters } from '../../../../test/fixtures/index.ts';
import {
  call,
  seed,
  send,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { addLibrary, makeFolder, scan, writeFiles } from '../../../../test/support/libraries.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import type { Effect } from '../../../jobs/define.ts';
import { handleReadMetadata } from '../../assets/exif/exif.handlers.ts';
import {
  handleRenderImage,
  handleRenderVideo,
} from '../../assets/processing/thumbnails.handlers.ts';
import { readOverview } from '../../studio/sources/files.ts';
import { handleMakeOverview } from '../../studio/sources/overview.handlers.ts';

let database: TestDatabase;
let app: App;
let admin: TestUser;
let me: TestUser;
let folder: string;
let id: string;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
});
afterAll(async () => {
  await database.close();
});
beforeEach(async () => {
  me = await seed(database).user();
  folder = await makeFolder();
  id = await addLibrary(app, admin, me.id, [folder]);
});

const jpeg = (width: number, height: number): Promise<Buffer> =>
  quarters(width, height).jpeg().toBuffer();
const findItem = async (fileName: string): Promise<string> =>
  (
    await database.sql`
    select id from asset where library_id = ${id} and file_name = ${fileName}`
  )[0]!['id'];
const run = async (work: Promise<Effect | void>): Promise<void> => {
  const effect = await work;
  if (effect) await database.db.transaction(async (tx) => void (await effect(tx)));
};
const readOriginal = async (assetId: string, as = me) =>
  send(app, `GET /assets/${assetId}/original`, { as });

describe('an item of a library', () => {
  test('gets its metadata and pictures from the file where it is', async () => {
    await writeFile(join(folder, 'a photo.jpg'), await jpeg(640, 480));
    await scan(database, app, admin, id);
    const assetId = await findItem('a photo.jpg');
    await run(handleReadMetadata(jobCtx(database), { assetId }));
    await run(handleRenderImage(jobCtx(database), { assetId }));
    const { body } = await call(app, `GET /assets/${assetId}`, { as: me });
    expect(body).toMatchObject({ width: 640, height: 480, thumbhash: expect.any(String) });
    const thumbnail = await send(app, `GET /assets/${assetId}/thumbnail`, { as: me });
    expect(thumbnail.status).toBe(200);
    const original = await readOriginal(assetId);
    expect(await original.bytes()).toEqual(await Bun.file(join(folder, 'a photo.jpg')).bytes());
    expect((await readOriginal(assetId, admin)).status).toBe(400);
  });

  test('is a video that is shown, played without metadata and cut where it is', async () => {
    const sound = ['-f', 'lavfi', '-i', 'sine=duration=1'];
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=64x48:duration=1'];
    makeClip(join(folder, 'clip.mp4'), [...picture, ...sound, '-pix_fmt', 'yuv420p']);
    await scan(database, app, admin, id);
    const assetId = await findItem('clip.mp4');
    await run(handleReadMetadata(jobCtx(database), { assetId }));
    await run(handleRenderVideo(jobCtx(database), { assetId }));
    const { body } = await call(app, `GET /assets/${assetId}`, { as: me });
    expect(body).toMatchObject({ width: 64, height: 48, thumbhash: expect.any(String) });
    const link = { type: 'INDIVIDUAL', assetIds: [assetId], showMetadata: false };
    const { body: shared } = await call(app, 'POST /shared-links', { as: me, body: link });
    const played = await send(app, `GET /assets/${assetId}/video/playback?key=${shared.key}`);
    expect([played.status, (await played.bytes()).length > 1000]).toEqual([200, true]);
    const [{ sha256 }] = await database.sql<[{ sha256: string }]>`
      select encode(sha256, 'hex') as sha256 from asset where id = ${assetId}`;
    await run(handleMakeOverview(jobCtx(database), { sha256 }));
    expect(await readOverview(database.deps.paths, sha256)).toMatchObject({
      strip: expect.any(Object),
      waveform: expect.any(Object),
    });
  });

  test('gets what sidecars and exports tell about it', async () => {
    await writeFile(join(folder, 'a.jpg'), await jpeg(64, 48));
    await writeFile(join(folder, 'b.jpg'), await jpeg(48, 64));
    await writeFile(join(folder, 'c.jpg'), await jpeg(40, 60));
    await writeFile(
      join(folder, 'a.jpg.xmp'),
      `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
        xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
        xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description><rdf:Alt>
        <rdf:li xml:lang="x-default">From the sidecar</rdf:li></rdf:Alt></dc:description>
        </rdf:Description></rdf:RDF></x:xmpmeta>`,
    );
    const taken = { photoTakenTime: { timestamp: '1500000000' } };
    const json = { ...taken, description: 'From Takeout', favorited: true };
    await writeFile(join(folder, 'b.jpg.json'), JSON.stringify(json));
    await writeFile(join(folder, 'c.jpg.json'), JSON.stringify({ ...taken, trashed: true }));
    await scan(database, app, admin, id);
    const [a, b] = [await findItem('a.jpg'), await findItem('b.jpg')];
    for (const assetId of [a, b]) await run(handleReadMetadata(jobCtx(database), { assetId }));
    const read = async (one: string) => (await call(app, `GET /assets/${one}`, { as: me })).body;
    expect((await read(a)).exifInfo.description).toBe('From the sidecar');
    expect(await read(b)).toMatchObject({
      isFavorite: true,
      fileCreatedAt: '2017-07-14T02:40:00.000Z',
      exifInfo: { description: 'From Takeout' },
    });
    const state = await call(app, `GET /libraries/${id}/state`, { as: admin });
    expect(state.body.refusedFiles).toBe(1);
  });

  test('has no sidecar that is a link to another file', async () => {
    await writeFile(join(folder, 'a.jpg'), await jpeg(64, 48));
    await symlink('/etc/hostname', join(folder, 'a.jpg.xmp'));
    await scan(database, app, admin, id);
    const sidecars = await database.sql`
      select from asset_file where asset_id = ${await findItem('a.jpg')} and kind = 'sidecar'`;
    expect(sidecars).toHaveLength(0);
  });

  test('is read from no other file when a link takes its place, or that of its folder', async () => {
    const other = await makeFolder();
    await writeFiles(other, { 'secret.txt': 'secret', 'a.jpg': 'theirs' });
    await writeFiles(folder, { 'a.jpg': 'mine', 'trip/a.jpg': 'travel' });
    await scan(database, app, admin, id);
    const ids = (
      await database.sql`
      select id from asset where library_id = ${id} order by folder`
    ).map((row) => row['id']);
    await rm(join(folder, 'a.jpg'));
    await symlink(join(other, 'secret.txt'), join(folder, 'a.jpg'));
    await rename(join(folder, 'trip'), join(other, 'trip'));
    await symlink(other, join(folder, 'trip'));
    for (const one of ids) {
      // The listener, which reads the file, answers 404.
      await expect(readOriginal(one).then((answer) => answer.bytes())).rejects.toMatchObject({
        code: 'ELOOP',
      });
      await expect(handleReadMetadata(jobCtx(database), { assetId: one })).rejects.toThrow(
        'is not on the disk',
      );
    }
    const archive = await send(app, 'POST /download/archive', { as: me, body: { assetIds: ids } });
    const text = Buffer.from(await archive.bytes()).toString('latin1');
    expect(text).not.toContain('secret');
    expect(text).not.toContain('theirs');
  });

  test('that is uploaded, too, is kept by our store when the folder loses it', async () => {
    const bytes = await jpeg(64, 48);
    await writeFile(join(folder, 'a.jpg'), bytes);
    await scan(database, app, admin, id);
    const form = new FormData();
    form.set('assetData', new File([new Uint8Array(bytes)], 'up.jpg'));
    form.set('fileCreatedAt', '2024-01-01T00:00:00Z');
    form.set('fileModifiedAt', '2024-01-01T00:00:00Z');
    const uploaded = await send(app, 'POST /assets', { as: me, body: form });
    expect(uploaded.status).toBe(201);
    await rm(join(folder, 'a.jpg'));
    expect((await readOriginal(await findItem('a.jpg'))).status).toBe(200);
  });
});
