import { closeSync, fstatSync, openSync } from 'node:fs';
import type { Sql } from 'postgres';
import { withConnection } from '../db/databases.ts';
import { getSqlState } from '../db/errors.ts';
import { createFromDump } from './create-from-dump.ts';
import { readContents } from './dump-contents.ts';
import { replaceDatabase, type Replacement } from './replacement.ts';
import { requireSpace, RESTORED_BYTES } from './space.ts';

type Options = {
  readonly url: string;
  /** Path of the dump, for messages. */
  readonly file: string;
  /** The dump, open for reading. */
  readonly dump: number;
  readonly now: Date;
  /** Folder of the database; undefined when it is on another machine. */
  readonly diskFolder: string | undefined;
  /** Whether what Safelight does not make is left out; else a dump with it is refused. */
  readonly ignoresForeign?: boolean;
  /** Throws when the restored database cannot be used. */
  readonly check?: (url: string) => Promise<void>;
  readonly onBytes?: (bytes: number, total: number) => void;
  /** Called with a sentence without a full stop when statements of the dump were left out. */
  readonly onLeftOut?: (text: string) => void;
};

/** Replaces the database by a dump, which is read beside it: a broken dump changes nothing. */
export async function restoreBackup(options: Options): Promise<Replacement> {
  const { url, file, dump, now, diskFolder, ignoresForeign, check, onBytes } = options;
  const leftOut = { count: 0, first: '' };
  const total = fstatSync(dump).size;
  const contents = await readContents(dump, file);
  return replaceDatabase({
    url,
    now,
    async create(admin, name, nextUrl) {
      requireSpace('restore', diskFolder, RESTORED_BYTES * total);
      const source = { dump, contents, diskFolder, ignoresForeign };
      const onPosition = (bytes: number) => onBytes?.(bytes, total);
      await createFromDump(admin, {
        ...source,
        name,
        url: nextUrl,
        onBytes: onPosition,
        onLeftOut(statement) {
          leftOut.first ||= statement.slice(0, MAX_SHOWN);
          leftOut.count += 1;
        },
      });
      if (leftOut.count > 0) options.onLeftOut?.(describeLeftOut(leftOut));
      await withConnection(nextUrl, forgetPlace);
    },
    check: async (nextUrl) => check?.(nextUrl),
  });
}

/** Characters of a statement. */
const MAX_SHOWN = 100;

const describeLeftOut = ({ count, first }: { count: number; first: string }): string =>
  `Left out ${count} statements that Safelight does not make, the first is: ${first}`;

/**
 * The next start looks which folders are those of the library, which may be on another machine, and makes a new secret:
 * whoever has the dump knows the old one.
 */
async function forgetPlace(sql: Sql): Promise<void> {
  for (const column of ['stores_marked_at', 'node_secret'])
    await sql`update instance set ${sql(column)} = null`.catch((error: unknown) => {
      // A dump of an earlier version.
      if (getSqlState(error) !== UNDEFINED_COLUMN) throw error;
    });
}

const UNDEFINED_COLUMN = '42703';

/** Runs the work with the dump open, and closes it. */
export async function withDump<T>(file: string, work: (dump: number) => Promise<T>): Promise<T> {
  const dump = openSync(file, 'r');
  try {
    return await work(dump);
  } finally {
    closeSync(dump);
  }
}
