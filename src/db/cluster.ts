import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Account, chooseAccount, changeOwner } from '../core/account.ts';
import { lockDataFolder } from '../core/data-lock.ts';
import { getFreeBytes, MIN_FREE_BYTES, releaseReserve } from '../core/disk-reserve.ts';
import { watchReplacement } from '../core/file-identity.ts';
import type { Log } from '../core/log.ts';
import { dataPaths } from '../core/paths.ts';
import { socketUrl } from './address.ts';
import { ClusterError } from './cluster/errors.ts';
import {
  type Binaries,
  findBinaries,
  type MajorUpgrade,
  requireUpgrade,
  toBinaries,
} from './cluster/binaries.ts';
import { CLUSTER_NAME, createCluster } from './cluster/create.ts';
import { serverFlags } from './cluster/flags.ts';
import { stopLeftover } from './cluster/leftover.ts';
import { startPostmaster } from './cluster/postmaster.ts';
import {
  type FillCluster,
  replaceCluster,
  settleReplacement,
  takeBackReplacement,
} from './cluster/replace.ts';
import { prepareSocketDir } from './cluster/socket.ts';
import { type Supervised, supervise } from './cluster/supervise.ts';

export { FolderInUse } from '../core/data-lock.ts';
export { findUpgrade, requireUpgrade } from './cluster/binaries.ts';
export { ClusterError } from './cluster/errors.ts';
export { deleteReplacedClusters, type FillCluster } from './cluster/replace.ts';

export type ClusterOptions = {
  readonly dataDir: string;
  /** 'none' makes it fast and lets a crash destroy it: for tests only. */
  readonly durability?: 'full' | 'none';
  readonly log: Log;
  /** Folder of the installed versions of PostgreSQL. */
  readonly packages?: string;
};

export type Cluster = {
  readonly url: string;
  readonly pid: () => number;
  /**
   * Replaces the cluster by one of the newest PostgreSQL that is installed, and serves it at the same
   * address; the present one is stopped meanwhile, and serves again when that fails.
   */
  readonly upgrade: (fill: FillCluster, now: Date) => Promise<ClusterUpgrade>;
  stop(): Promise<void>;
};

export type ClusterUpgrade = MajorUpgrade & {
  /** Folder of the replaced cluster. */
  readonly kept: string;
};

/**
 * Runs our own PostgreSQL below the data folder and creates it at the first call. It is reached through a
 * unix socket only, never runs as root, lives no longer than this process, and is started again if
 * it dies. Throws ClusterError with a text for the owner; FolderInUse if the folder is taken.
 * To be called on the main thread: the server is tied to the thread that started it.
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  mkdirSync(options.dataDir, { recursive: true });
  const dataDir = realpathSync(options.dataDir);
  const lock = lockDataFolder(dataDir);
  try {
    return await startLocked({ ...options, dataDir }, lock.release);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function startLocked(options: ClusterOptions, release: () => void): Promise<Cluster> {
  const { dataDir, log, durability = 'full', packages } = options;
  const clusterDir = join(dataDir, 'postgres');
  await settleReplacement(clusterDir, log);
  const found = findBinaries(clusterDir, packages);
  const account = chooseAccount(dataDir, clusterDir);
  // Before its files are given to another user.
  await stopLeftover(clusterDir, log);
  await ensureCluster({
    clusterDir,
    binaries: found,
    account,
    log,
    sync: durability === 'full',
  });

  const socketDir = prepareSocketDir(clusterDir, account);
  const { blocks, bsize } = statfsSync(clusterDir);
  const flags = serverFlags({ socketDir, durability, diskBytes: blocks * bsize });
  const start = async () => {
    const supervised = await supervise(async () => {
      await stopLeftover(clusterDir, log);
      releaseReserve(dataPaths(dataDir), log);
      const binaries = findBinaries(clusterDir, packages);
      return startPostmaster({ clusterDir, binaries, account, flags, log });
    }, log).catch((error: unknown) => {
      throw explainFullDisk(dataDir, error);
    });
    return restartWhenReplaced(supervised, findBinaries(clusterDir, packages), log);
  };
  let server = await start();
  return {
    url: socketUrl(socketDir, CLUSTER_NAME, CLUSTER_NAME),
    pid: () => server.pid(),
    async upgrade(fill, now) {
      const { from, to } = requireUpgrade(clusterDir, packages);
      const [current, next] = [toBinaries(from, packages), toBinaries(to, packages)];
      await server.stop();
      let kept: string | undefined;
      try {
        kept = await replaceCluster({ clusterDir, account, current, next, now, log, fill });
        server = await start();
        return { from, to, kept };
      } catch (error) {
        if (kept !== undefined) takeBackReplacement(clusterDir, kept);
        server = await start();
        throw error;
      }
    },
    async stop() {
      await server.stop();
      rmSync(socketDir, { recursive: true, force: true });
      release();
    },
  };
}

/**
 * An upgrade of its package replaces the libraries below a server that runs: it loads them in each new session, and
 * those of another version do not fit (`could not load library "plpgsql.so": undefined symbol`).
 */
function restartWhenReplaced(server: Supervised, { bin }: Binaries, log: Log): Supervised {
  const watch = watchReplacement([join(bin, 'postgres'), join(bin, '../lib')], () => {
    log.warn('the program of the database was replaced: starting the new one', { bin });
    server.restart();
  });
  return {
    ...server,
    stop() {
      watch.stop();
      return server.stop();
    },
  };
}

/** Returns a sentence for the owner when there is no space for the database to start in; else the error itself. */
function explainFullDisk(dataDir: string, error: unknown): unknown {
  const free = getFreeBytes(dataDir);
  if (free >= MIN_FREE_BYTES) return error;
  const missing = Math.ceil((MIN_FREE_BYTES - free) / 1024 ** 2);
  return new ClusterError(
    `The disk of ${dataDir} is full, the database cannot start: free ${missing} MiB on it, and start again.`,
    { cause: error },
  );
}

/** An empty cluster and its first write-ahead log. */
const CLUSTER_BYTES = 80 * 1024 ** 2;

type EnsureOptions = {
  readonly clusterDir: string;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  readonly log: Log;
  readonly sync: boolean;
};

async function ensureCluster(options: EnsureOptions): Promise<void> {
  const { clusterDir, account, log, binaries } = options;
  if (!existsSync(clusterDir)) {
    log.info('creating the database', { folder: clusterDir, version: binaries.major });
    const free = getFreeBytes(dirname(clusterDir));
    if (free < CLUSTER_BYTES) {
      throw new ClusterError(
        `A new database needs ${CLUSTER_BYTES / 1024 ** 2} MiB of free disk space, ` +
          `there are ${Math.floor(free / 1024 ** 2)} MiB in ${dirname(clusterDir)}.`,
      );
    }
    await createCluster(options);
    return;
  }
  const found = statSync(clusterDir);
  // A copy made by root, for one. The server checks both itself, but cannot mend them.
  if (account && found.uid !== account.uid) changeOwner(account, clusterDir);
  if ((found.mode & 0o077) !== 0) chmodSync(clusterDir, 0o700);
}

/**
 * The address of the cluster that another process runs on this data folder, for commands beside a
 * running server. Undefined when none runs.
 */
export function runningCluster(dataDir: string): string | undefined {
  try {
    const lines = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
    const socketDir = lines[4];
    const ready = lines[7]?.trim() === 'ready';
    return ready && socketDir ? socketUrl(socketDir, CLUSTER_NAME, CLUSTER_NAME) : undefined;
  } catch {
    return undefined;
  }
}
