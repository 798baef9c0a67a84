import { randomBytes } from 'node:crypto';
import type { Sql } from 'postgres';
import { changeAddress, getDatabaseName } from '../core/postgres-url.ts';
import { withConnection } from './databases.ts';
import { getSqlState } from './errors.ts';
import { getRow } from './query.ts';

// Rows of a dump are read by a role of their own, which may add rows to one database and nothing else: it
// is no superuser, owns nothing, and runs neither programs nor reads files of the server.

/** The end of its name, which begins with that of the database. */
const ENDING = '_loader';

/** Held while roles change: two at once would change the same rows of the catalog. */
const LOCK_KEY = 7_203_004;

/**
 * Runs the work with an address at which that role fills this database, whose tables have neither triggers
 * nor indexes yet. Where we are no superuser, we have none of those rights ourselves, and the address is ours.
 */
export async function withLoader<T>(
  admin: Sql,
  url: string,
  work: (loaderUrl: string) => Promise<T>,
): Promise<T> {
  const me = getRow(await admin`select rolsuper from pg_roles where rolname = current_user`);
  if (!me['rolsuper']) return work(url);
  const database = getDatabaseName(url);
  const role = toRole(database);
  const password = randomBytes(24).toString('hex');
  let closed: readonly string[] = [];
  await changeRoles(admin, async () => {
    await admin`drop role if exists ${admin(role)}`;
    await admin.unsafe(
      `create role ${quote(role)} login nosuperuser nocreatedb nocreaterole noinherit noreplication
        connection limit 2 password '${password}'`,
    );
    closed = await closeToOthers(admin, database);
    await admin`grant connect on database ${admin(database)} to ${admin(role)}`;
  });
  try {
    await withConnection(
      url,
      (sql) => sql`grant insert, truncate on all tables in schema public to ${sql(role)}`,
    );
    return await work(await toLoaderUrl(url, role, password));
  } finally {
    await dropRole(admin, url, role).catch(() => {});
    for (const name of closed) {
      await admin`grant connect, temporary on database ${admin(name)} to public`.catch(() => {});
    }
  }
}

/** Drops the role of a database that is gone, which a process that was killed has left. */
export async function dropLeftRole(admin: Sql, database: string): Promise<void> {
  const role = toRole(database);
  const [found] = await admin`select from pg_roles where rolname = ${role}`;
  if (found) await admin`drop role ${admin(role)}`;
}

const toRole = (database: string): string => `${database}${ENDING}`;

/**
 * Takes from everybody, whom it is granted to by default, the right to connect to the other databases that are ours.
 * Returns their names.
 */
async function closeToOthers(admin: Sql, database: string): Promise<string[]> {
  const [other] = await admin`select from pg_roles where rolcanlogin
    and rolname <> current_user and right(rolname, ${ENDING.length}) <> ${ENDING} limit 1`;
  // Another account of this server may rely on it.
  if (other) return [];
  const current = database.replace(/_(?:next|drill)$/, '');
  const rows = await admin<{ name: string }[]>`select datname as name from pg_database
    where has_database_privilege('public', oid, 'connect')
      and (datname in ('postgres', 'template1', ${current}) or starts_with(datname, ${`${current}_`}))`;
  for (const { name } of rows) {
    await admin`revoke connect, temporary on database ${admin(name)} from public`;
  }
  return rows.map(({ name }) => name);
}

async function dropRole(admin: Sql, url: string, role: string): Promise<void> {
  await withConnection(
    url,
    (sql) => sql`revoke all on all tables in schema public from ${sql(role)}`,
  );
  await changeRoles(admin, async () => {
    await admin`revoke all on database ${admin(getDatabaseName(url))} from ${admin(role)}`;
    await admin`drop role ${admin(role)}`;
  });
}

async function changeRoles(admin: Sql, work: () => Promise<void>): Promise<void> {
  await admin`select pg_advisory_lock(${LOCK_KEY})`;
  try {
    await work();
  } finally {
    await admin`select pg_advisory_unlock(${LOCK_KEY})`;
  }
}

const INVALID_AUTHORIZATION = '28';

/** A server may let in only accounts that its owner has listed: then the role is taken after the login. */
async function toLoaderUrl(url: string, role: string, password: string): Promise<string> {
  const own = changeAddress(url, { user: role, password });
  try {
    await withConnection(own, (sql) => sql`select`);
    return own;
  } catch (error) {
    if (!getSqlState(error)?.startsWith(INVALID_AUTHORIZATION)) throw error;
    return changeAddress(url, { role });
  }
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
