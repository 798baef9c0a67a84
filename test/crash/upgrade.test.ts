import { afterEach, beforeAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { FAULT_POINTS } from '../../src/core/fault-points.ts';
import { connect } from '../../src/db/address.ts';
import { reopenAbandoned } from '../../src/db/databases.ts';
import { listPendingMigrations } from '../../src/db/migrate.ts';
import { dropReplaced, listReplaced } from '../../src/maintenance/replacement.ts';
import { upgradeDatabase } from '../../src/maintenance/upgrade.ts';
import { createDatabase, dropDatabase, toDatabaseUrl } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { bundle } from './bundle.ts';

setDefaultTimeout(600_000);

const EXTRA = { name: '9999_extra', sql: 'create table extra (id int)' };
const wanted = [...migrations, EXTRA];
let script: string;
let name: string;
let url: string;
beforeAll(async () => {
  script = await bundle(join(import.meta.dir, 'upgrade-child.ts'));
});
beforeEach(async () => {
  name = await createDatabase('upgrade');
  url = toDatabaseUrl(name);
});
afterEach(async () => {
  await dropReplaced(url, new Date('2100-01-01'));
  await dropDatabase(name);
});

async function read<T>(work: (sql: ReturnType<typeof connect>) => Promise<T>): Promise<T> {
  const sql = connect(url, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}
function isBusy(error: Error): false {
  if (!error.message.includes('is being replaced')) throw error;
  return false;
}
const upgrade = () =>
  upgradeDatabase({
    url,
    now: new Date(),
    diskFolder: undefined,
    check: async () => {},
    onTask: () => {},
    wanted,
  });

test.each(FAULT_POINTS.upgrade)(
  'a database whose upgrade was killed at %s is the old one or the new one, and is upgraded',
  async (point) => {
    await read((sql) => sql`insert into app_user (email, name) values ('ada@example.org', 'Ada')`);
    const child = Bun.spawn([process.execPath, script, url, point], { stderr: 'inherit' });
    await child.exited;
    expect(child.signalCode).toBe('SIGKILL');
    // The session of the killed process may live for a moment longer.
    await until(() => reopenAbandoned(url).then(() => true, isBusy));
    const pending = await read((sql) => listPendingMigrations(sql, wanted));
    expect(pending).toEqual(point === 'upgrade.swapped' ? [] : wanted.slice(-1));
    if (pending.length > 0) await upgrade();
    expect(await read((sql) => listPendingMigrations(sql, wanted))).toEqual([]);
    expect(await read((sql) => sql`select name from app_user`)).toHaveLength(1);
    expect(await listReplaced(url)).toHaveLength(1);
  },
);
