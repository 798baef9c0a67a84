import {
  existsSync,
  lstatSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Account } from '../../core/account.ts';
import { Failure } from '../../core/command-line.ts';
import { toStamp } from '../../core/dates.ts';
import { reach } from '../../core/fault-points.ts';
import type { Log } from '../../core/log.ts';
import { socketUrl } from '../address.ts';
import type { Binaries } from './binaries.ts';
import { CLUSTER_NAME, createCluster, removeUnfinished, syncCluster } from './create.ts';
import { syncFolder } from '../../core/json-file.ts';
import { serverFlags } from './flags.ts';
import { stopLeftover } from './leftover.ts';
import { startPostmaster } from './postmaster.ts';
import { prepareSocketDir } from './socket.ts';

// A cluster of a newer PostgreSQL is built beside the present one, `postgres.next`, and is called
// `postgres.ready` from the moment at which it is complete and on the disk. Then two renames put it in the
// place of the present one, which is kept as `postgres.replaced-TIME`. `settleReplacement` at each start
// decides by the names: before both renames the replacement has not happened, after the first it has. Without
// the new one, the one that was replaced last is the present one: it was being taken back.

/** Fills the new database from the present one. Throws when the new one must not be used. */
export type FillCluster = (urls: {
  readonly from: string;
  readonly to: string;
  /** Folder of the programs of the newer version. */
  readonly bin: string;
}) => Promise<void>;

export type ReplaceOptions = {
  readonly clusterDir: string;
  readonly account: Account | undefined;
  readonly current: Binaries;
  readonly next: Binaries;
  readonly now: Date;
  readonly log: Log;
  readonly fill: FillCluster;
};

const getNext = (clusterDir: string) => `${clusterDir}.next`;
const getReady = (clusterDir: string) => `${clusterDir}.ready`;
const getReplaced = (clusterDir: string, time: Date) => `${clusterDir}.replaced-${toStamp(time)}`;

/**
 * To be called with the data folder locked and no server running on it. Returns the folder of the replaced
 * cluster; until the new one is complete, nothing that fails changes anything.
 */
export async function replaceCluster(options: ReplaceOptions): Promise<string> {
  const { clusterDir, account, next, log } = options;
  requireOrdinaryFolder(clusterDir);
  await settleReplacement(clusterDir, log);
  const building = { clusterDir: getNext(clusterDir), account, binaries: next, sync: false };
  try {
    await createCluster(building);
    reach('cluster.created');
    await fillCluster(options);
    await syncCluster(building);
    reach('cluster.filled');
    renameSync(building.clusterDir, getReady(clusterDir));
    syncFolder(dirname(clusterDir));
    reach('cluster.ready');
    return swapClusters(clusterDir, options.now);
  } catch (error) {
    await settleReplacement(clusterDir, log);
    throw error;
  }
}

/** A link or a mount point would stay where it is when the folder is renamed. */
function requireOrdinaryFolder(clusterDir: string): void {
  const isOnOneDisk = statSync(clusterDir).dev === statSync(dirname(clusterDir)).dev;
  if (isOnOneDisk && !lstatSync(clusterDir).isSymbolicLink()) return;
  throw new Failure(
    `${clusterDir} is a link or another disk, beside which nothing can be built. Make a backup, empty ` +
      `that folder, start the server once, and restore the backup.`,
  );
}

async function fillCluster(options: ReplaceOptions): Promise<void> {
  const { clusterDir, current, next, fill } = options;
  // Others may read meanwhile; what they wrote would be missing in the new cluster.
  const readOnly = { default_transaction_read_only: 'on' };
  const from = await startServer(options, clusterDir, current, 'full', readOnly);
  try {
    // Without waiting for the disk: until it is complete, it may be lost.
    const to = await startServer(options, getNext(clusterDir), next, 'none');
    try {
      await fill({ from: from.url, to: to.url, bin: next.bin });
    } finally {
      await to.stop();
      rmSync(to.socketDir, { recursive: true, force: true });
    }
    const how = await to.exited;
    if (how !== 'exit code 0') throw new Failure(`PostgreSQL ${next.major} has ended with ${how}`);
  } finally {
    await from.stop();
  }
}

async function startServer(
  { account, log }: ReplaceOptions,
  clusterDir: string,
  binaries: Binaries,
  durability: 'full' | 'none',
  more: Record<string, string> = {},
) {
  const socketDir = prepareSocketDir(clusterDir, account);
  const { blocks, bsize } = statfsSync(clusterDir);
  const own = serverFlags({ socketDir, durability, diskBytes: blocks * bsize });
  const flags = { ...own, ...more };
  const server = await startPostmaster({ clusterDir, binaries, account, flags, log });
  return { ...server, socketDir, url: socketUrl(socketDir, CLUSTER_NAME, CLUSTER_NAME) };
}

function swapClusters(clusterDir: string, now: Date): string {
  const replaced = getReplaced(clusterDir, now);
  renameSync(clusterDir, replaced);
  try {
    syncFolder(dirname(clusterDir));
    reach('cluster.moved');
    renameSync(getReady(clusterDir), clusterDir);
  } catch (error) {
    renameSync(replaced, clusterDir);
    throw error;
  }
  syncFolder(dirname(clusterDir));
  reach('cluster.swapped');
  return replaced;
}

/** Takes a replacement back on which no server starts. */
export function takeBackReplacement(clusterDir: string, replaced: string): void {
  renameSync(clusterDir, getNext(clusterDir));
  renameSync(replaced, clusterDir);
  syncFolder(dirname(clusterDir));
}

/** Completes a swap that was interrupted, or removes what has not come so far. */
export async function settleReplacement(clusterDir: string, log: Log): Promise<void> {
  const ready = getReady(clusterDir);
  if (!existsSync(clusterDir)) {
    const present = existsSync(ready) ? ready : listReplaced(clusterDir).at(-1);
    if (present !== undefined) {
      renameSync(present, clusterDir);
      syncFolder(dirname(clusterDir));
    }
  }
  removeUnfinished(getNext(clusterDir));
  for (const folder of [getNext(clusterDir), ready]) {
    if (!existsSync(folder)) continue;
    await stopLeftover(folder, log);
    // Not by a thread: one that is made before the server listens would keep its right to low ports.
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Deletes clusters that were replaced before this time, and returns their names. */
export function deleteReplacedClusters(clusterDir: string, before: Date): string[] {
  // The present one may be away: then one of these is the only one.
  if (!existsSync(clusterDir)) return [];
  const limit = getReplaced(clusterDir, before);
  const found = listReplaced(clusterDir).filter((folder) => folder < limit);
  for (const folder of found) rmSync(folder, { recursive: true, force: true });
  return found.map((folder) => basename(folder));
}

/** Returns the folders of replaced clusters, oldest first. */
function listReplaced(clusterDir: string): string[] {
  const parent = dirname(clusterDir);
  const prefix = `${basename(clusterDir)}.replaced-`;
  const names = readdirSync(parent).filter((name) => name.startsWith(prefix));
  return names.toSorted().map((name) => join(parent, name));
}
