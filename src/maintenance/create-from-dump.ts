import type { Sql } from 'postgres';
import { Failure } from '../core/command-line.ts';
import { convertArchive, readArchive, readPosition } from '../db/archive.ts';
import { copyRows, listTables, setSequences } from '../db/copy-rows.ts';
import { createEmpty, withConnection } from '../db/databases.ts';
import {
  parseDataScript,
  parsePlainDump,
  type SequenceValue,
  type TableRows,
} from '../db/data-script.ts';
import { dumpSchema } from '../db/dump.ts';
import { getSqlState } from '../db/errors.ts';
import { withLoader } from '../db/loader-role.ts';
import { migrate } from '../db/migrate.ts';
import { readScript } from '../db/plain-dump.ts';
import { whileSpaceLasts } from './space.ts';
import { type DumpContents, listEntries, requireOwnEntries } from './dump-contents.ts';
import { getRow } from '../db/query.ts';

type Options = {
  /** Name and address of the new database. */
  readonly name: string;
  readonly url: string;
  /** The dump, open for reading. */
  readonly dump: number;
  readonly contents: DumpContents;
  /** Folder of the database; undefined when it is on another machine. */
  readonly diskFolder: string | undefined;
  /** Whether what Safelight does not make is left out; else a dump with it is refused. */
  readonly ignoresForeign?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onBytes?: ((bytes: number) => void) | undefined;
  /** Called for each statement of a dump in plain SQL that our schema does not have: it is left out. */
  readonly onLeftOut?: ((statement: string) => void) | undefined;
};

const MAX_SCHEMA_BYTES = 16 * 1024 ** 2;
const WATCH_MS = 200;

/**
 * Creates a database with the rows of a dump. Its schema is made by our own migrations, and its rows are
 * added by our own statements: nothing that the dump holds is ever run. Indexes, constraints and triggers
 * follow the rows, as in a restore of the whole dump.
 */
export async function createFromDump(admin: Sql, options: Options): Promise<void> {
  const { name, url, signal } = options;
  await createEmpty(admin, name);
  const schema = await makeSchema(options);
  signal?.throwIfAborted();
  await createEmpty(admin, name);
  const [before, after] = [await toScript(schema, 'pre-data'), await toScript(schema, 'post-data')];
  const own: ReadonlySet<string> = new Set([before, after].flatMap((script) => script.split('\n')));
  await withConnection(url, (sql) => sql.unsafe(before));
  await withExplainedRows(async () => {
    const load = (loaderUrl: string) => loadRows(loaderUrl, options, own);
    const sequences = await withLoader(admin, url, load);
    signal?.throwIfAborted();
    await withConnection(url, (sql) => setSequences(sql, sequences));
    await withConnection(url, (sql) => sql.unsafe(after));
  });
}

/** SQLSTATE of values that a column does not take, and of rows that break a rule of the schema. */
const BAD_ROWS = /^2[23]/;

/** Throws Failure, with a sentence, for rows that are damaged, or that others refer to and are missing. */
async function withExplainedRows(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!BAD_ROWS.test(getSqlState(error) ?? '')) throw error;
    const { message, detail } = error as Error & { detail?: string };
    const reason = detail === undefined ? message : `${message}: ${detail}`;
    throw new Failure(`The dump is damaged, or rows are missing in it: ${reason}`, {
      cause: error,
    });
  }
}

/** Returns an archive of the schema that the migrations of the dump make, compared with that of the dump. */
async function makeSchema({ url, contents, ignoresForeign }: Options): Promise<Uint8Array> {
  const owner = await withConnection(url, async (sql) => {
    await migrate(sql, contents.migrations);
    const row = getRow(await sql<{ owner: string }[]>`select current_user as owner`);
    return row.owner;
  });
  const schema = await dumpSchema(url);
  const list = await readArchive(schema, ['--list'], MAX_SCHEMA_BYTES);
  requireOwnEntries(contents, listEntries(list), { owner, ignoresForeign });
  return schema;
}

/** Newer tools put these around a script, for psql. */
const PSQL_COMMANDS = /^\\(?:un)?restrict .*$/gm;

async function toScript(schema: Uint8Array, section: 'pre-data' | 'post-data'): Promise<string> {
  const args = [`--section=${section}`, '--no-owner', '--no-privileges', '--file=-'];
  const script = await readArchive(schema, args, MAX_SCHEMA_BYTES);
  return script.replaceAll(PSQL_COMMANDS, '');
}

/** Leaves out what pg_restore would not be asked for, if that may be. */
async function* selectOwnParts(
  script: AsyncIterable<Uint8Array>,
  { names, own, ignoresForeign, onLeftOut }: OwnParts,
): AsyncGenerator<TableRows | SequenceValue> {
  for await (const part of parsePlainDump(script)) {
    if (part.kind === 'statement' && !own.has(part.text)) onLeftOut?.(part.text);
    if (part.kind === 'entry' || part.kind === 'end' || part.kind === 'statement') continue;
    if (part.kind === 'foreign' || (ignoresForeign && isUnknown(part, names))) {
      if (!ignoresForeign) throw new Failure('The dump fills a table that Safelight does not make');
      if (part.kind !== 'sequence') for await (const _ of part.rows);
    } else yield part;
  }
}

type OwnParts = Pick<Options, 'ignoresForeign' | 'onLeftOut'> & {
  /** Names of our tables and sequences. */
  readonly names: ReadonlySet<string>;
  /** Lines of the script that makes our schema. */
  readonly own: ReadonlySet<string>;
};

const isUnknown = (part: TableRows | SequenceValue, names: ReadonlySet<string>): boolean =>
  !names.has(part.kind === 'rows' ? part.table : part.name);

/** Returns the values of sequences, which belong to us and not to the loader. */
async function loadRows(
  url: string,
  { dump, contents: { format }, diskFolder, ignoresForeign, signal, onBytes, onLeftOut }: Options,
  own: ReadonlySet<string>,
): Promise<readonly SequenceValue[]> {
  const watching = onBytes && setInterval(() => onBytes(readPosition(dump)), WATCH_MS);
  try {
    return await withConnection(url, async (sql) => {
      const { columns, sequences } = await listTables(sql);
      const filled = new Set<string>();
      const values: SequenceValue[] = [];
      const tables = [...columns.keys(), ...sequences].map((name) => `--table=${name}`);
      const args = ['--data-only', '--schema=public', ...tables, '--file=-'];
      const limit = (script: AsyncIterable<Uint8Array>) =>
        whileSpaceLasts(script, 'restore', diskFolder);
      const parts =
        format === 'archive'
          ? parseDataScript(limit(convertArchive(dump, args, { signal })))
          : selectOwnParts(limit(readScript(dump, format, signal)), {
              names: new Set([...columns.keys(), ...sequences]),
              own,
              ignoresForeign,
              onLeftOut,
            });
      for await (const part of parts) {
        if (part.kind === 'sequence') {
          if (!sequences.has(part.name))
            throw new Failure(`The dump names a sequence ${part.name}`);
          values.push(part);
          continue;
        }
        if (filled.has(part.table)) throw new Failure(`The dump fills ${part.table} twice`);
        filled.add(part.table);
        await copyRows(sql, part, columns.get(part.table) ?? []);
      }
      const missing = [...columns.keys()].find((table) => !filled.has(table));
      if (missing !== undefined)
        throw new Failure(`The dump is not complete: it has no rows of ${missing}`);
      return values;
    });
  } finally {
    clearInterval(watching);
  }
}
