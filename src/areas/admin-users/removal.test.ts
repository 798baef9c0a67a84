import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createHash, randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { passTimeUntil } from '../../../test/support/passed-time.ts';
import { addStack } from '../../../test/support/household.ts';
import { addFile, derivedPath, jobCtx } from '../../../test/support/processing.ts';
import { originalPath } from '../../storage/stored-file.ts';
import { albumAssets, albums } from '../../db/tables/albums.ts';
import { assetFiles } from '../../db/tables/assets.ts';
import { users } from '../../db/tables/identity.ts';
import { handleRemoveFiles } from '../trash/removal/removal.handlers.ts';
import { handleRemoveAccounts } from './removal.handlers.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const { database, app } = await useApp();
let admin: TestUser;
let me: TestUser;
let other: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});
beforeEach(async () => {
  [me, other] = [await seed(database).user(), await seed(database).user()];
});

const remove = (force: boolean) =>
  call(app, `DELETE /admin/users/${me.id}`, { as: admin, body: { force } });
const restore = () => call(app, `POST /admin/users/${me.id}/restore`, { as: admin });

/** Runs the removal jobs as of `days` days after NOW. */
async function run(days = 0): Promise<void> {
  await passTimeUntil(database, new Date(NOW.getTime() + days * DAY_MS));
  await handleRemoveAccounts(jobCtx(database), {});
  await handleRemoveFiles(jobCtx(database), {});
}

const toOriginalPath = (bytes: Uint8Array) =>
  originalPath(database.deps.paths, createHash('sha256').update(bytes).digest());
const exists = async (id = me.id) =>
  (await database.db.select().from(users).where(eq(users.id, id))).length > 0;
const waiting = async () =>
  (
    await database.sql`
      select 1 from job where name = 'users.removeAccounts' and state = 'waiting'`
  ).length;

async function addPhoto(ownerId: string, bytes: Uint8Array, over: object = {}) {
  const id = await addFile(database, { name: 'a.jpg', bytes }, { ownerId, ...over });
  const name = `aa/bb/${id}-thumbnail.webp`;
  const path = derivedPath(database, name);
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(path, 'thumbnail');
  await database.db
    .insert(assetFiles)
    .values({ assetId: id, kind: 'thumbnail', name, mimeType: 'image/webp', size: 9, tag: 't' });
  return { id, original: toOriginalPath(bytes), thumbnail: path };
}

describe('an account that is removed at once', () => {
  test('loses its rows and files, and nothing of other accounts is deleted', async () => {
    const shared = randomBytes(100);
    const states = [{}, { visibility: 'archive' }, { lockedAt: NOW }, { trashedAt: NOW }];
    const mine = [];
    for (const over of states) mine.push(await addPhoto(me.id, randomBytes(100), over));
    const video = await addPhoto(me.id, randomBytes(100), { visibility: 'hidden', type: 'VIDEO' });
    mine.push(video, await addPhoto(me.id, randomBytes(100), { liveVideoId: video.id }));
    const copy = await addPhoto(me.id, shared);
    await addStack(database, me.id, mine[0]!.id);
    const theirs = await addPhoto(other.id, shared);
    const [album] = await database.db
      .insert(albums)
      .values({ ownerId: other.id, name: 'ours' })
      .returning();
    await database.db
      .insert(albumAssets)
      .values([mine[0]!.id, theirs.id].map((assetId) => ({ albumId: album!.id, assetId })));
    const picture = join(database.deps.paths.profiles, 'me.webp');
    await Bun.write(picture, 'picture');
    await database.db.update(users).set({ profileImage: 'me.webp' }).where(eq(users.id, me.id));
    await call(app, 'PUT /users/me/preferences', { as: me, body: { tags: { enabled: true } } });
    await call(app, 'POST /users/me/backup-devices', {
      as: me,
      body: { deviceKey: 'k', name: 'n' },
    });

    await call(app, 'POST /search/facets', { as: me, body: {} });

    expect(await remove(true)).toMatchObject({ status: 200, body: { status: 'removing' } });
    expect(await waiting()).toBe(1);
    await run();

    expect(await exists()).toBe(false);
    for (const { original, thumbnail } of mine) {
      expect([existsSync(original), existsSync(thumbnail)]).toEqual([false, false]);
    }
    expect([existsSync(copy.thumbnail), existsSync(picture)]).toEqual([false, false]);
    expect([existsSync(theirs.original), existsSync(theirs.thumbnail)]).toEqual([true, true]);
    for (const table of ['asset', 'asset_count', 'month_summary', 'stack']) {
      const rows = await database.sql.unsafe(`select 1 from ${table} where owner_id = $1`, [me.id]);
      expect([table, rows.length]).toEqual([table, 0]);
    }
    expect(await database.sql`select 1 from removed_file`).toHaveLength(0);
    const left = await call(app, `GET /albums/${album!.id}`, { as: other });
    expect(left.body.assetCount).toBe(1);
    expect((await call(app, `GET /admin/users/${me.id}`, { as: admin })).status).toBe(400);
    // The address is free again.
    const body = { email: me.email, name: 'Again', password: 'a long password' };
    expect((await call(app, 'POST /admin/users', { as: admin, body })).status).toBe(201);
  });

  test('cannot be restored', async () => {
    await remove(true);
    expect((await restore()).status).toBe(400);
    await run();
    expect(await exists()).toBe(false);
  });
});

describe('an account that is deleted', () => {
  test('is kept for seven days, with its files', async () => {
    const photo = await addPhoto(me.id, randomBytes(100));
    expect(await remove(false)).toMatchObject({ body: { status: 'deleted' } });
    await run(6.9);
    expect([await exists(), existsSync(photo.original)]).toEqual([true, true]);
    await run(7.1);
    expect([await exists(), existsSync(photo.original)]).toEqual([false, false]);
  });

  test('can be restored, and is not deleted afterwards', async () => {
    const photo = await addPhoto(me.id, randomBytes(100));
    await remove(false);
    expect((await restore()).body.status).toBe('active');
    await run(100);
    expect([await exists(), existsSync(photo.original)]).toEqual([true, true]);
  });

  test('is removed at once when it is deleted again with force', async () => {
    await remove(false);
    await remove(true);
    await run();
    expect(await exists()).toBe(false);
  });
});

test('the next run continues one that was stopped', async () => {
  for (let n = 0; n < 3; n++) await addPhoto(me.id, randomBytes(100));
  await remove(true);
  const aborted = AbortSignal.abort();
  const stopped = handleRemoveAccounts(jobCtx(database, { signal: aborted }), {});
  await expect(stopped).rejects.toThrow();
  expect(await exists()).toBe(true);
  await run();
  expect(await exists()).toBe(false);
});

test('removes more items than one batch holds', async () => {
  await database.sql`
    with made as (
      insert into original (sha256, size)
      select sha256(convert_to(${me.id} || i, 'UTF8')), 1 from generate_series(1, 2500) i
      returning sha256
    )
    insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at, local_taken_at,
      file_modified_at)
    select ${me.id}, 'IMAGE', sha256, substring(sha256 for 20), 'a.jpg', 1, now(), now(), now()
    from made`;
  await remove(true);
  await run();
  expect(await exists()).toBe(false);
  expect(await database.sql`select 1 from asset where owner_id = ${me.id}`).toHaveLength(0);
  expect(await exists(other.id)).toBe(true);
});
