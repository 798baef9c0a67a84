import { beforeEach, describe, expect, test } from 'bun:test';
import { readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, send, type TestUser } from '../../../test/support/harness.ts';
import { runLibraryJobs, writeFiles } from '../../../test/support/libraries.ts';
import {
  createDeduplication,
  type Household,
  listCopies,
  removeHouseholds,
  toDecisions,
} from '../../../test/support/physical-deduplication.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { OTHER_DISK, skipWithout } from '../../../test/support/requirements.ts';
import { mountReadOnly, unmount } from '../../../test/support/mounts.ts';
import { handleApply } from './handlers.ts';
import type { Plan } from './schemas.ts';

const { database, app } = await useApp();
let admin: TestUser;
let plans: ReturnType<typeof createDeduplication>;
let a: Household;
let b: Household;
let plan: Plan;
beforeEach(async () => {
  await removeHouseholds(database);
  await rm(database.deps.paths.removed, { recursive: true, force: true });
  admin = await seed(database).user(['all'], { isAdmin: true });
  plans = createDeduplication(database, app, admin);
  a = await plans.addHousehold({ 'one.jpg': 'first bytes', 'two.jpg': 'other bytes!' });
  b = await plans.addHousehold({
    '1.jpg': 'first bytes',
    '2.jpg': 'other bytes!',
    '3.jpg': '3',
    '4.jpg': '4',
  });
  plan = await plans.preview({ retainUserId: a.user.id });
});

const DAY_MS = 86_400_000;
const readItem = async (name: string) => {
  const response = await send(app, `GET /assets/${await plans.findItem(b, name)}/original`, {
    as: b.user,
  });
  return [response.status, await response.text()];
};
const getCopy = (name: string) => listCopies(plan).find(({ path }) => path.endsWith(name))!;
const findReadPath = async (name: string) =>
  (
    await database.sql`
    select original.path from original join library_file using (sha256)
    where library_file.path = ${join(b.folder, name)}`
  )[0]!['path'];
const listQuarantine = () =>
  readdir(join(database.deps.paths.removed, 'copies')).catch(() => [] as string[]);
const listFolder = async () => (await readdir(b.folder)).toSorted();
const readDisk = async () =>
  JSON.stringify([
    await database.sql`select * from asset order by id`,
    await database.sql`select * from original order by sha256`,
    await database.sql`select * from library_file order by id`,
    await database.sql`select * from deduplication_copy order by id`,
    await listFolder(),
    await listQuarantine(),
  ]);

