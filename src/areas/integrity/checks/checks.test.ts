import { beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { useApp } from '../../../../test/support/database.ts';
import { configWith } from '../../../../test/support/config.ts';
import { photoForm, randomFileBytes, toSha256, upload } from '../../../../test/support/forms.ts';
import { emptyTables } from '../../../../test/support/empty-tables.ts';
import { call, seed, testApp, type TestUser } from '../../../../test/support/harness.ts';
import { after, createChecks, LATER } from '../../../../test/support/integrity.ts';
import { listNotifications } from '../../../../test/support/notifications.ts';
import { addFile } from '../../../../test/support/processing.ts';
import { until } from '../../../../test/support/until.ts';
import { type DataPaths, derivedName } from '../../../core/paths.ts';
import { originalPath } from '../../../storage/stored-file.ts';
import { closeStores, findStoreFault, openStores } from '../../../storage/library-folders.ts';
import { DEFAULTS } from '../../system-config/index.ts';
import { readProcessConfig } from '../../../process-config.ts';

const { database, app } = await useApp();
let admin: TestUser;
let paths: DataPaths;
let checks: ReturnType<typeof createChecks>;
beforeAll(() => {
  ({ paths } = database.deps);
});
beforeEach(async () => {
  await emptyTables(database, 'job', 'job_run', 'original', 'integrity_report', 'system_config');
  await database.sql`delete from app_user`;
  await database.sql`update integrity_check set scan_id = null, cursor = null, checked = 0,
    unreadable = 0, candidates = '{}', completed_at = null`;
  await rm(paths.root, { recursive: true, force: true });
  await mkdir(paths.originals, { recursive: true });
  admin = await seed(database).user(['all'], { isAdmin: true });
  checks = createChecks(database, app, admin);
});

const CHECKS = [
  'integrity-missing-files',
  'integrity-untracked-files',
  'integrity-checksum-mismatch',
] as const;

/** Adds photos; returns the paths of their originals. */
async function addPhotos(count: number): Promise<string[]> {
  const ownerId = admin.id;
  const files: string[] = [];
  for (let n = 0; n < count; n++) {
    const bytes = randomFileBytes();
    await addFile(database, { name: 'a.jpg', bytes }, { ownerId });
    await database.sql`update original set size = ${bytes.length} where sha256 = ${toSha256(bytes)}`;
    files.push(originalPath(paths, toSha256(bytes)));
  }
  return files.sort();
}
const toReported = (path: string) => relative(paths.root, path);
const isMarked = async () =>
  (await database.sql`select 1 from original where missing_at is not null`).length;
const write = async (path: string, text = 'x') => {
  await mkdir(dirname(join(paths.root, path)), { recursive: true });
  await writeFile(join(paths.root, path), text);
  return path;
};

describe('the check for missing files', () => {
  test('finds an original whose file is gone, keeps its id, and clears it when it is back', async () => {
    const [gone, kept] = await addPhotos(9);
    expect(await checks.run('integrity-missing-files')).toMatchObject({
      status: 'completed',
      queue: 'integrityCheck',
      name: 'integrity-missing-files',
    });
    expect(await checks.listPaths('missing_file')).toEqual([]);
    await rename(gone!, `${gone}.aside`);
    await checks.run('integrity-missing-files');
    const { items } = await checks.read('missing_file');
    const [asset] = await database.sql`
      select id from asset where encode(sha256, 'hex') = ${gone!.slice(-64)}`;
    expect(items).toEqual([
      {
        id: expect.any(String),
        path: toReported(gone!),
        type: 'missing_file',
        assetId: asset!['id'],
        fileAssetId: null,
        createdAt: LATER.toISOString(),
      },
    ]);
    expect(toReported(kept!)).not.toBe(items[0]!.path);
    expect(await isMarked()).toBe(1);
    const [event] = await listNotifications(app, admin);
    expect(event?.title).toBe('Files missing or damaged');

    await checks.run('integrity-missing-files', after(1));
    expect((await checks.read('missing_file')).items).toEqual(items);
    await rename(`${gone}.aside`, gone!);
    await checks.run('integrity-missing-files', after(2));
    expect(await checks.listPaths('missing_file')).toEqual([]);
    expect(await isMarked()).toBe(0);
  });

  test('changes nothing when many files are gone at once, until somebody has verified that', async () => {
    const files = await addPhotos(12);
    await checks.run('integrity-missing-files');
    for (const file of files.slice(0, 6)) await unlink(file);
    const run = await checks.run('integrity-missing-files');
    await database.sql`update job set run_at = now()`;
    await checks.drain();
    expect([run.status, await isMarked()]).not.toEqual(['completed', 6]);
    expect([await checks.listPaths('missing_file'), await isMarked()]).toEqual([[], 0]);
    const [job] = await database.sql`select last_error, state from job`;
    expect(job!['state']).toBe('failed');
    expect(job!['last_error']).toContain('6 of 12 originals cannot be found');
    expect((await checks.getRuns()).missing_file.isRunning).toBe(false);

    await database.sql`truncate job cascade`;
    await database.sql`update original set missing_at = now()
      where encode(sha256, 'hex') = any(${files.slice(0, 6).map((file) => file.slice(-64))})`;
    await checks.run('integrity-missing-files');
    expect(await checks.listPaths('missing_file')).toHaveLength(6);
  });

  test('changes nothing when the folder is that of another library or not mounted', async () => {
    const [file] = await addPhotos(3);
    await checks.run('integrity-missing-files');
    expect(await openStores(database.deps)).toBeUndefined();
    await unlink(file!);
    await rename(paths.originals, `${paths.originals}.unmounted`);
    await mkdir(paths.originals);
    for (const name of CHECKS) await checks.start(name);
    const drained = checks.drain(after(1));
    await until(async () => (await findStoreFault(database.deps)) !== undefined);
    await Bun.sleep(200);
    expect(await database.sql`select distinct state, attempt from job`).toMatchObject([
      { state: 'waiting', attempt: 0 },
    ]);
    expect([await checks.listPaths('missing_file'), await isMarked()]).toEqual([[], 0]);

    await rm(paths.originals, { recursive: true });
    await rename(`${paths.originals}.unmounted`, paths.originals);
    await drained;
    expect(await checks.listPaths('missing_file')).toEqual([toReported(file!)]);
    closeStores(paths);
    await database.sql`update instance set stores_marked_at = null`;
  });

  test('says nothing about originals that only the trash has', async () => {
    const [file] = await addPhotos(3);
    await unlink(file!);
    await database.sql`update asset set trashed_at = now()
      where encode(sha256, 'hex') = ${file!.slice(-64)}`;
    await checks.run('integrity-missing-files');
    expect(await checks.listPaths('missing_file')).toEqual([]);
  });
});

test('files of external libraries are not checked', async () => {
  const [outside, damaged] = await addPhotos(3);
  await unlink(outside!);
  await writeFile(damaged!, 'bad');
  for (const file of [outside!, damaged!]) {
    await database.sql`update original set path = '/elsewhere'
      where encode(sha256, 'hex') = ${file.slice(-64)}`;
  }
  await checks.run('integrity-missing-files');
  await checks.run('integrity-checksum-mismatch');
  expect(await checks.listPaths('missing_file')).toEqual([]);
  expect(await checks.listPaths('checksum_mismatch')).toEqual([]);
});

describe('the check for untracked files', () => {
  test('finds what no row refers to, and leaves everything else alone', async () => {
    await addPhotos(2);
    const id = await seed(database).asset({ ownerId: admin.id });
    const name = derivedName(id, 'thumbnail', 'webp');
    await database.sql`
      insert into asset_file values (${id}, 'thumbnail', ${name}, 'image/webp', 7, 't')`;
    await write(`derived/${name}`);
    await write('derived/scratch/part');
    await write('incoming/upload');
    await write(`removed/${'a'.repeat(64)}`);
    await symlink('/etc/passwd', join(paths.originals, 'link'));
    await symlink('/etc', join(paths.derived, 'etc'));
    const stray = toReported(originalPath(paths, toSha256(randomFileBytes())));
    const untracked = [
      await write(`derived/${derivedName(crypto.randomUUID(), 'preview', 'jpg')}`),
      await write(`derived/${derivedName(id, 'preview', 'jpg')}`),
      await write('derived/notes/deep/todo.txt'),
      await write('originals/ff/README'),
      await write(stray),
      await write('originals/holiday.jpg'),
    ].sort();
    await checks.run('integrity-missing-files');
    expect((await checks.run('integrity-untracked-files')).status).toBe('completed');
    expect((await checks.listPaths('untracked_file')).sort()).toEqual(untracked);

    await rm(join(paths.root, 'originals/holiday.jpg'));
    expect((await listNotifications(app, admin)).map(({ description }) => description)).toContain(
      '6 files in the data folder belong to no photo',
    );
    await checks.run('integrity-untracked-files', after(1));
    expect((await checks.listPaths('untracked_file')).sort()).toEqual(
      untracked.filter((path) => path !== 'originals/holiday.jpg'),
    );
  });

  test('finds a file at once, and not one that a running job is about to record', async () => {
    const id = await seed(database).asset({ ownerId: admin.id });
    const rendered = await write(`derived/${derivedName(id, 'preview', 'jpg')}`);
    const placed = await write('originals/new.jpg');
    await database.sql`insert into job (name, queue, lane, payload, state)
      values ('assets.renderImage', 'thumbnailGeneration', 'render', jsonb_build_object('assetId', ${id}::text), 'running')`;
    const [job] = await database.sql`select id, lane from job`;
    await checks.run('integrity-untracked-files', new Date());
    expect(await checks.listPaths('untracked_file')).toEqual([placed]);
    await database.sql`delete from job where id = ${job!['id']}`;
    await checks.run('integrity-untracked-files', new Date());
    expect((await checks.listPaths('untracked_file')).sort()).toEqual([rendered, placed]);
  });

  test.each([true, false])(
    'waits for an upload whose files are in their places and whose rows are not committed: %p',
    async (isCommitted) => {
      const bytes = randomFileBytes();
      const sidecar = {
        name: 'sidecarData',
        fileName: 'a.xmp',
        bytes: Buffer.from('<x:xmpmeta/>'),
      };
      const cancelled = new Error('cancelled');
      let checking: Promise<{ status: string }> | undefined;
      const uploading = database.db.transaction(async (tx) => {
        const uploader = testApp(database, { db: tx });
        const { status } = await upload(uploader, photoForm(bytes, [sidecar]), { as: admin });
        expect(status).toBe(201);
        checking = checks.run('integrity-untracked-files', new Date());
        await until(
          async () => (await database.sql`select 1 from pg_locks where not granted`).length > 0,
        );
        if (!isCommitted) throw cancelled;
      });
      expect(await uploading.catch((error: unknown) => error)).toBe(
        isCommitted ? undefined : cancelled,
      );
      expect((await checking!).status).toBe('completed');
      const original = toReported(originalPath(paths, toSha256(bytes)));
      expect(await checks.listPaths('untracked_file')).toEqual(
        isCommitted ? [] : [expect.stringMatching(/^derived\/.*-sidecar\.xmp$/), original],
      );
    },
  );
});

describe('the check of checksums', () => {
  const configure = (limits: Partial<typeof DEFAULTS.integrityChecks.checksumFiles>) =>
    call(app, 'PUT /system-config', {
      as: admin,
      body: configWith({
        integrityChecks: {
          ...DEFAULTS.integrityChecks,
          checksumFiles: { ...DEFAULTS.integrityChecks.checksumFiles, ...limits },
        },
      }),
    });

  test('finds bytes that differ, tells where the right ones are, and overwrites nothing', async () => {
    const [bad, short, gone, ...others] = await addPhotos(5);
    const right = await Bun.file(bad!).bytes();
    const wrong = right.toReversed();
    await writeFile(bad!, wrong);
    await writeFile(short!, 'x');
    await unlink(gone!);
    await write(`removed/${bad!.slice(-64)}`);
    await writeFile(join(paths.removed, bad!.slice(-64)), right);
    await checks.run('integrity-checksum-mismatch');
    expect(await checks.listPaths('checksum_mismatch')).toEqual([bad!, short!].map(toReported));
    expect(await isMarked()).toBe(2);
    expect(Buffer.from(await Bun.file(bad!).bytes()).equals(wrong)).toBe(true);
    const { body } = await call(app, 'GET /admin/integrity/report/checksum_mismatch/csv', {
      as: admin,
    });
    const [asset] = await database.sql`
      select id from asset where encode(sha256, 'hex') = ${bad!.slice(-64)}`;
    const columns = `checksum_mismatch,${asset!['id']},null,${toReported(bad!)}`;
    expect(body).toContain(`,${columns},removed/${bad!.slice(-64)},${LATER.toISOString()}\r\n`);
    expect(body).not.toContain(others[0]!.slice(-64));

    await writeFile(bad!, right);
    await checks.run('integrity-checksum-mismatch-refresh');
    expect(await checks.listPaths('checksum_mismatch')).toEqual([toReported(short!)]);
    expect(await isMarked()).toBe(1);
  });

  test('EP-020 a run that its limits end is not a full one, and the next one goes on from there', async () => {
    const files = await addPhotos(4);
    await checks.run('integrity-checksum-mismatch');
    const full = (await checks.getRuns()).checksum_mismatch;
    expect(full).toEqual({ lastCompletedAt: LATER.toISOString(), isRunning: false });
    await configure({ timeLimit: 0 });
    await writeFile(files[3]!, 'bad');
    await checks.run('integrity-checksum-mismatch', after(1));
    expect(await checks.listPaths('checksum_mismatch')).toEqual([toReported(files[3]!)]);
    expect((await checks.getRuns()).checksum_mismatch).toEqual(full);
    // Behind the place where that one has stopped.
    await writeFile(files[0]!, 'bad');
    await configure({});
    await checks.run('integrity-checksum-mismatch', after(2));
    expect(await checks.listPaths('checksum_mismatch')).toEqual([toReported(files[3]!)]);
    expect((await checks.getRuns()).checksum_mismatch.lastCompletedAt).toBe(after(2).toISOString());
  });

  test('is scheduled by the configuration', async () => {
    const { settings } = database.deps;
    await configure({ enabled: false });
    expect((await readProcessConfig(database.db, settings)).timetable).toMatchObject({
      'integrity.checkChecksums': undefined,
      'integrity.checkMissing': '0 03 * * *',
      'integrity.checkUntracked': '0 03 * * *',
    });
  });
});
