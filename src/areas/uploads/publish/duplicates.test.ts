import { beforeAll, describe, expect, test } from 'bun:test';
import { chmod, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { useApp } from '../../../../test/support/database.ts';
import {
  photoForm,
  toSha1Hex,
  toSha256,
  randomFileBytes,
  upload,
} from '../../../../test/support/forms.ts';
import { call, seed, type TestUser } from '../../../../test/support/harness.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import { until } from '../../../../test/support/until.ts';

const { database, app } = await useApp();
let alice: TestUser;
let bob: TestUser;
beforeAll(async () => {
  alice = await seed(database).user();
  bob = await seed(database).user();
});

const toOriginalPath = (bytes: Uint8Array) => originalPath(database.deps.paths, toSha256(bytes));

describe('an upload of bytes that are already stored', () => {
  test('ER-012: returns the existing asset of the caller', async () => {
    const bytes = randomFileBytes();
    const first = await upload(app, photoForm(bytes), { as: alice });
    expect(await upload(app, photoForm(bytes, [], 'other.png'), { as: alice })).toMatchObject({
      status: 200,
      body: { id: first.body.id, status: 'duplicate' },
    });
  });

  test('restores a trashed asset and its video half to where they were', async () => {
    const [bytes, movie] = [randomFileBytes(), randomFileBytes()];
    const hidden = [{ name: 'visibility', value: 'hidden' }];
    const video = (await upload(app, photoForm(movie, hidden, 'a.mov'), { as: alice })).body.id;
    const fields = [
      { name: 'livePhotoVideoId', value: video as string },
      { name: 'visibility', value: 'archive' },
    ];
    const { id } = (await upload(app, photoForm(bytes, fields), { as: alice })).body;
    const restored = { status: 200, body: { id, status: 'duplicate', isTrashed: true } };
    const trashed = async () =>
      (await database.sql`select 1 from asset where trashed_at is not null`).length;
    for (const headers of [{}, { 'x-immich-checksum': toSha1Hex(bytes) }]) {
      await call(app, 'DELETE /assets', { as: alice, body: { ids: [id] } });
      expect(await trashed()).toBe(2);
      // The stranger and the check change nothing.
      await upload(app, photoForm(bytes), { as: bob });
      const assets = [{ id: 'x', checksum: toSha1Hex(bytes) }];
      expect(
        (await call(app, 'POST /assets/bulk-upload-check', { as: alice, body: { assets } })).body,
      ).toMatchObject({ results: [{ action: 'reject', assetId: id, isTrashed: true }] });
      expect(await trashed()).toBe(2);
      expect(await upload(app, photoForm(bytes), { as: alice, headers })).toMatchObject(restored);
      expect(await trashed()).toBe(0);
    }
    const [row] = await database.sql`select visibility from asset where id = ${id}`;
    expect(row).toEqual({ visibility: 'archive' });
    expect((await upload(app, photoForm(bytes), { as: alice })).body).toEqual({
      id,
      status: 'duplicate',
    });
  });

  test('hides no video behind a photo that is uploaded without it at the same time', async () => {
    for (let round = 0; round < 8; round++) {
      const [bytes, movie] = [randomFileBytes(), randomFileBytes()];
      const video = (await upload(app, photoForm(movie, [], 'a.mov'), { as: alice })).body.id;
      const fields = [{ name: 'livePhotoVideoId', value: video as string }];
      const [plain, live] = await Promise.all([
        upload(app, photoForm(bytes), { as: alice }),
        upload(app, photoForm(bytes, fields), { as: alice }),
      ]);
      expect(live.body.id).toBe(plain.body.id);
      const [row] = await database.sql`
        select still.live_video_id as "liveVideoId", video.visibility from asset still, asset video
        where still.id = ${plain.body.id} and video.id = ${video}`;
      expect([
        { liveVideoId: null, visibility: 'timeline' },
        { liveVideoId: video, visibility: 'hidden' },
      ]).toContainEqual(row as { liveVideoId: string | null; visibility: string });
    }
  });

  test('restores a locked asset from the trash to Locked', async () => {
    const bytes = randomFileBytes();
    const { id } = (await upload(app, photoForm(bytes), { as: alice })).body;
    await database.sql`update asset set locked_at = now(), trashed_at = now() where id = ${id}`;
    expect((await upload(app, photoForm(bytes), { as: alice })).body).toMatchObject({ id });
    const [row] = await database.sql`
      select locked_at is not null as locked, trashed_at from asset where id = ${id}`;
    expect(row).toEqual({ locked: true, trashed_at: null });
  });

  test('leaves an archived asset archived', async () => {
    const bytes = randomFileBytes();
    const archive = [{ name: 'visibility', value: 'archive' }];
    const { id } = (await upload(app, photoForm(bytes, archive), { as: alice })).body;
    const timeline = [{ name: 'visibility', value: 'timeline' }];
    const again = await upload(app, photoForm(bytes, timeline), { as: alice });
    expect(again).toMatchObject({ status: 200, body: { id, status: 'duplicate' } });
    const [row] = await database.sql`select visibility from asset where id = ${id}`;
    expect(row).toEqual({ visibility: 'archive' });
  });

  test('ER-013: returns a duplicate by its checksum header without reading the body', async () => {
    const bytes = randomFileBytes();
    const { body } = await upload(app, photoForm(bytes), { as: alice });
    const hex = toSha1Hex(bytes);
    for (const checksum of [hex, hex.toUpperCase(), Buffer.from(hex, 'hex').toString('base64')]) {
      let pulls = 0;
      const endless = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            pulls += 1;
            controller.enqueue(new Uint8Array(1000));
          },
        },
        { highWaterMark: 0 },
      );
      const reply = await app.handle(
        new Request('http://localhost/api/assets', {
          method: 'POST',
          headers: { 'x-api-key': alice.key, 'x-immich-checksum': checksum },
          body: endless,
        }),
      );
      expect(reply.status).toBe(200);
      expect(await reply.json()).toEqual({ id: body.id, status: 'duplicate' });
      expect(pulls).toBe(0);
    }
  });

  test('by another user creates an asset of that user over the same file', async () => {
    const bytes = randomFileBytes();
    const headers = { 'x-immich-checksum': toSha1Hex(bytes) };
    const hers = await upload(app, photoForm(bytes), { as: alice, headers });
    const his = await upload(app, photoForm(bytes), { as: bob, headers });
    expect([hers.status, his.status]).toEqual([201, 201]);
    expect(his.body.id).not.toBe(hers.body.id);
    const rows = await database.sql`select size from original where sha256 = ${toSha256(bytes)}`;
    expect(rows).toHaveLength(1);
    expect((await stat(toOriginalPath(bytes))).nlink).toBe(1);
  });

  test('twice concurrently creates one asset', async () => {
    for (let round = 0; round < 5; round++) {
      const form = photoForm(randomFileBytes(200_000));
      const replies = await Promise.all([1, 2, 3].map(() => upload(app, form, { as: alice })));
      expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([
        200, 200, 201,
      ]);
      expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(1);
    }
  });

  test('by two users concurrently creates two assets over one file', async () => {
    for (let round = 0; round < 5; round++) {
      const form = photoForm(randomFileBytes(200_000));
      const replies = await Promise.all([alice, bob].map((as) => upload(app, form, { as })));
      expect(replies.map((reply) => reply.status)).toEqual([201, 201]);
    }
  });

  test('reuses a stored file without a row and does not write it again', async () => {
    const bytes = randomFileBytes();
    const { body } = await upload(app, photoForm(bytes), { as: alice });
    await database.sql`delete from asset where id = ${body.id}`;
    await database.sql`delete from original where sha256 = ${toSha256(bytes)}`;
    const before = await stat(toOriginalPath(bytes));
    expect(await upload(app, photoForm(bytes), { as: alice })).toMatchObject({ status: 201 });
    expect((await stat(toOriginalPath(bytes))).ino).toBe(before.ino);
  });
});

