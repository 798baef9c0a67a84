import { Failure } from '../core/command-line.ts';

// The entries of a dump tell to which program its database belongs.

/** The table of the migrations. */
export const RECORD = 'schema_migration';

export const MAX_LIST_BYTES = 4 * 1024 ** 2;
export const MAX_RECORD_BYTES = 1024 ** 2;

/** Whether a line is this entry, which has the name of an owner after it. */
export const isEntry = (line: string, entry: string): boolean => line.startsWith(`${entry} `);

/** Throws Failure, in one sentence each, for a dump of Immich and for any other. */
export function requireRecord(entries: readonly string[], file: string, hint = ''): void {
  const has = (table: string) =>
    entries.some((entry) => isEntry(entry, `TABLE DATA public ${table}`));
  if (has(RECORD)) return;
  if (IMMICH_TABLES.some(has)) {
    throw new Failure(
      `${file} is a backup of Immich, whose database cannot be restored here: take its folder of photos ` +
        `in with "safelight import".`,
    );
  }
  throw new Failure(`${file} is not a dump of a Safelight database${hint}.`);
}

/** Tables that only Immich has, of all its versions since the first with backups. */
const IMMICH_TABLES = ['system_metadata', 'smart_search', 'geodata_places', 'kysely_migrations'];
