import { access, constants } from 'node:fs/promises';
import type { Deps } from '../../core/context.ts';
import { unavailable } from '../../core/errors.ts';
import { hasServedSchema } from '../../db/migrate.ts';
import { isDraining } from '../../nodes/node.ts';
import { findStoreFault } from '../../storage/stores.ts';

const DEADLINE_MS = 3000;
const RETRY_AFTER_SECONDS = 5;

type Checked = Pick<Deps, 'db' | 'sql' | 'paths'>;

/** The last check of each database, which may hang for longer than those who ask wait. */
const running = new WeakMap<Checked['db'], Promise<boolean>>();

/**
 * Throws 503 unless requests can be served: the database answers, with a schema that it serves, the folders are its own, and the
 * process is not about to stop.
 */
export async function requireReady(deps: Checked): Promise<{ readonly res: 'ready' }> {
  const { db } = deps;
  const check = running.get(db) ?? checkParts(deps).finally(() => running.delete(db));
  running.set(db, check);
  const late = Bun.sleep(DEADLINE_MS).then(() => false);
  if (!(await Promise.race([check, late]))) {
    throw unavailable('The server is not ready', RETRY_AFTER_SECONDS);
  }
  return { res: 'ready' };
}

/** No details: anybody may ask. */
async function checkParts({ db, sql, paths }: Checked): Promise<boolean> {
  if (isDraining({ sql })) return false;
  try {
    await access(paths.root, constants.R_OK | constants.W_OK);
    return (await hasServedSchema(db)) && (await findStoreFault({ paths })) === undefined;
  } catch {
    return false;
  }
}
