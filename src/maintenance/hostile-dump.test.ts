import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import {
  chmodSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, dropDatabase, toDatabaseUrl } from '../../test/support/harness.ts';
import { createRandom } from '../../test/support/random.ts';
import { createEmpty, listDatabases, withAdmin, withConnection } from '../db/databases.ts';
import { dumpDatabase, restoreOwnDump } from '../db/dump.ts';
import { migrate } from '../db/migrate.ts';
import { runRestoreDrill } from './drill.ts';
import { restoreBackup, withDump } from './restore.ts';

// A dump can be uploaded: all of it is a stranger's. Each of these creates a file where PostgreSQL runs it.

setDefaultTimeout(300_000);

let folder: string;
let name: string;
let url: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hostile-'));
  // The server may run as another user.
  chmodSync(folder, 0o777);
  name = await createDatabase('hostile');
  url = toDatabaseUrl(name);
  await run(url, `insert into app_user (email, name) values ('ada@example.org', 'Ada')`);
});
afterEach(async () => {
  await withAdmin(url, async (admin) => {
    for (const found of await listDatabases(admin, name)) await dropDatabase(found);
  });
  rmSync(folder, { recursive: true, force: true });
});

const run = (address: string, statements: string) =>
  withConnection(address, (sql) => sql.unsafe(statements));
const listNames = async () =>
  (await withConnection(url, (sql) => sql`select name from app_user order by name`)).map(
    (row) => row['name'] as string,
  );

const marker = () => join(folder, 'ran');
const hasRun = () => readdirSync(folder).includes('ran');
/** Functions that run a command; one pretends to be immutable. */
const createFunctions = () => `
  create function evil() returns text language plpgsql volatile as $$ begin
    copy (select 1) to program 'cat >${marker()}'; return 'x'; end $$;
  create function evil(text) returns text language plpgsql immutable as $$ begin
    return public.evil(); end $$;
  create function evil_trigger() returns trigger language plpgsql security definer as $$ begin
    perform public.evil(); return new; end $$;
  create function evil_event() returns event_trigger language plpgsql as $$ begin
    perform public.evil(); end $$;`;

/** Writes a dump of this library with these additions, and returns its path. */
async function writeDump(statements = ''): Promise<string> {
  const copy = `${name}_other`;
  const file = join(folder, 'hostile.dump');
  await withAdmin(url, async (admin) => {
    await admin`create database ${admin(copy)} template ${admin(name)}`;
    await run(toDatabaseUrl(copy), statements);
    await dumpDatabase(toDatabaseUrl(copy), file);
  });
  await dropDatabase(copy);
  rmSync(marker(), { force: true });
  return file;
}

/** Replaces text of an archive by text of the same length. */
function patch(file: string, from: RegExp, to: string): void {
  const text = readFileSync(file, 'latin1');
  const [found] = from.exec(text) ?? [];
  expect(found?.length).toBeGreaterThanOrEqual(to.length);
  writeFileSync(
    file,
    text.replace(found!, () => to.padEnd(found!.length)),
    'latin1',
  );
}

const now = new Date('2026-01-02T03:04:05Z');
const options = (file: string, dump: number) => ({ url, file, dump, now, diskFolder: undefined });
const restore = (file: string) => withDump(file, (dump) => restoreBackup(options(file, dump)));
const drill = (file: string) =>
  withDump(file, (dump) => runRestoreDrill({ ...options(file, dump), folder }));

/** It is refused for this reason, and nothing has changed. */
async function expectRefusal(
  file: string,
  reason: string | RegExp,
  work: (file: string) => Promise<unknown> = restore,
): Promise<void> {
  const before = await listNames();
  await expect(work(file)).rejects.toThrow(reason);
  expect(hasRun()).toBe(false);
  expect(await listNames()).toEqual(before);
  await withAdmin(url, async (admin) => {
    expect(await listDatabases(admin, name)).toEqual([name]);
    expect(await admin`select rolname from pg_roles where starts_with(rolname, ${name})`).toEqual(
      [] as never,
    );
  });
}

/** Lets pg_restore run the same file, as a superuser: without it, a refusal would show nothing. */
async function runWithPgRestore(file: string): Promise<void> {
  const target = `${name}_target`;
  await withAdmin(url, (admin) => createEmpty(admin, target));
  await restoreOwnDump(toDatabaseUrl(target), openSync(file, 'r')).catch(() => {});
}

