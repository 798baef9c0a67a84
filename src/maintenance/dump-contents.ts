import { type Migration, migrations } from '../../migrations/index.ts';
import { Failure } from '../core/command-line.ts';
import { readArchive } from '../db/archive.ts';
import { type DumpFormat, detectFormat } from '../db/plain-dump.ts';
import { isEntry, MAX_LIST_BYTES, MAX_RECORD_BYTES, RECORD, requireRecord } from './dump-kind.ts';
import { readPlain } from './plain-contents.ts';
import { computeChecksum, isDevelopmentMigration } from '../db/migrate.ts';

/** The table of contents of a dump, read before anything is changed. */
export type DumpContents = {
  /** The migrations of its database, in order of application. */
  readonly migrations: readonly Migration[];
  readonly format: DumpFormat;
  /** Lines of `pg_restore --list` without identifiers, as 'TABLE public asset ada'. */
  readonly entries: readonly string[];
};

/**
 * Reads the contents of a dump, which is open for reading. Throws Failure for a file that is no dump of
 * Safelight, or one that this program cannot work with.
 */
export async function readContents(dump: number, file: string): Promise<DumpContents> {
  const format = detectFormat(dump);
  const { entries, record } =
    format === 'archive' ? await readArchived(dump, file) : await readPlain(dump, format, file);
  return { format, entries, migrations: toMigrations(parseRecord(record), file) };
}

async function readArchived(dump: number, file: string) {
  const entries = listEntries(await readArchive(dump, ['--list'], MAX_LIST_BYTES));
  requireRecord(entries, file);
  const only = ['--data-only', '--schema=public', `--table=${RECORD}`, '--file=-'];
  return { entries, record: await readArchive(dump, only, MAX_RECORD_BYTES) };
}

/** Returns the migrations of the database that was dumped. */
function toMigrations(applied: ReadonlyMap<string, string>, file: string): readonly Migration[] {
  const unknown = [...applied.keys()].find((name) => !migrations.some((own) => own.name === name));
  if (unknown !== undefined && !isDevelopmentMigration(unknown)) {
    throw new Failure(
      `${file} was made by a newer version (schema ${unknown}): restore it with that version.`,
    );
  }
  const known = migrations.filter(({ name }) => applied.has(name));
  const other = known.find(({ name, sql }) => applied.get(name) !== computeChecksum(sql));
  if (unknown !== undefined || other) {
    throw new Failure(
      `${file} was made by a development version before the first release: it cannot be restored.`,
    );
  }
  if (known.length === 0) throw new Failure(`${file} is not a dump of a Safelight database.`);
  return known;
}

/** Returns the checksums of the migrations by name. */
function parseRecord(script: string): ReadonlyMap<string, string> {
  const [, rows = ''] =
    /^COPY public\.schema_migration \(name, checksum, applied_at(?:, \w+)*\) FROM stdin;\n([\s\S]*?)^\\\.$/m.exec(
      script,
    ) ?? [];
  return new Map(
    rows
      .split('\n')
      .filter(Boolean)
      .map((row) => row.split('\t') as [string, string, string])
      .map(([name, checksum]) => [name, checksum]),
  );
}

/** Returns the entries of `pg_restore --list`, whose lines begin with three identifiers. */
export const listEntries = (list: string): string[] =>
  list.split('\n').flatMap((line) => /^\d+; \d+ \d+ (.+)$/.exec(line)?.[1] ?? []);

/** Entries that a restore leaves out: rights, comments, properties of the database that was dumped. */
const LEFT_OUT = [
  'ACL',
  'COMMENT',
  'DATABASE',
  'DATABASE PROPERTIES',
  'DEFAULT ACL',
  'SCHEMA - public',
  'SECURITY LABEL',
  'STATISTICS DATA',
];

/**
 * Throws Failure for a dump that has more than the schema that our migrations make, unless that is ignored,
 * or not the rows of each of its tables. Both lists have an owner at the end of each line.
 */
export function requireOwnEntries(
  { entries }: DumpContents,
  schema: readonly string[],
  {
    owner,
    ignoresForeign,
  }: { readonly owner: string; readonly ignoresForeign?: boolean | undefined },
): void {
  const own = schema.map((line) =>
    line.endsWith(` ${owner}`) ? line.slice(0, -owner.length - 1) : line.trimEnd(),
  );
  const rows = own.flatMap((entry) => {
    const [, kind, rest] = /^(TABLE|SEQUENCE) (public .+)$/.exec(entry) ?? [];
    if (kind === undefined) return [];
    return kind === 'TABLE' ? [`TABLE DATA ${rest}`] : [`SEQUENCE SET ${rest}`];
  });
  const missing = rows.find(
    (entry) => entry.startsWith('TABLE') && !entries.some((line) => isEntry(line, entry)),
  );
  if (missing !== undefined) throw new Failure(`The dump is not complete: it has no ${missing}`);
  const known = [...own, ...rows, ...LEFT_OUT];
  const foreign = entries.find((line) => !known.some((entry) => isEntry(line, entry)));
  if (foreign === undefined || ignoresForeign) return;
  throw new Failure(
    `The dump holds something that Safelight does not make: ${foreign.slice(0, 100)}. Nothing has ` +
      `changed. 'safelight maintenance restore --ignore-foreign' leaves it out.`,
  );
}
