import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { migrations } from '../../migrations/index.ts';
import { describeContents } from '../../test/support/database-contents.ts';
import { dropDatabase, toDatabaseUrl } from '../../test/support/harness.ts';
import { openApplication } from '../application.ts';
import { silentLog } from '../core/log.ts';
import { dataPaths } from '../core/paths.ts';
import { defaultSettings } from '../core/settings.ts';
import { withAdmin, withConnection } from '../db/databases.ts';
import { dumpDatabase } from '../db/dump.ts';
import { migrate } from '../db/migrate.ts';
import { dropReplaced } from './replacement.ts';
import { restoreBackup, withDump } from './restore.ts';
import { checkApplication } from './self-check.ts';
import { applyPending } from './update.ts';

// The first migrations, with rows, stand for schemas of earlier versions (test/releases has those of releases).
// They are parts of one schema, whose triggers call functions of later parts: with fewer than these, no asset
// can be added.

setDefaultTimeout(300_000);

const ROWS: Readonly<Record<string, string>> = {
  '0001_identity': `insert into app_user (email, name, is_admin) values ('ada@example.org', 'Ada', true)`,
  '0005_albums': `insert into album (owner_id, name) select id, 'Trip' from app_user`,
  '0007_tags': `insert into tag (owner_id, value) select id, 'Travel' from app_user`,
  '0022_live': `
    with digest as (select sha256(n::text::bytea) as bytes from generate_series(1, 200) n),
    stored as (insert into original (sha256, size) select bytes, 1 from digest),
    added as (
      insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at,
        local_taken_at, file_modified_at)
      select app_user.id, 'IMAGE', bytes, substr(bytes, 1, 20), 'a.jpg', 1, now(), now(), now()
      from digest, app_user returning id
    ) insert into asset_exif (asset_id) select id from added`,
};
/** The schemas that are updated: those after each of these migrations. */
const UPGRADED = ['0023_memories', '0026_workflows', '0028_libraries', migrations.at(-2)!.name];
const TABLES = ['app_user', 'original', 'asset', 'asset_exif', 'album', 'tag'];

let folder: string;
let name: string;
let url: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'schemas-test-'));
  name = `schemas_${crypto.randomUUID().slice(0, 8)}`;
  url = toDatabaseUrl(name);
  await withAdmin(url, (admin) => admin`create database ${admin(name)}`);
});
afterEach(async () => {
  await dropDatabase(name);
  rmSync(folder, { recursive: true, force: true });
});

async function countRows(sql: Sql): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    const [row] = await sql`select count(*)::int as count from ${sql(table)}`;
    counts[table] = Number(row!['count']);
  }
  return counts;
}

async function makeEarlier(last: string): Promise<void> {
  for (const [at, { name: migration }] of migrations.entries()) {
    await withConnection(url, async (sql) => {
      await migrate(sql, migrations.slice(0, at + 1));
      const rows = ROWS[migration];
      if (rows) await sql.unsafe(rows);
    });
    if (migration === last) return;
  }
}

async function expectServed(): Promise<void> {
  const settings = { ...defaultSettings(), dataDir: folder, databaseUrl: url };
  const log = silentLog;
  const application = await openApplication({ settings, log, databaseUrl: url, page: new Map() });
  try {
    await checkApplication(application, url, log);
  } finally {
    await application.stop();
  }
}

test.each(UPGRADED)(
  'a database of the schema %s is updated with its rows, and serves every area',
  async (schema) => {
    await makeEarlier(schema);
    const before = await withConnection(url, countRows);
    expect(before['asset']).toBe(200);
    const applied = await applyPending({ url, paths: dataPaths(folder) });
    expect(await withConnection(url, countRows)).toEqual(before);
    const rows = await withConnection(url, (sql) => sql`select from schema_migration`);
    expect([rows.length, applied.at(-1)]).toEqual([migrations.length, migrations.at(-1)!.name]);
    await expectServed();
  },
);

test('a backup of each of these earlier schemas is restored with everything that it holds', async () => {
  const file = join(folder, 'backup.dump');
  const restored = [...UPGRADED, migrations.at(-1)!.name];
  for (const [at, migration] of migrations.entries()) {
    await withConnection(url, async (sql) => {
      await migrate(sql, migrations.slice(0, at + 1));
      const rows = ROWS[migration.name];
      if (rows) await sql.unsafe(rows);
    });
    if (!restored.includes(migration.name)) continue;
    const before = await withConnection(url, describeContents);
    await dumpDatabase(url, file);
    await withConnection(url, (sql) => sql`delete from schema_migration`);
    const now = new Date('2100-01-01');
    await withDump(file, (dump) => restoreBackup({ url, file, dump, now, diskFolder: undefined }));
    expect(await withConnection(url, describeContents)).toEqual(before);
    await dropReplaced(url, new Date('2100-01-02'));
  }
});
