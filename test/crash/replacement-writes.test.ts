import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../src/db/address.ts';
import { createEmpty, reopenAbandoned, toUrl, withConnection } from '../../src/db/databases.ts';
import { migrate } from '../../src/db/migrate.ts';
import { listReplaced, dropReplaced, replaceDatabase } from '../../src/maintenance/replacement.ts';
import { createDatabase, dropDatabase, toDatabaseUrl } from '../support/harness.ts';
import { until } from '../support/until.ts';

// Another process goes on writing while a database is replaced: a worker on another machine.

setDefaultTimeout(300_000);

let name: string;
let url: string;
let writer: Writer | undefined;
let owner: string | undefined;
beforeEach(async () => {
  name = await createDatabase('writes');
  url = toDatabaseUrl(name);
  await withConnection(
    url,
    (sql) => sql`insert into app_user (email, name) values ('ada@example.org', 'Ada')`,
  );
});
afterEach(async () => {
  await writer?.stop();
  writer = undefined;
  rmSync(join(tmpdir(), `${name}.log`), { force: true });
  await dropReplaced(url, new Date('2100-01-01'));
  await dropDatabase(name);
  if (owner)
    await withConnection(toDatabaseUrl('postgres'), async (sql) => {
      await sql`revoke all on database postgres from ${sql(owner!)}`;
      await sql`drop role ${sql(owner!)}`;
    });
  owner = undefined;
});

type Writer = ReturnType<typeof startWriter>;

/** It writes to a file: of a pipe, the reading by this process was seen to stop. */
function startWriter(address = url) {
  const script = join(import.meta.dir, 'writer-child.ts');
  const output = join(tmpdir(), `${name}.log`);
  const child = Bun.spawn([process.execPath, script, address], {
    stdio: ['ignore', Bun.file(output), 2],
  });
  const listLines = () => readFileSync(output, 'utf8').split('\n').slice(0, -1);
  const listWritten = () => listLines().filter((line) => line !== 'refused');
  const countRefused = () => listLines().length - listWritten().length;
  const untilMore = (count: () => number) => {
    const before = count();
    return until(() => count() > before + 20, 120_000);
  };
  return {
    listWritten,
    untilWrites: () => untilMore(() => listWritten().length),
    untilRefused: () => untilMore(countRefused),
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}

const listTags = (address = url): Promise<Set<string>> =>
  withConnection(address, async (sql) => {
    const rows = await sql<{ value: string }[]>`select value from tag`;
    return new Set(rows.map(({ value }) => value));
  });

/** Puts an empty database in its place. */
const replace = (check: () => Promise<void>) =>
  replaceDatabase({
    url,
    now: new Date(),
    async create(admin, next, nextUrl) {
      await createEmpty(admin, next);
      await withConnection(nextUrl, async (sql) => {
        await migrate(sql);
        await sql`insert into app_user (email, name) values ('eve@example.org', 'Eve')`;
      });
    },
    check,
  });

/** Nothing that the writer was told is written may be missing. */
async function expectComplete(ended: Writer): Promise<void> {
  await ended.stop();
  const kept = (await listReplaced(url)).map((one) => toUrl(url, one));
  const tags = new Set<string>();
  for (const address of [url, ...kept]) for (const tag of await listTags(address)) tags.add(tag);
  expect(ended.listWritten().filter((value) => !tags.has(value))).toEqual([]);
}

test('each write of another process is in one of both databases, or was refused', async () => {
  writer = startWriter();
  await writer.untilWrites();
  await replace(() => writer!.untilRefused());
  await writer.untilWrites();
  await expectComplete(writer);
});

test('a replacement that fails lets the other process go on with the old database', async () => {
  writer = startWriter();
  await writer.untilWrites();
  const check = async () => {
    await writer!.untilRefused();
    throw new Error('does not start');
  };
  await expect(replace(check)).rejects.toThrow('does not start');
  await writer.untilWrites();
  await expectComplete(writer);
});

test('the owner of a database, who is no superuser, replaces it beside a process that writes', async () => {
  const given = url;
  owner = `${name}_owner`;
  url = Object.assign(new URL(url), { username: owner }).href;
  await withConnection(given, async (sql) => {
    await sql`create role ${sql(owner!)} login createdb`;
    // A restore that another test makes on this server takes it from everybody meanwhile.
    await sql`grant connect on database postgres to ${sql(owner!)}`;
    await sql`alter database ${sql(name)} owner to ${sql(owner!)}`;
    await sql`grant all on all tables in schema public to public`;
  });
  writer = startWriter();
  await writer.untilWrites();
  const superuser = connect(given, { max: 1 });
  await superuser`select 1`;
  await expect(replace(async () => {})).rejects.toThrow('must be a superuser');
  await superuser.end();
  await writer.untilWrites();
  await replace(() => writer!.untilRefused());
  await writer.untilWrites();
  await expectComplete(writer);
});

test('a database that an interrupted replacement has left closed is opened, but not while one runs', async () => {
  await replace(async () => {
    await expect(reopenAbandoned(url)).rejects.toThrow('is being replaced');
  });
  const admin = connect(toDatabaseUrl('postgres'), { max: 1 });
  await admin`alter database ${admin(name)} with allow_connections false`;
  await expect(listTags()).rejects.toThrow('not currently accepting connections');
  await reopenAbandoned(url);
  expect((await listTags()).size).toBe(0);
  await admin.end();
});
