import { fstatSync } from 'node:fs';
import { Failure } from '../core/command-line.ts';
import { requireValue } from '../core/required.ts';
import { openDatabase } from '../db/client.ts';
import { getDatabaseName } from '../core/postgres-url.ts';
import {
  acquireReplacementLock,
  dropDatabase,
  toUrl,
  withAdmin,
  withConnection,
} from '../db/databases.ts';
import { migrate } from '../db/migrate.ts';
import { retryThroughOutage } from '../db/outage.ts';
import { countMissing } from './copy-library.ts';
import { countByAccount } from './counts.store.ts';
import { type Change, listChanges } from './counts.ts';
import { createFromDump } from './create-from-dump.ts';
import { readContents } from './dump-contents.ts';
import { requireSpace, RESTORED_BYTES } from './space.ts';

export type Difference = {
  /** As 'album of <account id>'. */
  readonly name: string;
  readonly inBackup: number;
  readonly now: number;
};

export type DrillResult = {
  readonly accounts: number;
  /** Counts that are not as in the present database: changes since the backup. */
  readonly differences: readonly Difference[];
  /** The same for all accounts together. */
  readonly changes: Change[];
  /** Originals of the backup that are not in its folder. */
  readonly missing: number;
};

type Options = {
  /** Address of the present database. */
  readonly url: string;
  readonly file: string;
  /** The dump, open for reading. */
  readonly dump: number;
  /** Folder of the originals that belong to the backup. */
  readonly folder: string;
  /** Folder of the database; undefined when it is on another machine. */
  readonly diskFolder: string | undefined;
  /** Whether what Safelight does not make is left out; else a dump with it is refused. */
  readonly ignoresForeign?: boolean;
  readonly signal?: AbortSignal;
  readonly onBytes?: (bytes: number) => void;
};

/**
 * Proves a backup: restores it beside the present database, updates it, compares both, and drops it again.
 * Throws for a dump that cannot be restored.
 */
export const runRestoreDrill = ({
  url,
  file,
  dump,
  folder,
  diskFolder,
  ignoresForeign,
  signal,
  onBytes,
}: Options): Promise<DrillResult> =>
  withAdmin(url, async (admin) => {
    const name = `${getDatabaseName(url)}_drill`;
    const drillUrl = toUrl(url, name);
    requireSpace('restore drill', diskFolder, RESTORED_BYTES * fstatSync(dump).size);
    if (!(await acquireReplacementLock(admin, name))) {
      throw new Failure('Another restore drill runs at the moment');
    }
    try {
      const contents = await readContents(dump, file);
      const source = { dump, contents, diskFolder, ignoresForeign };
      await createFromDump(admin, { ...source, name, url: drillUrl, signal, onBytes });
      signal?.throwIfAborted();
      await withConnection(drillUrl, (sql) => migrate(sql));
      const inBackup = await withConnection(drillUrl, countByAccount);
      const now = await withConnection(url, countByAccount);
      signal?.throwIfAborted();
      return {
        accounts: requireValue(inBackup.get('accounts'), 'count of accounts'),
        differences: listDifferences(inBackup, now),
        changes: listChanges(inBackup, now),
        missing: await countMissingFiles(drillUrl, folder),
      };
    } finally {
      // Else with the leftovers of interrupted updates.
      await retryThroughOutage(() => dropDatabase(admin, name)).catch(() => {});
    }
  });

async function countMissingFiles(url: string, folder: string): Promise<number> {
  const database = openDatabase(url, { max: 1, name: 'drill' });
  try {
    return await countMissing(database.db, folder);
  } finally {
    await database.close();
  }
}

const listDifferences = (
  inBackup: ReadonlyMap<string, number>,
  now: ReadonlyMap<string, number>,
): Difference[] =>
  [...new Set([...inBackup.keys(), ...now.keys()])]
    .map((name) => ({ name, inBackup: inBackup.get(name) ?? 0, now: now.get(name) ?? 0 }))
    .filter((one) => one.inBackup !== one.now);
