import type { Sql } from 'postgres';
import { migrations } from '../../migrations/index.ts';
import { readArchive } from '../db/archive.ts';
import { getDatabaseName } from '../core/postgres-url.ts';
import { createEmpty, dropDatabase, toUrl, withAdmin, withConnection } from '../db/databases.ts';
import { dumpSchema } from '../db/dump.ts';
import { findUnknownMigration, listPendingMigrations, migrate } from '../db/migrate.ts';
import { print } from './command.ts';

const MAX_SCHEMA_BYTES = 16 * 1024 ** 2;

/**
 * Compares the migrations of a database with those of this program, and its schema with the one that they
 * make in an empty database beside it. Returns 1 where they differ.
 */
export async function checkSchema(sql: Sql, url: string): Promise<number> {
  const issues = await listIssues(sql);
  print(issues.length === 0 ? 'Migrations are up to date' : 'Migration issues detected:');
  for (const issue of issues) print(`  - ${issue}`);
  const drift = await listDrift(url);
  print(drift.length === 0 ? '\nNo schema drift detected' : '\nSchema drift detected:');
  for (const item of drift) print(`  - ${item}`);
  return issues.length + drift.length === 0 ? 0 : 1;
}

async function listIssues(sql: Sql): Promise<string[]> {
  const pending = await listPendingMigrations(sql);
  const unknown = await findUnknownMigration(sql);
  return [
    ...pending.map(({ name }) => `${name} has not been applied to the database`),
    ...(unknown ? [`${unknown} was applied, but this program does not have it`] : []),
  ];
}

/** Returns the first line of each statement that only one of both schemas has. */
const listDrift = (url: string): Promise<string[]> =>
  withAdmin(url, async (admin) => {
    const name = `${getDatabaseName(url)}_check`;
    try {
      await createEmpty(admin, name);
      await withConnection(toUrl(url, name), (sql) => migrate(sql, migrations));
      const [found, wanted] = [await readSchema(url), await readSchema(toUrl(url, name))];
      const listMissing = (from: ReadonlySet<string>, other: ReadonlySet<string>) =>
        [...from].filter((text) => !other.has(text)).map((text) => text.replace(/\n.*/s, ''));
      return [
        ...listMissing(wanted, found).map((line) => `missing: ${line}`),
        ...listMissing(found, wanted).map((line) => `unexpected: ${line}`),
      ];
    } finally {
      await dropDatabase(admin, name);
    }
  });

async function readSchema(url: string): Promise<ReadonlySet<string>> {
  const args = ['--no-owner', '--no-privileges', '--no-comments', '--file=-'];
  const script = await readArchive(await dumpSchema(url), args, MAX_SCHEMA_BYTES);
  return new Set(
    script
      .replaceAll(/^(?:--.*|\\(?:un)?restrict .*|SET .*)$/gm, '')
      .split(/;\n\n/)
      .map((text) => text.trim())
      .filter(Boolean),
  );
}
