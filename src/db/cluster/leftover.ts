import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../core/log.ts';
import { ClusterError } from './errors.ts';

type Step = readonly [signal: NodeJS.Signals, patienceMs: number];

/** A postmaster ends its sessions and writes a checkpoint; then it ends them by force, after 5 s with SIGKILL, and itself. */
const WITH_POSTMASTER: readonly Step[] = [
  ['SIGINT', 60_000],
  ['SIGQUIT', 15_000],
];
/** Without one there is nothing to save: the next start repairs the database from its log. */
const WITHOUT_POSTMASTER: readonly Step[] = [
  ['SIGTERM', 1000],
  ['SIGQUIT', 1000],
  ['SIGKILL', 5000],
];

/**
 * Ends what a supervisor that was killed left behind, so that a new server may start. The process
 * id in postmaster.pid proves nothing (it may be dead, a zombie, or another program's by now): a
 * process belongs to this cluster if its working directory is the cluster's folder. Only to be
 * called with the data folder locked.
 */
export async function stopLeftover(clusterDir: string, log: Log): Promise<void> {
  const pidFile = join(clusterDir, 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  const folder = realpathSync(clusterDir);

  let left = processesIn(folder);
  if (left.length > 0)
    log.warn('a database server was left running: stopping it', { processes: left });
  const hasPostmaster = () => left.includes(postmaster);
  for (const [name, patienceMs] of WITH_POSTMASTER) {
    if (!hasPostmaster()) break;
    for (const pid of name === 'SIGINT' ? [postmaster] : left) signal(pid, name);
    left = await waitUntil(folder, patienceMs, (now) => !now.includes(postmaster));
  }
  // Also those that outlived one that was just dying when it was looked for.
  for (const [name, patienceMs] of WITHOUT_POSTMASTER) {
    if (left.length === 0 || hasPostmaster()) break;
    for (const pid of left) signal(pid, name);
    left = await waitUntil(folder, patienceMs, (now) => now.length === 0);
  }
  if (left.length > 0) {
    throw new ClusterError(
      `Processes ${left.join(', ')} still use ${clusterDir} and do not stop. End them first.`,
    );
  }
  rmSync(pidFile, { force: true });
}

/** Returns the processes of the folder when they are as wanted, or the patience is over. */
async function waitUntil(
  folder: string,
  patienceMs: number,
  isReached: (processes: readonly number[]) => boolean,
): Promise<number[]> {
  const until = Date.now() + patienceMs;
  let left = processesIn(folder);
  while (!isReached(left) && Date.now() < until) {
    await Bun.sleep(10);
    left = processesIn(folder);
  }
  return left;
}

/** Live processes of PostgreSQL that work in the folder. Zombies have no working directory. */
function processesIn(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid)) return false;
      try {
        return (
          readlinkSync(`/proc/${pid}/cwd`) === folder &&
          readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres')
        );
      } catch {
        return false; // gone meanwhile, or another user's: the server of this folder is ours
      }
    });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended between our look and our signal.
  }
}