describe('a stored original that is damaged', () => {
  const DAMAGES: Record<string, (path: string) => Promise<unknown>> = {
    lost: (path) => rm(path),
    'cut short': async (path) => {
      await chmod(path, 0o644);
      await truncate(path, 500);
    },
    'of other bytes, as a check has found': async (path) => {
      await chmod(path, 0o644);
      await writeFile(path, randomFileBytes());
      const hash = path.split('/').at(-1)!;
      await database.sql`
        update original set missing_at = now() where sha256 = ${Buffer.from(hash, 'hex')}`;
    },
  };
  for (const [name, damage] of Object.entries(DAMAGES)) {
    async function damaged() {
      const bytes = randomFileBytes();
      const { body } = await upload(app, photoForm(bytes), { as: alice });
      await damage(toOriginalPath(bytes));
      await database.sql`truncate job`;
      return { bytes, id: body.id as string };
    }
    const expectWhole = async (bytes: Uint8Array) => {
      expect(await readFile(toOriginalPath(bytes))).toEqual(Buffer.from(bytes));
      expect((await stat(toOriginalPath(bytes))).nlink).toBe(1);
      const [row] = await database.sql`
        select missing_at from original where sha256 = ${toSha256(bytes)}`;
      expect(row).toEqual({ missing_at: null });
      expect(await readdir(database.deps.paths.incoming)).toEqual([]);
    };

    test(`${name}: no check tells the client that its file is stored`, async () => {
      const { bytes, id } = await damaged();
      const checksum = toSha1Hex(bytes);
      const check = async () =>
        (
          await call(app, 'POST /assets/bulk-upload-check', {
            as: alice,
            body: { assets: [{ id: 'x', checksum }] },
          })
        ).body.results;
      expect(await check()).toEqual([{ id: 'x', action: 'accept' }]);
      // The body is read: it heals the library.
      const headers = { 'x-immich-checksum': checksum };
      expect(await upload(app, photoForm(bytes), { as: alice, headers })).toMatchObject({
        status: 200,
        body: { id, status: 'duplicate' },
      });
      await expectWhole(bytes);
      expect(await check()).toMatchObject([{ action: 'reject', assetId: id }]);
      // Processing that had failed runs again.
      const jobs = await database.sql`
        select name from job where payload ->> 'assetId' = ${id} order by name`;
      expect(jobs.map((job) => job['name'])).toEqual(['assets.readMetadata', 'assets.renderImage']);
    });

    test(`${name}: the upload of another account replaces it`, async () => {
      const { bytes, id } = await damaged();
      const reply = await upload(app, photoForm(bytes), { as: bob });
      expect(reply.status).toBe(201);
      expect(reply.body.id).not.toBe(id);
      await expectWhole(bytes);
    });

    test(`${name}: an upload of different bytes does not replace it`, async () => {
      const { bytes } = await damaged();
      const before = await readFile(toOriginalPath(bytes)).catch(() => undefined);
      const headers = { 'x-immich-checksum': toSha1Hex(bytes) };
      const reply = await upload(app, photoForm(randomFileBytes()), { as: alice, headers });
      expect(reply.status).toBe(400);
      expect(await readFile(toOriginalPath(bytes)).catch(() => undefined)).toEqual(before);
    });
  }
});

test('an upload that races with a deletion of the same bytes keeps its file', async () => {
  const bytes = randomFileBytes();
  const { body } = await upload(app, photoForm(bytes), { as: alice });
  const sha256 = toSha256(bytes);
  const second = await database.sql.begin(async (deletion) => {
    // As src/storage/originals.ts says: under the lock, look again, then the row, then the file.
    await deletion`select 1 from original where sha256 = ${sha256} for update`;
    await deletion`delete from asset where id = ${body.id}`;
    const reply = upload(app, photoForm(bytes), { as: bob });
    await until(async () => {
      const [row] = await database.sql`
        select count(*)::int as waiting from pg_locks where not granted`;
      return row!['waiting'] > 0;
    });
    await deletion`delete from original where sha256 = ${sha256}`;
    await rm(toOriginalPath(bytes));
    return [reply];
  });
  expect(await second[0]).toMatchObject({ status: 201, body: { status: 'created' } });
  expect(await readFile(toOriginalPath(bytes))).toEqual(Buffer.from(bytes));
});
