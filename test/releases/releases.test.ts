import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { createApp } from '../../src/app.ts';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { defaultSettings } from '../../src/core/settings.ts';
import { openDatabase } from '../../src/db/client.ts';
import { withAdmin, withConnection } from '../../src/db/databases.ts';
import { listPendingMigrations } from '../../src/db/migrate.ts';
import { dropReplaced } from '../../src/maintenance/replacement.ts';
import { restoreBackup, withDump } from '../../src/maintenance/restore.ts';
import { applyPending } from '../../src/maintenance/update.ts';
import { dropDatabase, NOW, toDatabaseUrl } from '../support/harness.ts';
import { FOLDER, readAnswers, type Release, saveRelease } from './library.ts';

setDefaultTimeout(300_000);

if (process.env['SAFELIGHT_SAVE_RELEASE']) test('saves the library of this version', saveRelease);

let dataDir: string;
let name: string;
let url: string;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'releases-test-'));
  name = `releases_${crypto.randomUUID().slice(0, 8)}`;
  url = toDatabaseUrl(name);
  await withAdmin(url, (admin) => admin`create database ${admin(name)}`);
});
afterEach(async () => {
  await dropReplaced(url, new Date('2100-01-01'));
  await dropDatabase(name);
  rmSync(dataDir, { recursive: true, force: true });
});

/** Restores a backup, and updates the database, as a server does that is started on an older one. */
async function restore(file: string): Promise<void> {
  await withDump(file, (dump) =>
    restoreBackup({ url, now: NOW, diskFolder: undefined, file, dump }),
  );
  await applyPending({ url, paths: dataPaths(dataDir) });
  expect(await withConnection(url, (sql) => listPendingMigrations(sql))).toEqual([]);
}

async function readLibrary(key: string): Promise<unknown> {
  const opened = openDatabase(url, { max: 4 });
  const { db, sql } = opened;
  const settings = { ...defaultSettings(), dataDir, databaseUrl: url };
  const paths = dataPaths(dataDir);
  try {
    const app = createApp({ db, sql, settings, paths, now: () => NOW, log: silentLog });
    return await readAnswers(app, key);
  } finally {
    await opened.close();
  }
}

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

test.each(files)(
  'the library of %s is updated, and its owner is answered as before',
  async (file) => {
    const release: Release = await Bun.file(join(FOLDER, file)).json();
    expect(migrations.map((migration) => migration.name)).toContain(release.schema);
    await restore(join(FOLDER, `${release.version}.dump`));
    expect(await readLibrary(release.key)).toMatchObject(release.answers);
  },
);
