import type { Sql } from 'postgres';
import { connect } from '../db/address.ts';
import { dropDatabase, swapDatabases } from './databases.store.ts';

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
 * Replaces a database by one that is made and checked beside it: until the names are swapped, in one
 * transaction, nothing that fails changes anything.
 */
export const replaceDatabase = ({ url, now, create, check }: Options): Promise<Replacement> =>
  withAdmin(url, async (admin) => {
    const current = getName(url);
    const next = `${current}_next`;
    const kept = `${current}_before_${now
      .toISOString()
      .replace(/[-:]|\.\d+/g, '')
      .toLowerCase()}`;
    try {
      await create(admin, next, toUrl(url, next));
      await check(toUrl(url, next));
      await swapDatabases(admin, { current, next, kept });
    } catch (error) {
      await dropDatabase(admin, next).catch(() => {});
      throw error;
    }
    return { kept };
  });

/** Puts the replaced database back, and drops the one that took its place. */
export const undoReplacement = (url: string, { kept }: Replacement): Promise<void> =>
  withAdmin(url, async (admin) => {
    const current = getName(url);
    const failed = `${current}_failed`;
    await dropDatabase(admin, failed);
    await swapDatabases(admin, { current, next: kept, kept: failed });
    await dropDatabase(admin, failed);
  });

const getName = (url: string): string => decodeURIComponent(new URL(url).pathname.slice(1));

const toUrl = (url: string, name: string): string =>
  Object.assign(new URL(url), { pathname: `/${name}` }).href;

async function withAdmin<T>(url: string, work: (admin: Sql) => Promise<T>): Promise<T> {
  const admin = connect(toUrl(url, 'postgres'), { max: 1, onnotice: () => {} });
  try {
    return await work(admin);
  } finally {
    await admin.end({ timeout: 5 });
  }
}
