import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdir, readdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { guardPath } from '../../../core/guarded-path.ts';
import { run } from '../../../../test/fixtures/index.ts';
import { randomFileBytes, toSha1Hex } from '../../../../test/support/forms.ts';
import {
  createCtx,
  createSession,
  seed,
  type TestDatabase,
  testDatabase,
} from '../../../../test/support/harness.ts';
import { openImportFolder } from '../../../../test/support/imports.ts';
import { computeLocalDigest, publishLocalFile } from './local-file.domain.ts';

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof openImportFolder>>;
let root: string;
beforeAll(async () => {
  database = await testDatabase();
  folder = await openImportFolder();
  root = await realpath(folder.path);
});
afterAll(async () => {
  await folder.remove();
  await database.close();
});

test('returns the digest of a regular file, and refuses links, pipes and folders', async () => {
  const bytes = randomFileBytes(3_000_000);
  await folder.write({ 'real/a.jpg': bytes });
  await symlink(join(root, 'real'), join(root, 'linked'));
  await symlink(join(root, 'real/a.jpg'), join(root, 'link.jpg'));
  run('mkfifo', join(root, 'pipe.jpg'));
  await mkdir(join(root, 'folder.jpg'));

  const compute = (name: string) => computeLocalDigest(guardPath(join(root, name)));
  const found = await compute('real/a.jpg');
  expect(found).toMatchObject({ sha1: toSha1Hex(bytes), size: 3_000_000 });
  for (const name of ['linked/a.jpg', 'link.jpg', 'pipe.jpg', 'folder.jpg']) {
    await expect(compute(name)).rejects.toThrow(/symbolic link|no regular file/);
  }
  await expect(compute('gone.jpg')).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a file that has another digest than before is not published', async () => {
  const user = await seed(database).user();
  const path = join(root, 'b.jpg');
  await writeFile(path, randomFileBytes());
  const { sha1 } = await computeLocalDigest(path);
  await writeFile(path, randomFileBytes());
  const ctx = createCtx(database, createSession(user.id));
  const file = { path, fileName: 'b.jpg', type: 'IMAGE', createdAt: new Date(), sha1 } as const;
  await expect(publishLocalFile(ctx, user.id, file, async () => {})).rejects.toThrow('changed');
  expect(await database.sql`select 1 from asset`).toHaveLength(0);
  expect(await readdir(database.deps.paths.incoming)).toEqual([]);
});
