import { beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { waitUntilBlocked } from '../../../../test/support/blocked-statements.ts';
import { useApp } from '../../../../test/support/database.ts';
import { effort } from '../../../../test/support/effort.ts';
import { toSha256, randomFileBytes } from '../../../../test/support/forms.ts';
import { call, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { passTimeUntil } from '../../../../test/support/passed-time.ts';
import { addFile, derivedPath, jobCtx } from '../../../../test/support/processing.ts';
import { derivedName } from '../../../core/paths.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import { handleRemoveFiles } from './removal.handlers.ts';
import { deleteAssetsWithFiles } from './removal.store.ts';
import { handleExpireTrash } from '../retention/retention.handlers.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeEach(async () => {
  await database.sql`truncate removed_file, job`;
  await database.sql`delete from asset`;
  await database.sql`delete from original`;
  me = await seed(database).user();
});

type File = { readonly id: string; readonly original: string; readonly thumbnail: string };

/** An asset with its original and a thumbnail. */
async function add(bytes: Uint8Array, values: object = {}): Promise<File> {
  const id = await addFile(database, { name: 'a.jpg', bytes }, { ownerId: me.id, ...values });
  const name = derivedName(id, 'thumbnail', 'webp');
  const thumbnail = derivedPath(database, name);
  await mkdir(dirname(thumbnail), { recursive: true });
  await Bun.write(thumbnail, 'picture');
  await database.sql`
    insert into asset_file values (${id}, 'thumbnail', ${name}, 'image/webp', 7, 't')`;
  return { id, original: originalPath(database.deps.paths, toSha256(bytes)), thumbnail };
}

const exists = (path: string) => Bun.file(path).exists();
const remove = (ids: readonly string[]) =>
  call(app, 'DELETE /assets', { as: me, body: { ids, force: true } });
const runJob = () => handleRemoveFiles(jobCtx(database), {});
const due = () => database.sql`update removed_file set retry_at = now()`;
const removing = async () =>
  (await call(app, 'GET /trash/summary', { as: me })).body.removing as number;
const originals = async () =>
  (await database.sql`select encode(sha256, 'hex') as hash from original`).map(
    (row) => row['hash'],
  );
const aside = () => readdir(database.deps.paths.removed).catch(() => []);

test('deletes the files by a job after the rows are deleted', async () => {
  const [file, other] = [await add(randomFileBytes(1000)), await add(randomFileBytes(1000))];
  expect((await remove([file.id])).status).toBe(204);
  expect([await exists(file.original), await exists(file.thumbnail)]).toEqual([true, true]);
  expect(await removing()).toBe(1);
  const [job] = await database.sql`select name from job`;
  expect(job!['name']).toBe('trash.removeFiles');
  await runJob();
  expect([await exists(file.original), await exists(file.thumbnail)]).toEqual([false, false]);
  expect([await exists(other.original), await exists(other.thumbnail)]).toEqual([true, true]);
  expect(await removing()).toBe(0);
  expect(await originals()).toHaveLength(1);
  expect(await aside()).toEqual([]);
});

test('deletes a file that gets another name while the rows are deleted', async () => {
  const [file, other] = [await add(randomFileBytes(1000)), await add(randomFileBytes(1000))];
  const name = derivedName(file.id, 'thumbnail', 'jpg');
  const renamed = derivedPath(database, name);
  await Bun.write(renamed, 'another picture');
  let removed: ReturnType<typeof remove> | undefined;
  await database.sql.begin(async (tx) => {
    await tx`update asset_file set name = ${name} where asset_id = ${file.id}`;
    removed = remove([file.id]);
    await waitUntilBlocked(database.sql);
  });
  expect((await removed!).status).toBe(204);
  await runJob();
  expect(await exists(renamed)).toBe(false);
  expect(await exists(other.thumbnail)).toBe(true);
});

test('keeps bytes that another account has until its asset is deleted', async () => {
  const bytes = randomFileBytes(500);
  const mine = await add(bytes);
  const other = await seed(database).user();
  const theirs = await add(bytes, { ownerId: other.id });
  await remove([mine.id]);
  await runJob();
  expect([await exists(mine.original), await exists(mine.thumbnail)]).toEqual([true, false]);
  expect(await exists(theirs.thumbnail)).toBe(true);
  expect(await removing()).toBe(0);
  await database.db.transaction((tx) => deleteAssetsWithFiles(tx, [theirs.id]));
  await runJob();
  expect(await exists(mine.original)).toBe(false);
  expect(await originals()).toEqual([]);
});

test('keeps bytes that were uploaded again before the removal', async () => {
  const bytes = randomFileBytes(500);
  const first = await add(bytes);
  await remove([first.id]);
  const again = await add(bytes);
  await runJob();
  expect(await exists(again.original)).toBe(true);
  expect(await removing()).toBe(0);
});

test('postpones the removal of an original that is being uploaded', async () => {
  const bytes = randomFileBytes(500);
  const file = await add(bytes);
  await remove([file.id]);
  await database.sql.begin(async (upload) => {
    await upload`update original set size = size where sha256 = ${toSha256(bytes)}`;
    await runJob();
    expect(await exists(file.original)).toBe(true);
    expect(await exists(file.thumbnail)).toBe(false);
    expect(await removing()).toBe(1);
  });
  // Not at once: the next look is later.
  await runJob();
  expect(await exists(file.original)).toBe(true);
  await due();
  await runJob();
  expect(await exists(file.original)).toBe(false);
  expect(await removing()).toBe(0);
});

