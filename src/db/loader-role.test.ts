import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createDatabase, dropDatabase, toDatabaseUrl } from '../../test/support/harness.ts';
import { dropReplaced } from '../maintenance/replacement.ts';
import { listDatabases, toUrl, withAdmin, withConnection } from './databases.ts';
import { withLoader } from './loader-role.ts';

let name: string;
let url: string;
beforeEach(async () => {
  name = await createDatabase('loaded');
  url = toDatabaseUrl(`${name}_next`);
  await withAdmin(
    url,
    (admin) => admin`create database ${admin(`${name}_next`)} template ${admin(name)}`,
  );
});
afterEach(async () => {
  const names = await withAdmin(url, (admin) => listDatabases(admin, name));
  for (const one of names) await dropDatabase(one);
});

const run = (address: string, statement: string) =>
  withConnection(address, (sql) => sql.unsafe(statement));
const loadInto = (work: (address: string) => Promise<void>) =>
  withAdmin(url, (admin) => withLoader(admin, url, work));

const countRoles = async () =>
  (await withAdmin(url, (admin) => admin`select from pg_roles where starts_with(rolname, ${name})`))
    .length;

test('the role that reads the rows of a dump adds rows to one database, and nothing else', async () => {
  await loadInto(async (address) => {
    const [role] = await run(
      address,
      `select session_user as name, rolsuper, rolcreatedb, rolcreaterole, rolbypassrls
        from pg_roles where rolname = current_user and current_user = session_user`,
    );
    expect(role).toEqual({
      name: `${name}_next_loader`,
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolbypassrls: false,
    } as never);
    await run(address, `insert into app_user (email, name) values ('ada@example.org', 'Ada')`);
    const owner = decodeURIComponent(new URL(url).username);
    const refused = [
      'select from app_user',
      'delete from app_user',
      `update app_user set name = ''`,
      'drop table tag',
      'alter table tag add evil int',
      'create table evil (id int)',
      'create temporary table evil (id int)',
      'create schema evil',
      'create extension dblink',
      `create function evil() returns int language c as 'x', 'y'`,
      `copy (select 1) to program 'true'`,
      `copy tag (value) from program 'true'`,
      `copy tag (value) from '/etc/passwd'`,
      `select pg_read_file('/etc/passwd')`,
      `select lo_import('/etc/passwd')`,
      `set role "${owner}"`,
      `set session authorization "${owner}"`,
      `alter role current_user superuser`,
      `set session_replication_role = replica`,
      'alter system set work_mem = 1',
      `create database evil`,
      `alter database "${name}_next" set search_path = evil`,
    ];
    for (const statement of refused) {
      await expect(run(address, statement), statement).rejects.toThrow(
        /permission denied|must be (?:owner|superuser)|not allowed|denied to/,
      );
    }
    for (const other of [name, 'postgres', 'template1']) {
      await expect(run(toUrl(address, other), 'select'), other).rejects.toThrow(
        'permission denied for database',
      );
    }
  });
  expect(await countRoles()).toBe(0);
});

test('the role is gone after work that fails, and one that was left over is replaced', async () => {
  const fail = loadInto(async () => {
    throw new Error('the dump is broken');
  });
  await expect(fail).rejects.toThrow('the dump is broken');
  await withAdmin(url, (admin) => admin`create role ${admin(`${name}_next_loader`)} login`);
  let isReached = false;
  await loadInto(async () => void (isReached = true));
  expect(isReached).toBe(true);
  expect(await countRoles()).toBe(0);

  await withAdmin(url, (admin) => admin`create role ${admin(`${name}_next_loader`)} login`);
  expect(await dropReplaced(toDatabaseUrl(name), new Date(0))).toEqual([`${name}_next`]);
  expect(await countRoles()).toBe(0);
});

test('where we are no superuser, the address is our own', async () => {
  const role = `${name}_owner`;
  await withAdmin(url, async (admin) => {
    await admin`create role ${admin(role)} login`;
    try {
      await admin`grant connect on database ${admin(`${name}_next`)} to ${admin(role)}`;
      const own = Object.assign(new URL(url), { username: role }).href;
      const found = await withConnection(own, (sql) => withLoader(sql, own, async (one) => one));
      expect(found).toBe(own);
      await admin`revoke connect on database ${admin(`${name}_next`)} from ${admin(role)}`;
    } finally {
      await admin`drop role ${admin(role)}`;
    }
  });
});
