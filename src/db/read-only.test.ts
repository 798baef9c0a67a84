import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { sql as raw } from 'drizzle-orm';
import { type DatabaseProxy, startDatabaseProxy } from '../../test/support/database-proxy.ts';
import { useDatabase } from '../../test/support/database.ts';
import { call, seed, testApp, type TestUser } from '../../test/support/harness.ts';
import { until } from '../../test/support/until.ts';
import { changeAddress } from '../core/postgres-url.ts';
import { withRetriedReads } from '../http/retry.ts';
import { isMachineFault } from '../jobs/machine-faults.ts';
import { type Database, openDatabase } from './client.ts';
import { isDatabaseError } from './errors.ts';

// A server that takes no writes now, ends sessions or has no connection left: an outage, and nobody's fault.

const database = await useDatabase();
let name: string;
let proxy: DatabaseProxy;
let pool: Database;
let user: TestUser;
beforeAll(async () => {
  const [row] = await database.sql`select current_database() as name`;
  name = row!['name'];
  proxy = await startDatabaseProxy(name);
});
beforeEach(async () => {
  pool = openDatabase(proxy.url, { max: 2 });
  user = await seed(database).user();
});
afterEach(() => pool.close());
afterAll(() => proxy.stop());

const openApp = () => testApp(database, { db: pool.db, sql: pool.sql });
const createAlbum = (app: ReturnType<typeof openApp>) =>
  call(app, 'POST /albums', { as: user, body: { albumName: 'one' } });
const getError = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => undefined,
    (error: unknown) => error,
  );

test('a server that becomes read-only is read; writes get 503 until it is not, with nothing lost', async () => {
  const app = openApp();
  // Connections that are opened meanwhile stay read-only: the pool of the other tests opens none.
  const control = openDatabase(database.deps.settings.databaseUrl!, { max: 1 });
  const acceptWrites = () =>
    control.sql.begin('read write', (tx) =>
      tx.unsafe(`alter database ${name} reset default_transaction_read_only`),
    );
  await using _ = {
    async [Symbol.asyncDispose]() {
      await acceptWrites();
      await control.close();
    },
  };
  await control.sql.unsafe(`alter database ${name} set default_transaction_read_only = on`);
  for (let round = 0; round < 3; round++) {
    expect((await call(app, 'GET /albums', { as: user })).body).toEqual([]);
    const { status, headers } = await createAlbum(app);
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
  }
  const error = await getError(pool.sql`insert into change_mark default values`);
  expect(isDatabaseError(error, 'connectionFailure')).toBe(true);
  // A job that meets it waits, and has used no attempt.
  expect(isMachineFault(error)).toBe(true);
  await acceptWrites();
  // The connections of before are gone: each refused a write.
  await until(async () => (await createAlbum(app)).status === 201);
  expect((await call(app, 'GET /albums', { as: user })).body).toHaveLength(1);
});

test('a transaction that was refused ends, and its connection with it', async () => {
  const sql = pool.sql;
  const getPid = async () => (await sql`select pg_backend_pid() as pid`)[0]!['pid'] as number;
  const pids = new Set(await Promise.all([getPid(), getPid()]));
  const refused = await getError(
    pool.db.transaction(async (tx) => {
      await tx.execute(raw`set transaction read only`);
      const [row] = await tx.execute(raw`select pg_backend_pid() as pid`);
      await tx.execute(raw`select pg_advisory_xact_lock(1)`);
      pids.clear();
      pids.add(row!['pid'] as number);
      await tx.execute(raw`create table never (id int)`);
    }),
  );
  expect(isDatabaseError(refused, 'connectionFailure')).toBe(true);
  const now = await Promise.all(Array.from({ length: 20 }, getPid));
  for (const pid of pids) expect(now).not.toContain(pid);
  expect(await database.sql`select to_regclass('never') as name`).toMatchObject([{ name: null }]);
});

/** Ends all sessions of the pool when one of them waits for a lock. */
async function terminateWaiting(): Promise<void> {
  await until(async () => {
    const waiting = await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return waiting.length > 0;
  });
}

test('a read whose session is ended is tried again; a write gets 503, and nothing of it remains', async () => {
  const app = openApp();
  const fetch = withRetriedReads((request) => app.handle(request));
  const locked = await database.sql.reserve();
  const ask = (method: string, body?: object) =>
    Promise.resolve(
      fetch(
        new Request('http://localhost/api/albums', {
          method,
          headers: { 'x-api-key': user.key, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        }),
      ),
    );
  for (const [method, status] of [
    ['GET', 200],
    ['POST', 503],
  ] as const) {
    await locked`begin`;
    await locked`lock table album in access exclusive mode`;
    const answering = ask(method, method === 'POST' ? { albumName: 'never' } : undefined);
    await terminateWaiting();
    await locked`rollback`;
    expect([method, (await answering).status]).toEqual([method, status]);
  }
  locked.release();
  expect(await (await ask('GET')).json()).toEqual([]);
});

test('a read is not tried a third time', async () => {
  const app = openApp();
  let tries = 0;
  await proxy.close();
  const fetch = withRetriedReads((request) => {
    tries += 1;
    return app.handle(request);
  });
  const url = 'http://localhost/api/albums';
  const response = await fetch(new Request(url, { headers: { 'x-api-key': user.key } }));
  await proxy.open();
  expect([response.status, tries]).toEqual([503, 2]);
});

test('a server that has no connection left is away for a moment', async () => {
  const role = `few_${process.pid}`;
  await database.sql.unsafe(
    `create role ${role} login connection limit 1;
     grant pg_read_all_data, pg_write_all_data to ${role}`,
  );
  const address = changeAddress(database.deps.settings.databaseUrl!, { user: role });
  const [first, second] = [openDatabase(address, { max: 1 }), openDatabase(address, { max: 1 })];
  try {
    await first.sql`select 1`;
    const app = testApp(database, { db: second.db, sql: second.sql });
    const { status, headers } = await call(app, 'GET /albums', { as: user });
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    await first.close();
    await until(async () => (await call(app, 'GET /albums', { as: user })).status === 200);
  } finally {
    await Promise.all([first.close(), second.close()]);
    await database.sql.unsafe(`drop owned by ${role}; drop role ${role}`);
  }
});
