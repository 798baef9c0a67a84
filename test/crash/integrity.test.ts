import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { truncate, unlink } from 'node:fs/promises';
import type { App } from '../../src/app.ts';
import { originalPath } from '../../src/storage/stored-file.ts';
import { toSha256 } from '../support/forms.ts';
import {
  seed,
  type TestDatabase,
  testApp,
  testDatabase,
  type TestUser,
} from '../support/harness.ts';
import { createChecks } from '../support/integrity.ts';
import { addFile } from '../support/processing.ts';
import { until } from '../support/until.ts';
import { bundle } from './bundle.ts';

let database: TestDatabase;
let app: App;
let admin: TestUser;
let script: string;
beforeAll(async () => {
  script = await bundle(join(import.meta.dir, 'integrity-child.ts'));
  database = await testDatabase();
  app = testApp(database);
  admin = await seed(database).user(['all'], { isAdmin: true });
});
afterAll(() => database.close());

const startChild = () => {
  const { databaseUrl, dataDir } = database.deps.settings;
  return Bun.spawn([process.execPath, script, databaseUrl!, dataDir], { stderr: 'inherit' });
};
const getCheck = async () =>
  (await database.sql`select * from integrity_check where type = 'checksum_mismatch'`)[0]!;

test('a check that is killed again and again goes on from where it was, and finds everything once', async () => {
  const files: string[] = [];
  for (let n = 0; n < 150; n++) {
    const bytes = randomBytes(2 * 1024 ** 2);
    await addFile(database, { name: 'a.jpg', bytes }, { ownerId: admin.id });
    await database.sql`update original set size = ${bytes.length} where sha256 = ${toSha256(bytes)}`;
    files.push(originalPath(database.deps.paths, toSha256(bytes)));
  }
  files.sort();
  const damaged = [files[1]!, files[70]!, files[149]!];
  for (const path of damaged) await truncate(path, 1);
  await unlink(files[100]!);
  const checks = createChecks(database, app, admin);
  await checks.start('integrity-checksum-mismatch');

  let checked = 0;
  for (let kill = 0; kill < 2; kill++) {
    const child = startChild();
    await until(async () => Number((await getCheck())['checked']) > checked);
    child.kill('SIGKILL');
    await child.exited;
    const state = await getCheck();
    // Findings and progress are saved together.
    const seen = damaged.filter((path) => path.slice(-64) <= state['cursor']);
    expect(await checks.listPaths('checksum_mismatch')).toHaveLength(seen.length);
    checked = Number(state['checked']);
    expect(checked).toBeLessThan(files.length);
  }
  const { scan_id: scanId } = await getCheck();
  const { items } = await checks.read('checksum_mismatch');
  const child = startChild();
  await until(async () => (await getCheck())['completed_at'] !== null);
  child.kill('SIGKILL');
  await child.exited;
  const found = await checks.read('checksum_mismatch');
  expect(found.items).toHaveLength(3);
  expect(found.items.slice(0, items.length)).toEqual(items);
  expect(await database.sql`select distinct scan_id from integrity_report`).toEqual([
    { scan_id: scanId },
  ] as never);
});
