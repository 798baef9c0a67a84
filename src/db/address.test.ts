import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, chmodSync, chownSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/postgres-js';
import { sql as raw } from 'drizzle-orm';
import { createMemoryFolder } from '../../test/support/memory-folder.ts';
import { until } from '../../test/support/until.ts';
import { silentLog } from '../core/log.ts';
import { connect, getAddress } from './address.ts';
import { cancelQueryOnAbort } from './cancel.ts';
import { startCluster } from './cluster.ts';
import { findNewestTool } from './tools.ts';

// A server that takes encrypted connections only.

setDefaultTimeout(120_000);

const folder = createMemoryFolder('address-test-');
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
const other = join(folder, 'other.pem');
let port: number;
let server: Bun.Subprocess | undefined;
beforeAll(async () => {
  await (await startCluster({ dataDir: folder, durability: 'none', log: silentLog })).stop();
  // Its user enters it.
  chmodSync(folder, 0o755);
  makeCertificate(cert, key);
  makeCertificate(other, join(folder, 'other-key.pem'));
  const cluster = join(folder, 'postgres');
  const { uid, gid } = statSync(cluster);
  for (const path of [cert, key]) chownSync(path, uid, gid);
  appendFileSync(join(cluster, 'pg_hba.conf'), '\nhostssl all all 127.0.0.1/32 trust\n');
  port = await findPort();
  server = Bun.spawn(
    [
      ...(process.getuid!() === 0
        ? [
            'setpriv',
            `--reuid=${uid}`,
            `--regid=${gid}`,
            '--clear-groups',
            '--pdeathsig',
            'KILL',
            '--',
          ]
        : []),
      join(findNewestTool('pg_dump'), '../postgres'),
      '-D',
      cluster,
      '-p',
      String(port),
      ...Object.entries({
        listen_addresses: '127.0.0.1',
        unix_socket_directories: '',
        ssl: 'on',
        ssl_cert_file: cert,
        ssl_key_file: key,
        fsync: 'off',
      }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] },
  );
  await until(() => answers('127.0.0.1', 'sslmode=require'));
});
afterAll(async () => {
  server?.kill('SIGQUIT');
  await server?.exited;
  rmSync(folder, { recursive: true, force: true });
});

function makeCertificate(path: string, keyPath: string): void {
  const names = ['-subj', '/CN=photos.example', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', keyPath, '-out', path];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  Bun.spawnSync(['openssl', 'req', ...kind, '-days', '2', ...names, ...files]);
  if (!existsSync(path)) throw new Error('openssl has made no certificate');
}

async function findPort(): Promise<number> {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}

const toAddress = (hosts: string, query: string) =>
  `postgres://safelight@${hosts.replaceAll('PORT', String(port))}/postgres?${query}`;

async function answers(host: string, query: string): Promise<boolean> {
  const sql = connect(toAddress(`${host}:PORT`, query), { max: 1, connect_timeout: 5 });
  try {
    await sql`select 1`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

test.each<[string, string, boolean]>([
  ['127.0.0.1', '', false],
  ['127.0.0.1', 'sslmode=prefer', true],
  ['127.0.0.1', 'sslmode=require', true],
  ['127.0.0.1', `sslmode=require&sslrootcert=${other}`, false],
  ['127.0.0.1', `sslmode=verify-ca&sslrootcert=${cert}`, true],
  ['127.0.0.1', `sslmode=verify-ca&sslrootcert=${other}`, false],
  ['127.0.0.1', `sslmode=verify-full&sslrootcert=${cert}`, false],
  ['localhost', `sslmode=verify-full&sslrootcert=${cert}`, true],
  ['localhost', `sslmode=verify-full&sslrootcert=${other}`, false],
  ['localhost', 'sslmode=verify-full', false],
])('%s?%s', async (host, query, isServed) => {
  expect(await answers(host, query)).toBe(isServed);
});

test('a pool, and what it opens beside, go to the host of several that answers, as safely', async () => {
  const free = await findPort();
  const address = toAddress(
    `127.0.0.1:${free},localhost:PORT`,
    `sslmode=verify-full&sslrootcert=${cert}&target_session_attrs=primary`,
  );
  const sql = connect(address, { max: 2, onnotice: () => {} });
  expect(getAddress(sql)).toBe(address);
  const abort = new AbortController();
  const db = cancelQueryOnAbort({ db: drizzle(sql), sql }, abort.signal);
  const sleeping = Promise.resolve(db.execute(raw`select pg_sleep(60)`));
  await until(
    async () =>
      (await sql`select from pg_stat_activity where query ~ '^select pg_sleep'`).length > 0,
  );
  abort.abort(new Error('no longer wanted'));
  await expect(sleeping).rejects.toThrow('no longer wanted');
  await sql.end({ timeout: 1 });
});
