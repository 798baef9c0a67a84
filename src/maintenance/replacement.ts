import type { Sql } from 'postgres';
import { toStamp } from '../core/dates.ts';
import { reach } from '../core/fault-points.ts';
import { getDatabaseName } from '../core/postgres-url.ts';
import { requireValue } from '../core/required.ts';
import {
  acquireReplacementLock,
  dropDatabase,
  listDatabases,
  swapDatabases,
  toUrl,
  whileClosed,
  withAdmin,
  withConnection,
} from '../db/databases.ts';
import { dropLeftRole } from '../db/loader-role.ts';
import { retryThroughOutage } from '../db/outage.ts';
import { disownRunningJobs } from '../jobs/claims.ts';
import { FORMER_LEFTOVERS } from './bridge.ts';
import { clearMode } from './cluster-mode.store.ts';

export type Replacement = {
  /** Name under which the replaced database is kept. */
  readonly kept: string;
};

type Options = {
  /** Address of the database that is replaced. */
  readonly url: string;
  readonly now: Date;
  /** Creates the new database under this name; `url` will be its address. */
  readonly create: (admin: Sql, name: string, url: string) => Promise<void>;
  /** Throws when the new database must not be used. */
  readonly check: (url: string) => Promise<void>;
};

/**
 * Replaces a database by one that is made and checked beside it, and that is in use from then on: until
 * the names are swapped, in one transaction, nothing that fails changes anything. The database refuses
 * connections meanwhile.
 */
export const replaceDatabase = ({ url, now, create, check }: Options): Promise<Replacement> =>
  withAdmin(url, async (admin) => {
    const current = getDatabaseName(url);
    const next = `${current}_next`;
    const kept = toReplacedName(current, await findFreeTime(admin, url, now));
    await whileClosed(admin, current, async () => {
      reach('replacement.closed');
      try {
        await create(admin, next, toUrl(url, next));
        reach('replacement.made');
        await check(toUrl(url, next));
        reach('replacement.checked');
        await withConnection(toUrl(url, next), async (sql) => {
          await disownRunningJobs(sql);
          await clearMode(sql);
        });
        await swapDatabases(admin, { current, next, kept });
      } catch (error) {
        // A full disk stops the server, which starts again, and this is what makes space.
        await retryThroughOutage(() => dropDatabase(admin, next)).catch(() => {});
        throw error;
      }
      reach('replacement.swapped');
    });
    return { kept };
  });

/** Between the names of a database and the time at which it was replaced. */
const REPLACED = '_before_';

/** Returns the name that a database has once it is replaced: with '20260102t030405z' at the end. */
const toReplacedName = (name: string, time: Date): string =>
  `${name}${REPLACED}${toStamp(time).toLowerCase()}`;

/** Returns this time, or the second after the last replacement: a clock is set back, two may be within a second. */
async function findFreeTime(admin: Sql, url: string, now: Date): Promise<Date> {
  const last = (await listReplacedWith(admin, url)).at(-1);
  if (last === undefined) return now;
  return new Date(Math.max(now.getTime(), getReplacedAt(last).getTime() + 1000));
}

/** Returns when the database with this name was replaced. */
export function getReplacedAt(name: string): Date {
  const stamp = name.slice(name.lastIndexOf(REPLACED) + REPLACED.length).toUpperCase();
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(stamp);
  const [, year, month, day, hour, minute, second] = requireValue(parts, `time in ${name}`);
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** Returns the names of the databases that were replaced and are kept, oldest first. */
export const listReplaced = (url: string): Promise<string[]> =>
  withConnection(url, (sql) => listReplacedWith(sql, url));

const listReplacedWith = (sql: Sql, url: string): Promise<string[]> =>
  listDatabases(sql, `${getDatabaseName(url)}${REPLACED}`);

const LEFTOVERS = ['_next', '_drill', ...FORMER_LEFTOVERS];

/** Drops databases that were replaced before this time, and leftovers of interrupted replacements. */
export const dropReplaced = (url: string, before: Date): Promise<string[]> =>
  withAdmin(url, async (admin) => {
    const current = getDatabaseName(url);
    const limit = toReplacedName(current, before);
    const replaced = await listReplacedWith(admin, url);
    const leftovers = (await listDatabases(admin, current)).filter((name) =>
      LEFTOVERS.some((ending) => name === `${current}${ending}`),
    );
    const dropped: string[] = [];
    for (const name of [...replaced.filter((name) => name < limit), ...leftovers]) {
      const isDrill = name === `${current}_drill`;
      if (!(await acquireReplacementLock(admin, isDrill ? name : current))) continue;
      await dropDatabase(admin, name);
      await dropLeftRole(admin, name);
      dropped.push(name);
    }
    return dropped;
  });
