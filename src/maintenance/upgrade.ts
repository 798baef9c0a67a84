import { type Migration, migrations } from '../../migrations/index.ts';
import { Failure } from '../core/command-line.ts';
import { reach } from '../core/fault-points.ts';
import { getDatabaseName } from '../core/postgres-url.ts';
import { createCopy, getSize, withConnection } from '../db/databases.ts';
import { migrate } from '../db/migrate.ts';
import { countByAccount } from './counts.store.ts';
import { replaceDatabase, type Replacement } from './replacement.ts';
import { COPIED_BYTES, requireSpace } from './space.ts';

type Options = {
  readonly url: string;
  readonly now: Date;
  /** Folder of the database; undefined when it is on another machine. */
  readonly diskFolder: string | undefined;
  /** Throws when the application does not work on the upgraded database. */
  readonly check: (url: string) => Promise<void>;
  readonly onTask: (task: 'backup' | 'migrations' | 'check', progress?: number) => void;
  readonly wanted?: readonly Migration[];
  /** For one statement. */
  readonly limitMs?: number;
};

/** A migration of a large library takes minutes; one that is stuck must not hold it for ever. */
const LIMIT_MS = 2 * 3_600_000;

/**
 * Upgrades a copy of the database, compares it with the original, and puts it in its place, which is kept.
 * Until then the original is not written to: an upgrade that fails, or a process that is killed, leaves it
 * to the version that it was made by.
 */
export function upgradeDatabase(options: Options): Promise<Replacement> {
  const { url, now, onTask, wanted = migrations, limitMs = LIMIT_MS } = options;
  let before: Counts;
  return replaceDatabase({
    url,
    now,
    async create(admin, name, nextUrl) {
      onTask('backup');
      const current = getDatabaseName(url);
      requireSpace('update', options.diskFolder, COPIED_BYTES * (await getSize(admin, current)));
      await createCopy(admin, current, name);
      reach('upgrade.copied');
      before = await withConnection(nextUrl, countByAccount);
      const onProgress = (done: number, total: number) =>
        onTask('migrations', Math.floor((100 * done) / total));
      await withConnection(nextUrl, (sql) => migrate(sql, wanted, { onProgress, limitMs }));
      reach('upgrade.migrated');
    },
    async check(nextUrl) {
      onTask('check');
      compareCounts(before, await withConnection(nextUrl, countByAccount));
      await options.check(nextUrl);
      reach('upgrade.checked');
    },
  });
}

type Counts = Awaited<ReturnType<typeof countByAccount>>;

/** Throws Failure when an update has lost or added rows. */
export function compareCounts(before: Counts, after: Counts): void {
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [old, found] = [before.get(key) ?? 0, after.get(key) ?? 0];
    if (old === found) continue;
    throw new Failure(`The update changes the number of ${key} from ${old} to ${found}.`);
  }
}