const ADDITIONS: Readonly<Record<string, string>> = {
  'a materialized view': `create materialized view evil as select evil() as x`,
  'a trigger': `create trigger evil before insert on tag for each row execute function evil_trigger()`,
  'an event trigger': `create event trigger evil on ddl_command_end execute function evil_event()`,
  'a default': `alter table tag alter column color set default evil()`,
  'an index': `create index evil on app_user (evil(name))`,
  'a check': `alter table app_user add check (evil(name) is not null)`,
  'a type': `create type evil as enum ('a')`,
  'an extension': `create extension dblink`,
  'a large object': `select lo_from_bytea(0, 'evil')`,
};

test.each(Object.keys(ADDITIONS))('a dump with %s is refused', async (kind) => {
  const file = await writeDump(`${createFunctions()}; ${ADDITIONS[kind]}`);
  await expectRefusal(file, /holds something that Safelight does not make: \w/);
});

test('a dump in which a table has another definition has no effect but its rows', async () => {
  const file = await writeDump(`
    ${createFunctions()};
    create or replace function read_album(id uuid) returns setof album_count language plpgsql as $$
      begin perform evil(); end $$;
    alter table app_user alter column name set default 'evil';
    drop function evil() cascade; drop function evil(text) cascade; drop function evil_trigger() cascade;
    drop function evil_event() cascade;
    update app_user set name = 'Grace'`);
  await restore(file);
  const [row] = await withConnection(
    url,
    (sql) => sql`select prosrc from pg_proc where proname = 'read_album'`,
  );
  expect(row!['prosrc']).not.toContain('evil');
  expect([await listNames(), hasRun()]).toEqual([['Grace'], false]);
});