describe('the manual job', () => {
  test('EP-021: 400 without a reviewed plan or a saved master account; nothing changes', async () => {
    const before = await readDisk();
    await plans.configure();
    expect((await plans.startApply()).status).toBe(400);
    await plans.configure('quarantine', null);
    const { id: planId, fingerprint } = plan;
    await plans.review({ planId, fingerprint, decisions: toDecisions(plan, 'reject') });
    expect((await plans.startApply()).status).toBe(400);
    const gone = await seed(database).user();
    await plans.configure('quarantine', gone.id);
    await database.sql`update app_user set deleted_at = now() where id = ${gone.id}`;
    expect((await plans.startApply()).status).toBe(400);
    await plans.drain();
    await database.sql`update deduplication_copy set decision = 'undecided'`;
    expect(await readDisk()).toBe(before);
    expect((await plans.read()).applies).toEqual([]);
  });

  test('leaves files where they are; items are read from the retained ones', async () => {
    await plans.configure();
    const before = await stat(join(b.folder, '1.jpg'));
    const apply = await plans.apply(plan);
    expect(apply).toEqual({
      id: expect.any(String),
      planId: plan.id,
      status: 'completed',
      total: 2,
      processed: 2,
      failed: 0,
      reclaimedBytes: 0,
      startedAt: NOW.toISOString(),
      finishedAt: NOW.toISOString(),
    });
    expect(await stat(join(b.folder, '1.jpg'))).toEqual(before);
    expect(await findReadPath('1.jpg')).toBe(join(a.folder, 'one.jpg'));
    // The owner may delete them now: the items stay.
    const [run] = (await call(app, 'GET /jobs/runs', { as: admin })).body.items;
    expect(run).toMatchObject({ name: 'physical-deduplication-apply', status: 'completed' });
    await unlink(join(b.folder, '1.jpg'));
    await plans.scan(b);
    expect(await readItem('1.jpg')).toEqual([200, 'first bytes']);
    expect(await database.sql`select from asset where offline_at is not null`).toHaveLength(0);
  });

  test('applies only what was approved', async () => {
    await plans.configure('quarantine');
    const { id: planId, fingerprint } = plan;
    const decisions = [{ copyId: getCopy('1.jpg').id, decision: 'approve' }];
    await plans.review({ planId, fingerprint, decisions });
    await plans.startApply();
    expect((await plans.startApply()).status).toBe(400);
    await plans.drain();
    expect((await plans.read()).applies).toMatchObject([{ total: 1, processed: 1 }]);
    expect(await listFolder()).toEqual(['2.jpg', '3.jpg', '4.jpg']);
  });

  test('reads both files again: what has changed since the review is not touched', async () => {
    await plans.configure('quarantine');
    const { id: planId, fingerprint } = plan;
    await plans.review({ planId, fingerprint, decisions: toDecisions(plan, 'approve') });
    await writeFile(join(b.folder, '1.jpg'), 'FIRST bytes');
    await writeFile(join(a.folder, 'two.jpg'), 'OTHER bytes!');
    await plans.startApply();
    await plans.drain();
    const { applies, plan: after } = await plans.read();
    expect(applies).toMatchObject([{ status: 'completed', processed: 2, failed: 2 }]);
    const problems = listCopies(after).map(({ problem }) => problem);
    expect(new Set(problems)).toEqual(
      new Set(['The file is not as reviewed', 'The retained file is not as reviewed']),
    );
    expect(await listFolder()).toEqual(['1.jpg', '2.jpg', '3.jpg', '4.jpg']);
    expect(await database.sql`select from library_file where is_released`).toHaveLength(0);
  });

  test('moves files to the quarantine; a scan does not miss them', async () => {
    await plans.configure('quarantine');
    await plans.apply(plan);
    expect(await listFolder()).toEqual(['3.jpg', '4.jpg']);
    expect(new Set(await listQuarantine())).toEqual(new Set(listCopies(plan).map(({ id }) => id)));
    await unlink(join(b.folder, '3.jpg'));
    await plans.scan(b);
    const [library] = await database.sql`
      select scan_error, array(select path from library_file
        where library_id = library.id and missing_at is not null) as missing
      from library where id = ${b.libraryId}`;
    expect(library).toEqual({ scan_error: null, missing: [join(b.folder, '3.jpg')] });
    for (const [name, bytes] of [
      ['1.jpg', 'first bytes'],
      ['2.jpg', 'other bytes!'],
    ] as const) {
      expect(await readItem(name)).toEqual([200, bytes]);
    }
    expect((await plans.preview()).groups).toEqual([]);
  });

  test('after an interruption, leaves a file that has other bytes meanwhile', async () => {
    await plans.configure('leave');
    const { id: applyId } = await plans.apply(plan);
    await database.sql`
      update deduplication_copy set former_file = 'quarantine' where state = 'applied'`;
    await database.sql`update deduplication_apply set status = 'running'`;
    await writeFile(join(b.folder, '1.jpg'), 'FIRST bytes');
    await handleApply(jobCtx(database), { applyId });
    expect(await listFolder()).toEqual(['1.jpg', '3.jpg', '4.jpg']);
    expect(await listQuarantine()).toEqual([getCopy('2.jpg').id]);
    plan = (await plans.read()).plan;
    expect(getCopy('1.jpg').problem).toBe('The file has changed');
  });

  skipWithout('read-only mounts').test(
    'leaves files in a folder that cannot be written, and says so',
    async () => {
      await plans.configure('quarantine');
      mountReadOnly(b.folder, b.folder);
      const apply = await plans.apply(plan).finally(() => unmount(b.folder));
      expect(apply).toMatchObject({ status: 'completed', failed: 0 });
      const problems = listCopies((await plans.read()).plan).map(({ problem }) => problem);
      expect(problems).toEqual(['The folder is not writable', 'The folder is not writable']);
      expect(await listFolder()).toEqual(['1.jpg', '2.jpg', '3.jpg', '4.jpg']);
      expect(await listQuarantine()).toEqual([]);
    },
  );

  skipWithout('another disk').test('moves files from another disk, and back', async () => {
    const c = await plans.addHousehold({ '4.jpg': 'first bytes' }, OTHER_DISK);
    plan = await plans.preview({ reviewUserId: c.user.id });
    await plans.configure('quarantine');
    const before = await stat(join(c.folder, '4.jpg'));
    const { id } = await plans.apply(plan);
    expect(await readdir(c.folder)).toEqual([]);
    expect(await listQuarantine()).toEqual([getCopy('4.jpg').id]);
    expect((await plans.restore(id, [getCopy('4.jpg').id])).status).toBe(200);
    expect(await readdir(c.folder)).toEqual(['4.jpg']);
    expect(await readFile(join(c.folder, '4.jpg'), 'utf8')).toBe('first bytes');
    expect((await stat(join(c.folder, '4.jpg'))).mtimeMs).toBe(before.mtimeMs);
    expect(await listQuarantine()).toEqual([]);
    await rm(c.folder, { recursive: true });
  });

  test('shares blocks where the file system can, and leaves the files elsewhere', async () => {
    await plans.configure('share-blocks');
    const before = await readFile(join(b.folder, '1.jpg'));
    const apply = await plans.apply(plan);
    expect(apply).toMatchObject({ status: 'completed', failed: 0 });
    const after = (await plans.read()).plan;
    const problems = listCopies(after).map(({ problem }) => problem);
    expect(apply.reclaimedBytes).toBe(problems[0] === null ? 23 : 0);
    expect([null, 'The file system cannot share blocks']).toContain(problems[0]!);
    expect(await readFile(join(b.folder, '1.jpg'))).toEqual(before);
    expect(await listFolder()).toEqual(['1.jpg', '2.jpg', '3.jpg', '4.jpg']);
  });
});

