import { beforeEach, expect, test } from 'bun:test';
import { rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { originalPath } from '../../src/storage/stored-file.ts';
import { useApp } from '../support/database.ts';
import { toSha256 } from '../support/forms.ts';
import { seed, type TestUser } from '../support/harness.ts';
import {
  createDeduplication,
  listCopies,
  removeHouseholds,
} from '../support/physical-deduplication.ts';
import { addFile } from '../support/processing.ts';

// Files of external libraries that another program changes between a scan, the preview of a deduplication and its review.

const { database, app } = await useApp();
let admin: TestUser;
let plans: ReturnType<typeof createDeduplication>;
beforeEach(async () => {
  await removeHouseholds(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
  plans = createDeduplication(database, app, admin);
});

const reviewNewest = async () => {
  const plan = await plans.preview();
  const decisions = listCopies(plan).map(({ id }) => ({ copyId: id, decision: 'approve' }));
  const { status } = await plans.review({
    planId: plan.id,
    fingerprint: plan.fingerprint,
    decisions,
  });
  return { paths: listCopies(plan).map(({ path }) => path), status };
};

test.each<[string, (path: string) => Promise<unknown>]>([
  ['written to', (path) => writeFile(path, 'other byte')],
  ['deleted', (path) => rm(path)],
  ['touched', (path) => utimes(path, 1_600_000_000, 1_600_000_000)],
  [
    'replaced by a link',
    (path) => rename(path, `${path}.old`).then(() => symlink(`${path}.old`, path)),
  ],
])(
  '459: a copy that is %s is in no new preview, and the others can be reviewed',
  async (_what, change) => {
    await plans.addHousehold({ 'one.jpg': 'same bytes' });
    const b = await plans.addHousehold({ 'two.jpg': 'same bytes', 'three.jpg': 'same bytes' });
    expect((await reviewNewest()).paths).toHaveLength(2);
    await change(join(b.folder, 'two.jpg'));
    const { paths, status } = await reviewNewest();
    expect(status).toBe(200);
    expect(paths).not.toContain(join(b.folder, 'two.jpg'));
    expect(paths).toHaveLength(1);
  },
);

test('460: a file in our store that is damaged is no reason to delete copies of it', async () => {
  const b = await plans.addHousehold({
    'copy.jpg': 'same bytes',
    'x.jpg': 'others',
    'y.jpg': 'others',
  });
  const bytes = Buffer.from('same bytes');
  await addFile(database, { name: 'up.jpg', bytes }, { ownerId: admin.id });
  await database.sql`update original set path = null, size = 10 where sha256 = ${toSha256(bytes)}`;
  expect((await reviewNewest()).paths).toHaveLength(2);
  await writeFile(originalPath(database.deps.paths, toSha256(bytes)), 'cut');
  const { paths, status } = await reviewNewest();
  expect(status).toBe(200);
  expect(paths).not.toContain(join(b.folder, 'copy.jpg'));
  expect(paths).toHaveLength(1);
});