describe('a file that cannot be deleted is retried in the next run', () => {
  test('an original in a folder without write permission', async () => {
    const [stuck, free] = [await add(randomFileBytes(300)), await add(randomFileBytes(300))];
    await remove([stuck.id]);
    await remove([free.id]);
    // A folder in the place of the file it is to be moved to: also root cannot rename over it.
    const hash = stuck.original.split('/').at(-1)!;
    const blocker = join(database.deps.paths.removed, hash);
    await mkdir(join(blocker, 'x'), { recursive: true });
    await runJob();
    expect([await exists(stuck.original), await exists(free.original)]).toEqual([true, false]);
    expect(await originals()).toEqual([hash]);
    expect(await removing()).toBe(1);
    await rm(blocker, { recursive: true });
    await due();
    await runJob();
    expect(await exists(stuck.original)).toBe(false);
    expect(await removing()).toBe(0);
  });

  test('a derived file that is a directory', async () => {
    const file = await add(randomFileBytes(300));
    await rm(file.thumbnail);
    await mkdir(file.thumbnail);
    await remove([file.id]);
    await runJob();
    expect(await exists(file.original)).toBe(false);
    expect(await removing()).toBe(1);
    await rm(file.thumbnail, { recursive: true });
    await due();
    await runJob();
    expect(await removing()).toBe(0);
  });
});

test('a missing file does not fail the removal', async () => {
  const file = await add(randomFileBytes(300));
  await rm(file.original);
  await rm(file.thumbnail);
  await remove([file.id]);
  await runJob();
  expect(await removing()).toBe(0);
  expect(await originals()).toEqual([]);
});

test('concurrent uploads and removals of the same bytes never lose them', async () => {
  const bytes = randomFileBytes(200_000);
  const rounds = effort({ quick: 5, full: 12 });
  const users = await Promise.all(Array.from({ length: 3 }, () => seed(database).user()));
  let isOver = false;
  const removals = (async () => {
    while (!isOver) {
      await due();
      await runJob();
      await Bun.sleep(1);
    }
  })();
  const form = () => {
    const body = new FormData();
    body.set('assetData', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'a.jpg');
    body.set('fileCreatedAt', NOW.toISOString());
    body.set('fileModifiedAt', NOW.toISOString());
    return body;
  };
  await Promise.all(
    users.map(async (user) => {
      for (let round = 0; round < rounds; round++) {
        const reply = await call(app, 'POST /assets', { as: user, body: form() });
        expect(reply.status).toBe(201);
        const { id } = reply.body;
        const original = await call(app, `GET /assets/${id}/original`, { as: user });
        expect(original.status).toBe(200);
        const body = { ids: [id], force: true };
        expect((await call(app, 'DELETE /assets', { as: user, body })).status).toBe(204);
      }
    }),
  );
  isOver = true;
  await removals;
  await due();
  await runJob();
  expect(await originals()).toEqual([]);
  expect(await exists(originalPath(database.deps.paths, toSha256(bytes)))).toBe(false);
});

test('deletes items after the retention time of the trash', async () => {
  const before = (days: number) => new Date(Date.now() - days * 86_400_000);
  const video = await add(randomFileBytes(10), {
    type: 'VIDEO',
    visibility: 'hidden',
    trashedAt: before(31),
  });
  const files = {
    kept: await add(randomFileBytes(10)),
    young: await add(randomFileBytes(10), { trashedAt: before(29) }),
    old: await add(randomFileBytes(10), { trashedAt: before(31), liveVideoId: video.id }),
    locked: await add(randomFileBytes(10), { trashedAt: before(40), lockedAt: NOW }),
    archived: await add(randomFileBytes(10), { trashedAt: before(31), visibility: 'archive' }),
  };
  await passTimeUntil(database, new Date());
  const ctx = jobCtx(database);
  const left = async () => {
    const rows = await database.sql<{ id: string }[]>`select id from asset`;
    const names = new Map(Object.entries(files).map(([name, { id }]) => [id, name]));
    return rows.map((row) => names.get(row.id) ?? 'video').sort();
  };
  const forever = { ...ctx, settings: { ...ctx.settings, trashDays: 0 } };
  await handleExpireTrash(forever, {});
  expect(await left()).toEqual(['archived', 'kept', 'locked', 'old', 'video', 'young']);
  await handleExpireTrash(ctx, {});
  expect(await left()).toEqual(['kept', 'young']);
  await runJob();
  expect(await exists(video.original)).toBe(false);
  expect(await exists(files.young.original)).toBe(true);
});

test('deletes expired reviews and old activity', async () => {
  const now = Date.now();
  for (const days of [2, 400]) {
    const at = new Date(now - days * 86_400_000).toISOString();
    await database.sql`
      insert into utility_activity (user_id, tool, action, asset_count, bytes, created_at)
      values (${me.id}, 'videos', 'trashed', 1, 1, ${at})`;
    await database.sql`
      insert into trash_review (token_hash, user_id, action, fingerprint, expires_at)
      values (${toSha256(randomFileBytes(4))}, ${me.id}, 'empty', '\\x00', ${at})`;
  }
  await passTimeUntil(database, new Date(now));
  await handleExpireTrash(jobCtx(database, { now: () => new Date(now) }), {});
  const [row] = await database.sql`
    select (select count(*)::int from utility_activity) as activity,
      (select count(*)::int from trash_review) as reviews`;
  expect({ ...row }).toEqual({ activity: 1, reviews: 0 });
});

test('every table with a reference to an asset has an index on it', async () => {
  const rows = await database.sql`
    select conrelid::regclass::text as name from pg_constraint
    where contype = 'f' and confrelid = 'asset'::regclass and not exists (
      select from pg_index where indrelid = conrelid and indkey[0] = conkey[1])`;
  expect(rows.map((row) => row['name'])).toEqual([]);
});