// Statements of an archive, which pg_restore sends as they are. They are replaced in the file.
const COPY_USERS = /COPY public\.app_user \([^)]*\) FROM stdin;\n/;
const PATCHES: Readonly<Record<string, () => [from: RegExp, to: string]>> = {
  'reads rows from a program': () => [
    COPY_USERS,
    `COPY public.app_user (name) FROM PROGRAM 'touch ${marker()}';\n`,
  ],
  'has a statement before its rows': () => [
    COPY_USERS,
    `COPY (SELECT 1) TO PROGRAM 'touch ${marker()}';\n`,
  ],
  'changes a role': () => [COPY_USERS, `ALTER ROLE current_user NOSUPERUSER;\n`],
  'has a command for psql': () => [COPY_USERS, `\\! touch ${marker()}\n`],
  'fills a table of the catalog': () => [
    COPY_USERS,
    'COPY pg_catalog.pg_authid (rolname) FROM stdin;\n',
  ],
  'has a statement where a sequence is set': () => [
    /SELECT pg_catalog\.setval\('public\.\w+', [^;]*;\n/,
    'ALTER ROLE current_user CREATEDB;\n',
  ],
};

test.each(Object.keys(PATCHES))('an archive that %s is refused', async (kind) => {
  const file = await writeDump();
  patch(file, ...PATCHES[kind]!());
  await expectRefusal(file, 'The dump holds a statement among its rows', drill);
});

test('the same statements run where pg_restore has a connection', async () => {
  for (const kind of ['a materialized view', 'an index', 'a check']) {
    await runWithPgRestore(await writeDump(`${createFunctions()}; ${ADDITIONS[kind]}`));
    expect([kind, hasRun()]).toEqual([kind, true]);
  }
  const other = await writeDump();
  patch(other, ...PATCHES['reads rows from a program']!());
  await runWithPgRestore(other);
  expect(hasRun()).toBe(true);
});

test('a column or a table that the schema lacks is refused, and rows that break a rule', async () => {
  const file = await writeDump();
  patch(file, /COPY public\.app_user \(/, 'COPY public.app_usex (');
  await expectRefusal(file, 'which the schema does not have');
  const other = await writeDump('alter table tag drop constraint tag_owner_id_fkey;' + TAG);
  await expectRefusal(other, 'tag_owner_id_fkey');
});
const TAG = `insert into tag (owner_id, value) values (gen_random_uuid(), 'Trip')`;

test('what Safelight does not make can be left out, and does not run then either', async () => {
  const additions = Object.entries(ADDITIONS).flatMap(([kind, sql]) =>
    kind === 'a type'
      ? []
      : [sql.replaceAll(' evil ', ` ${kind.replace(/^an? /, 'evil_').replaceAll(' ', '_')} `)],
  );
  const file = await writeDump(`${createFunctions()}; ${additions.join('; ')};
    create schema evil create table evil (id int); insert into evil.evil values (1);
    create table evil (id int); insert into evil values (1);
    alter event trigger evil_event_trigger disable;
    update app_user set name = 'Grace'`);
  await withDump(file, (dump) => restoreBackup({ ...options(file, dump), ignoresForeign: true }));
  expect([await listNames(), hasRun()]).toEqual([['Grace'], false]);
  const found = await withConnection(
    url,
    (sql) => sql`select relname as name from pg_class where relname like 'evil%'
      union all select proname from pg_proc where proname like 'evil%'`,
  );
  expect(found.map((row) => row['name'] as string)).toEqual([]);
});

test('an account that is no superuser restores a backup of its database', async () => {
  const role = `${name}_owner`;
  const owned = `${name}_owned`;
  const own = Object.assign(new URL(toDatabaseUrl(owned)), { username: role }).href;
  await withAdmin(url, async (admin) => {
    await admin`create role ${admin(role)} login createdb`;
    await admin`grant connect on database postgres to ${admin(role)}`;
    await admin`create database ${admin(owned)} owner ${admin(role)}`;
  });
  await withConnection(own, (sql) => migrate(sql));
  await run(own, `insert into app_user (email, name) values ('ada@example.org', 'Ada')`);
  const file = join(folder, 'own.dump');
  await dumpDatabase(own, file);
  await run(own, `update app_user set name = 'Grace'`);
  await withDump(file, (dump) => restoreBackup({ ...options(file, dump), url: own }));
  const names = await withConnection(own, (sql) => sql`select name from app_user`);
  expect(names.map((row) => row['name'] as string)).toEqual(['Ada']);
  await withAdmin(url, async (admin) => {
    for (const found of await listDatabases(admin, owned)) await dropDatabase(found);
    await admin`revoke connect on database postgres from ${admin(role)}`;
    await admin`drop role ${admin(role)}`;
  });
});

test('variables of PostgreSQL in the environment do not reach its tools', async () => {
  process.env['PGOPTIONS'] = '-c role=nobody_at_all';
  try {
    await restore(await writeDump());
  } finally {
    delete process.env['PGOPTIONS'];
  }
  expect(await listNames()).toEqual(['Ada']);
});

test('text, garbage, a part of a dump and one of another schema are refused', async () => {
  const file = await writeDump();
  const bytes = readFileSync(file);
  writeFileSync(file, `\\! touch ${marker()}\n\\copy app_user to program 'touch ${marker()}'\n`);
  await expectRefusal(file, 'is not a dump of a Safelight database: it begins with');
  // The same each time: other bytes may list nothing by chance, which is another refusal.
  const random = createRandom(1);
  const garbage = Uint8Array.from({ length: 9_000 }, () => random.below(256));
  writeFileSync(file, Buffer.concat([bytes.subarray(0, 40), garbage]));
  // By the version of pg_restore.
  await expectRefusal(file, /The dump cannot be read|is not a dump of a Safelight database/);
  writeFileSync(file, bytes.subarray(0, bytes.length - 1000));
  await expectRefusal(file, /The dump (?:cannot be read|ends in the middle)/);
  const rename = (to: string) =>
    writeDump(`update schema_migration set name = '${to}' where name = '0032_studio_exports'`);
  await expectRefusal(
    await rename('9999_later'),
    'was made by a newer version (schema 9999_later)',
  );
  await expectRefusal(await rename('0002_assets'), 'was made by a development version');
  const edited = await writeDump(
    `update schema_migration set checksum = 'x' where name = '0001_identity'`,
  );
  await expectRefusal(edited, 'was made by a development version');
  await expectRefusal(
    await writeDump('drop table schema_migration'),
    'is not a dump of a Safelight',
  );
  await expectRefusal(
    await writeDump('delete from schema_migration'),
    'is not a dump of a Safelight',
  );
});
