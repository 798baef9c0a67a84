import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { useApp } from '../../../../test/support/database.ts';
import { photoForm, toSha256, randomFileBytes, upload } from '../../../../test/support/forms.ts';
import { seed, type TestUser } from '../../../../test/support/harness.ts';
import { passTimeUntil } from '../../../../test/support/passed-time.ts';
import { jobCtx } from '../../../../test/support/processing.ts';
import { toHex } from '../../../core/hash.ts';
import { type DataPaths, derivedName } from '../../../core/paths.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import { handleSweepFiles } from './sweep.handlers.ts';

const { database, app } = await useApp();
let me: TestUser;
let paths: DataPaths;
beforeAll(() => {
  ({ paths } = database.deps);
});
beforeEach(async () => {
  await Promise.all(
    [paths.originals, paths.derived, paths.removed].map((folder) =>
      rm(folder, { recursive: true, force: true }),
    ),
  );
  me = await seed(database).user();
});

const DAY_MS = 86_400_000;
const days = (count: number) => new Date(Date.now() + count * DAY_MS);
const exists = (path: string) => Bun.file(path).exists();

async function write(
  path: string,
  bytes: Uint8Array = randomFileBytes(),
  age = 2,
): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(path, bytes);
  await utimes(path, days(-age), days(-age));
  return path;
}
const stray = (bytes = randomFileBytes(), age = 2) =>
  write(originalPath(paths, toSha256(bytes)), bytes, age);

/** Sweeps all slices, as consecutive jobs do. */
async function sweep(now = days(0)): Promise<void> {
  await passTimeUntil(database, now);
  const ctx = jobCtx(database, { now: () => now });
  for (let payload: { slice?: number } | undefined = {}; payload;) {
    await database.sql`truncate job`;
    const effect = await handleSweepFiles(ctx, payload);
    await database.db.transaction(async (tx) => void (await effect?.(tx)));
    const [next] = await database.sql`select payload from job where name = 'trash.sweepFiles'`;
    payload = next?.['payload'] as { slice?: number } | undefined;
  }
}

describe('an original without a row', () => {
  test('is quarantined and deleted after 30 days', async () => {
    const bytes = randomFileBytes();
    const path = await stray(bytes);
    const { body } = await upload(app, photoForm(randomFileBytes()), { as: me });
    const [kept] = await database.sql`select sha256 from asset where id = ${body.id}`;
    const keptPath = originalPath(paths, kept!['sha256']);
    await utimes(keptPath, days(-99), days(-99));

    await sweep();
    expect([await exists(path), await exists(keptPath)]).toEqual([false, true]);
    expect(await readdir(paths.removed)).toEqual([toHex(toSha256(bytes))]);
    const rows = await database.sql`select 1 from original where sha256 = ${toSha256(bytes)}`;
    expect(rows).toHaveLength(0);
    await sweep(days(29));
    expect(await readdir(paths.removed)).toHaveLength(1);
    await sweep(days(31));
    expect(await readdir(paths.removed)).toEqual([]);
    expect(await exists(keptPath)).toBe(true);
  });

  test('is kept while it is recent, because its upload may be about to commit', async () => {
    const path = await stray(randomFileBytes(), 0.5);
    await sweep();
    expect(await exists(path)).toBe(true);
  });

  test('is kept when its upload commits during the sweep, however old the file is', async () => {
    const bytes = randomFileBytes();
    const path = await stray(bytes, 9);
    const sweeping = await database.sql.begin(async (uploading) => {
      await uploading`insert into original (sha256, size) values (${toSha256(bytes)}, 1000)`;
      const running = sweep();
      const isWaiting = async () =>
        (await database.sql`select 1 from pg_locks where not granted`).length > 0;
      while (!(await isWaiting())) await Bun.sleep(5);
      return [running];
    });
    await sweeping[0];
    expect(await exists(path)).toBe(true);
  });

  test('can be uploaded again while it is quarantined', async () => {
    const bytes = randomFileBytes();
    const path = await stray(bytes);
    await sweep();
    expect((await upload(app, photoForm(bytes), { as: me })).status).toBe(201);
    await sweep(days(31));
    expect(await exists(path)).toBe(true);
  });

  test('is found in the last folder too, and other files are left alone', async () => {
    const last = await write(join(paths.originals, 'ff', 'ff', 'f'.repeat(64)));
    const other = await write(join(paths.originals, 'ff', 'ff', 'README'));
    await sweep();
    expect([await exists(last), await exists(other)]).toEqual([false, true]);
  });
});

test('keeps a file that a running removal has set aside', async () => {
  const { body } = await upload(app, photoForm(randomFileBytes()), { as: me });
  const [row] = await database.sql`select sha256 from asset where id = ${body.id}`;
  const aside = await write(join(paths.removed, toHex(row!['sha256'])));
  await sweep(days(99));
  expect(await exists(aside)).toBe(true);
});

test('deletes derived files without an asset or person and keeps all others', async () => {
  const id = await seed(database).asset({ ownerId: me.id });
  const gone = crypto.randomUUID();
  const [person] = await database.sql`
    insert into person (owner_id) values (${me.id}) returning id`;
  const personId = person!['id'] as string;
  const at = (owner: string, kind: string, extension = 'webp') =>
    join(paths.derived, derivedName(owner, kind, extension));
  const name = derivedName(id, 'thumbnail', 'webp');
  await database.sql`
    insert into asset_file values (${id}, 'thumbnail', ${name}, 'image/webp', 7, 't')`;
  const kept = [
    await write(at(id, 'thumbnail')),
    await write(at(personId, 'person')),
    await write(at(gone, 'preview'), randomFileBytes(), 0.5),
    await write(join(paths.derived, gone.slice(0, 2), gone.slice(2, 4), 'notes.txt')),
    await write(join(paths.derived, 'scratch', 'new.part'), randomFileBytes(), 0.5),
  ];
  const strays = [
    await write(at(id, 'preview', 'jpg')),
    await write(at(gone, 'thumbnail')),
    await write(at(gone, 'person')),
    await write(at(gone, 'frame-12345678-1000', 'jpg')),
    await write(join(paths.derived, 'scratch', 'old.part')),
  ];
  const sidecar = await write(at(gone, 'sidecar', 'xmp'));
  await sweep();
  for (const path of kept) expect([path, await exists(path)]).toEqual([path, true]);
  for (const path of strays) expect([path, await exists(path)]).toEqual([path, false]);
  // A sidecar is uploaded and cannot be derived again.
  expect(await exists(sidecar)).toBe(false);
  expect(await readdir(paths.removed)).toEqual([`${gone}-sidecar.xmp`]);
  await sweep(days(31));
  expect(await readdir(paths.removed)).toEqual([]);
});
