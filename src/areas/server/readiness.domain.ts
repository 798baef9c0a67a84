import type { Deps } from '../../core/context.ts';
import { unavailable } from '../../core/errors.ts';
import { hasServedSchema } from '../../db/migrate.ts';
import { perDatabase } from '../../db/per-database.ts';
import { getFaultTime } from '../../core/fault-time.ts';
import { NODE_ID } from '../../jobs/node-id.ts';
import { isDraining } from '../../nodes/node.ts';
import { findObjectStore, proveObjectStore } from '../../storage/objects.ts';
import { findFolderFault } from '../../storage/disks.ts';
import { withinLoopTime } from '../../core/loop-deadline.ts';
import { findStoreFault } from '../../storage/index.ts';
import { MARKER } from '../../storage/stored-file.ts';
import { proveWrite } from './store.ts';

/** With PROVEN_MS less than the 5 s after which a server that hangs gets no more requests. */
const DEADLINE_MS = 2500;
const RETRY_AFTER_SECONDS = 5;
/** A proof is believed for so long, unless a request meets a fault meanwhile. */
const PROVEN_MS = 2000;

type Checked = Pick<Deps, 'db' | 'sql' | 'paths' | 'settings'>;

const states = perDatabase(() => ({
  /** When the check began that has succeeded last, in ms of `performance.now()`. */
  provenAt: -Infinity,
  /** The check that runs: what it asks may hang for longer than those who ask wait. */
  running: undefined as Promise<boolean> | undefined,
}));

/**
 * Throws 503 unless requests can be served: the process is not about to stop, the database has a schema that it serves and
 * takes writes, and so do the folders, which are its own; the object store answers.
 */
export async function requireReady(deps: Checked): Promise<{ readonly res: 'ready' }> {
  const state = states(deps.sql);
  const isProven = Math.max(getFaultTime(), performance.now() - PROVEN_MS) < state.provenAt;
  if (!isDraining(deps) && isProven) return { res: 'ready' };
  state.running ??= check(deps, state).finally(() => (state.running = undefined));
  if (!(await withinLoopTime(state.running, DEADLINE_MS, false))) {
    throw unavailable('The server is not ready', RETRY_AFTER_SECONDS);
  }
  return { res: 'ready' };
}

/** No details: anybody may ask. */
async function check(deps: Checked, state: { provenAt: number }): Promise<boolean> {
  const begunAt = performance.now();
  if (isDraining(deps)) return false;
  try {
    if (!(await hasServedSchema(deps.db))) return false;
    if ((await findStoreFault(deps)) !== undefined) return false;
    await Promise.all([proveWrite(deps.db, NODE_ID), requireObjectStore(deps)]);
    if ((await findFolderFault(deps.paths)) !== undefined) return false;
  } catch {
    return false;
  }
  state.provenAt = begunAt;
  return true;
}

/** Rejects while the object store of the library does not answer. It is only read: a bucket may keep all versions. */
async function requireObjectStore(deps: Checked): Promise<void> {
  const objects = findObjectStore(deps.settings);
  if (objects && (await proveObjectStore(deps))) await objects.findText(MARKER);
}
