import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createDatabase, dropDatabase, toDatabaseUrl } from '../../test/support/harness.ts';
import { readArchive } from '../db/archive.ts';
import { listDatabases, withAdmin, withConnection } from '../db/databases.ts';
import { dumpDatabase } from '../db/dump.ts';
import { runRestoreDrill } from './drill.ts';
import { restoreBackup, withDump } from './restore.ts';

// Dumps in plain SQL, as people make them with pg_dump and as Immich names them. All of them is a stranger's.

setDefaultTimeout(300_000);

let folder: string;
let name: string;
let url: string;
/** The dump of a library in which Ada is. */
let script: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plain-dump-'));
  // The server may run as another user.
  chmodSync(folder, 0o777);
  name = await createDatabase('plain');
  url = toDatabaseUrl(name);
  await run(
    `insert into app_user (email, name) values ('ada@example.org', E'Ada \\\\ \\t Lovelace')`,
  );
  script = await dumpAsText();
  await run(`update app_user set name = 'Grace'`);
});
afterEach(async () => {
  await withAdmin(url, async (admin) => {
    for (const found of await listDatabases(admin, name)) await dropDatabase(found);
  });
  rmSync(folder, { recursive: true, force: true });
});

const run = (statements: string) => withConnection(url, (sql) => sql.unsafe(statements));
const listNames = async () =>
  (await withConnection(url, (sql) => sql`select name from app_user order by name`)).map(
    (row) => row['name'] as string,
  );
const ADA = 'Ada \\ \t Lovelace';

async function dumpAsText(args: readonly string[] = []): Promise<string> {
  const archive = join(folder, 'archive.dump');
  await dumpDatabase(url, archive);
  return readArchive(readFileSync(archive), [...args, '--file=-'], 64 * 1024 ** 2);
}

const FILE = 'immich-db-backup-20260114T184016-v3.2.2-pg17.sql.gz';
function write(bytes: string | Uint8Array): string {
  const file = join(folder, FILE);
  writeFileSync(file, bytes);
  return file;
}
const gzip = (...texts: string[]): Buffer => Buffer.concat(texts.map((text) => gzipSync(text)));

const now = new Date('2026-01-02T03:04:05Z');
const options = (file: string, dump: number) => ({ url, file, dump, now, diskFolder: undefined });
const restore = (file: string, ignoresForeign = false) =>
  withDump(file, (dump) => restoreBackup({ ...options(file, dump), ignoresForeign }));

async function expectRefusal(bytes: string | Uint8Array, reason: string | RegExp): Promise<void> {
  await expect(restore(write(bytes))).rejects.toThrow(reason);
  expect(await listNames()).toEqual(['Grace']);
  await withAdmin(url, async (admin) => {
    expect(await listDatabases(admin, name)).toEqual([name]);
  });
}

const WAYS: Readonly<Record<string, () => Promise<string | Uint8Array> | string | Uint8Array>> = {
  'through gzip': () => gzip(script),
  'in several members of gzip': () => {
    const half = script.length >> 1;
    return gzip(script.slice(0, half), '', script.slice(half));
  },
  'as text': () => script,
  'that would drop what is there': async () => {
    await run(`update app_user set name = E'Ada \\\\ \\t Lovelace'`);
    const text = await dumpAsText(['--clean', '--if-exists', '--no-owner']);
    await run(`update app_user set name = 'Grace'`);
    return gzip(text);
  },
  'that is an archive under the name of another format': () =>
    readFileSync(join(folder, 'archive.dump')),
};

test.each(Object.keys(WAYS))('a dump of ours %s is restored', async (way) => {
  const file = write(await WAYS[way]!());
  const drilled = await withDump(file, (dump) =>
    runRestoreDrill({ ...options(file, dump), folder }),
  );
  expect([drilled.accounts, drilled.missing]).toEqual([1, 0]);
  expect(await listNames()).toEqual(['Grace']);
  const leftOut: string[] = [];
  await withDump(file, (dump) =>
    restoreBackup({ ...options(file, dump), onLeftOut: (text) => void leftOut.push(text) }),
  );
  expect(await listNames()).toEqual([ADA]);
  expect(leftOut).toEqual([]);
});

