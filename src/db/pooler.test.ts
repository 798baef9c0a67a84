import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../test/support/free-port.ts';
import { createDatabase, dropDatabase, toDatabaseUrl } from '../../test/support/harness.ts';
import { until } from '../../test/support/until.ts';
import { parsePostgresAddress } from '../core/postgres-url.ts';
import { connect } from './address.ts';
import { checkServer } from './server.ts';

// A server behind PgBouncer.

const folder = mkdtempSync(join(tmpdir(), 'pooler-'));
const poolers: Bun.Subprocess[] = [];
let database: string;
beforeAll(async () => {
  // PgBouncer does not run as root.
  chmodSync(folder, 0o777);
  database = await createDatabase('pooled');
});
afterAll(async () => {
  for (const child of poolers) {
    child.kill('SIGKILL');
    await child.exited;
  }
  await dropDatabase(database);
  rmSync(folder, { recursive: true, force: true });
});

/** Starts PgBouncer before the database of this file. Returns the URL. */
async function startPooler(mode: 'session' | 'transaction' | 'statement'): Promise<string> {
  const address = toDatabaseUrl(database);
  const { host, port: targetPort } = parsePostgresAddress(address).hosts[0]!;
  const owner = /^postgres(?:ql)?:\/\/([^@/]+)@/.exec(address)?.[1] ?? 'postgres';
  const port = findFreePort();
  const config = join(folder, `${mode}.ini`);
  writeFileSync(
    config,
    `[databases]
pooled = host=${host} port=${targetPort} dbname=${database} user=${owner}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = 4
ignore_startup_parameters = extra_float_digits,statement_timeout,options
`,
  );
  // Only the user of the server enters the folder of its socket.
  const { uid, gid } = statSync(host.startsWith('/') ? host : folder);
  const user =
    process.getuid!() === 0 ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : [];
  const command = ['setpriv', ...user, '--pdeathsig', 'KILL', '--', '/usr/sbin/pgbouncer', config];
  poolers.push(Bun.spawn(command, { stdio: ['ignore', 'ignore', 'ignore'] }));
  const url = `postgres://safelight@127.0.0.1:${port}/pooled`;
  await until(async () => {
    const sql = connect(url, { max: 1, connect_timeout: 1 });
    const isAnswering = await sql`select 1`.simple().then(
      () => true,
      () => false,
    );
    await sql.end({ timeout: 1 });
    return isAnswering;
  });
  return url;
}

test.each([
  ['transaction', 'to a pooler in session mode'],
  ['statement', 'The database cannot be reached'],
] as const)(
  'a pooler in %s mode is refused at the start, with the reason',
  async (mode, reason) => {
    await expect(checkServer(await startPooler(mode))).rejects.toThrow(reason);
  },
);

test('a pooler in session mode is used, and so is PostgreSQL itself', async () => {
  const facts = await checkServer(toDatabaseUrl(database));
  expect(await checkServer(await startPooler('session'))).toEqual(facts);
});
