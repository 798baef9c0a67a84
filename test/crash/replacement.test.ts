import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { FAULT_POINTS } from '../../src/core/fault-points.ts';
import { reopenAbandoned, withConnection } from '../../src/db/databases.ts';
import { dumpDatabase } from '../../src/db/dump.ts';
import { dropReplaced, listReplaced } from '../../src/maintenance/replacement.ts';
import { createDatabase, dropDatabase, toDatabaseUrl } from '../support/harness.ts';
import { createMemoryFolder } from '../support/memory-folder.ts';
import { until } from '../support/until.ts';
import { bundle } from './bundle.ts';

setDefaultTimeout(600_000);

const folder = createMemoryFolder('replacement-');
const file = join(folder, 'all.dump');
let script: string;
let name: string;
let url: string;
beforeAll(async () => {
  script = await bundle(join(import.meta.dir, 'replacement-child.ts'));
});
beforeEach(async () => {
  name = await createDatabase('replacement');
  url = toDatabaseUrl(name);
});
afterEach(async () => {
  await dropReplaced(url, new Date('2100-01-01'));
  await dropDatabase(name);
  rmSync(file, { force: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const addAccount = (account: string) =>
  withConnection(
    url,
    (sql) =>
      sql`insert into app_user (email, name) values (${`${account}@example.org`}, ${account})`,
  );
const listAccounts = () =>
  withConnection(url, async (sql) =>
    (await sql`select name from app_user order by name`).map((row) => row['name'] as string),
  );
function isBusy(error: Error): false {
  if (!error.message.includes('is being replaced')) throw error;
  return false;
}

test.each(FAULT_POINTS.replacement)(
  'a database whose restore was killed at %s is the old one or the new one, and can be written',
  async (point) => {
    await addAccount('Ada');
    await dumpDatabase(url, file);
    await addAccount('Bob');
    const child = Bun.spawn([process.execPath, script, url, file, point], { stderr: 'inherit' });
    await child.exited;
    expect(child.signalCode).toBe('SIGKILL');
    // The session of the killed process may live for a moment longer.
    await until(() => reopenAbandoned(url).then(() => true, isBusy));
    const isNew = point === 'replacement.swapped';
    expect(await listAccounts()).toEqual(isNew ? ['Ada'] : ['Ada', 'Bob']);
    expect(await listReplaced(url)).toHaveLength(isNew ? 1 : 0);
    await addAccount('Eve');
  },
);