test('damaged, cut and padded bytes change nothing', async () => {
  const bytes = gzip(script);
  await expectRefusal(bytes.subarray(0, bytes.length - 9), 'unexpected end of file');
  await expectRefusal(bytes.subarray(0, bytes.length >> 1), 'unexpected end of file');
  const flipped = Buffer.from(bytes);
  flipped[bytes.length >> 1]! ^= 0xff;
  await expectRefusal(flipped, /cannot be read|ends in the middle|not a dump/);
  await expectRefusal(Buffer.concat([bytes, Buffer.from('more')]), 'trailing garbage');
  const end = script.indexOf('-- PostgreSQL database dump complete');
  await expectRefusal(gzip(script.slice(0, end)), 'The dump ends in the middle');
  const rows = script.indexOf('COPY public.app_user') + 60;
  await expectRefusal(gzip(script.slice(0, rows)), /ends in the middle/);
  await expectRefusal(gzip(script, script), /fills \w+ twice|is not a dump/);
  await expectRefusal(
    gzip(gzip(script).toString('latin1')),
    'is not a dump of a Safelight database',
  );
  await expectRefusal('', 'is not a dump of a Safelight database: it is empty');
  await expectRefusal(gzip('IM CORRUPTED;'), `: it begins with 'IM CORRUPTED;'`);
  const without = script.replace(/COPY public\.tag \([\s\S]*?\n\\\.\n/, '');
  await expectRefusal(gzip(without), 'The dump is not complete: it has no rows of tag');
  await expectRefusal(
    gzip(script.replace(`client_encoding = 'UTF8'`, `client_encoding = 'LATIN1'`)),
    'The dump is in LATIN1, not in UTF8',
  );
});

test('a dump without rows that others refer to is refused in one sentence', async () => {
  await run(`insert into tag (owner_id, value) select id, 'Trip' from app_user`);
  const whole = await dumpAsText();
  const orphaned = whole.replace(
    /(COPY public\.app_user \([^\n]*\n)[\s\S]*?\n(\\\.\n)/,
    (_, start: string, end: string) => start + end,
  );
  expect(orphaned.length).toBeLessThan(whole.length);
  await expectRefusal(
    gzip(orphaned),
    /^The dump is damaged, or rows are missing in it: .*violates foreign key constraint/,
  );
});

test('a small file that unpacks to very much is refused before anything is changed', async () => {
  const lines = `-- ${'x'.repeat(32_000)}\n`.repeat(500);
  const bomb = Buffer.concat([gzip(script), ...Array.from({ length: 20 }, () => gzipSync(lines))]);
  expect(bomb.length).toBeLessThan(2 * 1024 ** 2);
  await expectRefusal(bomb, 'The dump holds more than a backup of Safelight');
});

test('no statement of a dump runs, and rows of other tables are left out only if that is said', async () => {
  const marker = join(folder, 'ran');
  const evil = `
\\! touch ${marker}
COPY (SELECT 1) TO PROGRAM 'touch ${marker}';
ALTER ROLE current_user NOSUPERUSER;
CREATE FUNCTION public.evil() RETURNS text LANGUAGE sql AS 'select 1';
SELECT public.evil();
DELETE FROM public.app_user;
`;
  const leftOut: string[] = [];
  await withDump(write(gzip(evil + script + evil)), (dump) =>
    restoreBackup({ ...options('evil', dump), onLeftOut: (text) => void leftOut.push(text) }),
  );
  expect(leftOut).toEqual([
    expect.stringMatching(/^Left out 12 statements .* the first is: \\! touch /),
  ]);
  expect([await listNames(), existsSync(marker)]).toEqual([[ADA], false]);
  const functions = await withConnection(
    url,
    (sql) => sql`select proname from pg_proc where proname = 'evil'`,
  );
  expect([...functions]).toEqual([]);

  await run(`update app_user set name = 'Grace'`);
  await dropReplaced();
  const named = '-- Name: evil(); Type: FUNCTION; Schema: public; Owner: mallory\n';
  await expectRefusal(gzip(named + script), 'holds something that Safelight does not make');
  const schema = 'COPY evil.evil (id) FROM stdin;\n1\n\\.\n';
  await expectRefusal(gzip(schema + script), 'fills a table that Safelight does not make');
  const table = 'COPY public.evil (id) FROM stdin;\n1\n\\.\n';
  await expectRefusal(gzip(table + script), 'which the schema does not have');
  const program = script.replace(
    /COPY public\.app_user (\([^)]*\)) FROM stdin;/,
    `COPY public.app_user $1 FROM PROGRAM 'touch ${marker}';`,
  );
  await expectRefusal(gzip(program), 'it has no rows of app_user');
  expect(existsSync(marker)).toBe(false);
  await restore(write(gzip(named + schema + table + script)), true);
  expect(await listNames()).toEqual([ADA]);
});

/** Else a refusal would not see that nothing has been added. */
const dropReplaced = () =>
  withAdmin(url, async (admin) => {
    for (const found of await listDatabases(admin, name)) {
      if (found !== name) await dropDatabase(found);
    }
  });

test('a backup of Immich is refused in one sentence that tells what to do', async () => {
  const immich = `-- PostgreSQL database dump
SET client_encoding = 'UTF8';
-- Name: system_metadata; Type: TABLE; Schema: public; Owner: postgres
CREATE TABLE public.system_metadata (
    key character varying NOT NULL
);
-- Data for Name: system_metadata; Type: TABLE DATA; Schema: public; Owner: postgres
COPY public.system_metadata (key, value) FROM stdin;
a	{}
\\.
COPY public."user" (id, email) FROM stdin;
1	ada@example.org
\\.
-- PostgreSQL database dump complete
`;
  const reason =
    /is a backup of Immich, whose database cannot be restored here: .*"safelight import"\.$/;
  await expectRefusal(gzip(immich), reason);
  await expectRefusal(immich, reason);
  await expectRefusal(gzip(immich.slice(0, immich.indexOf('COPY'))), reason);
});
