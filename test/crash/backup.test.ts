import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { handleBackUpDatabase } from '../../src/areas/database-backups/handlers.ts';
import { type TestDatabase, testDatabase } from '../support/harness.ts';
import { jobCtx } from '../support/processing.ts';
import { until } from '../support/until.ts';
import { bundle } from './bundle.ts';

let database: TestDatabase;
let script: string;
beforeAll(async () => {
  script = await bundle(join(import.meta.dir, 'backup-child.ts'));
  database = await testDatabase();
  // Random bytes, which pg_dump cannot compress: it takes a while.
  await database.sql`create table ballast as
    select gen_random_uuid() as id, sha512(gen_random_uuid()::text::bytea) as bytes
    from generate_series(1, 300000)`;
});
afterAll(() => database.close());

test('a backup that is killed in the middle leaves the old ones, and the next one cleans up', async () => {
  const folder = database.deps.paths.backups;
  mkdirSync(folder, { recursive: true });
  const old = 'safelight-scheduled-20260101T020000Z.dump';
  writeFileSync(join(folder, old), 'old');
  const list = () => readdirSync(folder).sort();
  const url = database.deps.settings.databaseUrl!;
  const child = Bun.spawn([process.execPath, script, url, folder], { stderr: 'inherit' });
  await until(() => list().some((name) => name.endsWith('.partial')));
  child.kill('SIGKILL');
  await child.exited;
  expect(list().filter((name) => name.endsWith('.dump'))).toEqual([old]);
  expect(readFileSync(join(folder, old), 'utf8')).toBe('old');

  const effect = await handleBackUpDatabase(jobCtx(database), {});
  await database.db.transaction(async (tx) => void (await effect!(tx)));
  expect(list()).toEqual([old, 'safelight-scheduled-20260102T030405Z.dump']);
});