describe('the quarantine', () => {
  const after = (days: number) => new Date(NOW.getTime() + days * DAY_MS);

  test('is emptied after 30 days, if the retained file still has the bytes', async () => {
    await plans.configure('quarantine');
    const { id } = await plans.apply(plan);
    await plans.purge(after(29));
    expect(await listQuarantine()).toHaveLength(2);
    await writeFile(join(a.folder, 'two.jpg'), 'OTHER bytes!');
    await plans.purge(after(31));
    expect(await listQuarantine()).toEqual([getCopy('2.jpg').id]);
    expect((await plans.read()).applies).toMatchObject([{ id, reclaimedBytes: 11 }]);
    await writeFiles(a.folder, { 'two.jpg': 'other bytes!' });
    await plans.purge(after(31));
    expect(await listQuarantine()).toEqual([]);
    expect((await plans.restore(id, [getCopy('1.jpg').id])).status).toBe(409);
  });

  test('keeps a file that was changed while it was moved', async () => {
    await plans.configure('quarantine');
    await plans.apply(plan);
    const path = join(database.deps.paths.removed, 'copies', getCopy('1.jpg').id);
    await writeFile(path, 'FIRST bytes');
    await plans.purge(after(31));
    expect(await listQuarantine()).toEqual([getCopy('1.jpg').id]);
  });
});

describe('a retained file', () => {
  test('that is gone is replaced by a copy that was left', async () => {
    await plans.configure();
    await plans.apply(plan);
    await unlink(join(a.folder, 'one.jpg'));
    await plans.scan(a);
    await call(app, `POST /libraries/${a.libraryId}/missing/confirm`, { as: admin });
    await runLibraryJobs(database);
    expect(await findReadPath('1.jpg')).toBe(join(b.folder, '1.jpg'));
    expect(await readItem('1.jpg')).toEqual([200, 'first bytes']);
    // The item depends on its own file again.
    const [file] = await database.sql`
      select is_released from library_file where path = ${join(b.folder, '1.jpg')}`;
    expect(file!['is_released']).toBe(false);
  });

  test('whose library is deleted is replaced by a copy that was left', async () => {
    await plans.configure();
    await plans.apply(plan);
    await call(app, `DELETE /libraries/${a.libraryId}`, { as: admin });
    await runLibraryJobs(database);
    expect(await findReadPath('1.jpg')).toBe(join(b.folder, '1.jpg'));
    expect(await readItem('1.jpg')).toEqual([200, 'first bytes']);
    expect(await database.sql`select from library_file where is_released`).toHaveLength(0);
  });
});
