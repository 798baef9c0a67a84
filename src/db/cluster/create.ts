import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Account, listUsers } from '../../core/account.ts';
import { syncFolder } from '../../core/json-file.ts';
import type { Binaries } from './binaries.ts';
import { ClusterError } from './errors.ts';
import { asAccount, CHILD_ENV, INHERITED, openFolder } from './launch.ts';
import { getUid } from '../../core/process-user.ts';

/** Superuser and database have one name; who may reach the socket is whom it belongs to. */
export const CLUSTER_NAME = 'safelight';

type Options = {
  readonly clusterDir: string;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  /** False only for throw-away clusters of tests. */
  readonly sync: boolean;
};

/**
 * Makes the cluster beside its place and renames it when it is complete: a crash at any line leaves
 * nothing but a folder that the next start removes.
 */
export async function createCluster(options: Options): Promise<void> {
  const { clusterDir, account } = options;
  requireNamedUser(account);
  removeUnfinished(clusterDir);
  const building = `${getBuilding(clusterDir)}${process.pid}`;
  mkdirSync(building, { mode: 0o700 });
  chmodSync(building, 0o700);
  if (account) chownSync(building, account.uid, account.gid);

  await runInitdb(building, options);
  writeFileSync(join(building, 'pg_hba.conf'), 'local all all trust\n');
  await runTool(building, options, 'postgres', ['--single', '-D', INHERITED, 'postgres'], {
    input: `create database ${CLUSTER_NAME}\n`,
  });

  renameSync(building, clusterDir);
  if (options.sync) syncFolder(dirname(clusterDir));
}

/** Writes a cluster to the disk that was filled without waiting for it. Its server must not run. */
export const syncCluster = (options: Options): Promise<void> =>
  runTool(options.clusterDir, options, 'initdb', [`--pgdata=${INHERITED}`, '--sync-only']);

const runInitdb = (building: string, options: Options) =>
  runTool(building, options, 'initdb', [
    `--pgdata=${INHERITED}`,
    `--username=${CLUSTER_NAME}`,
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--data-checksums',
    '--auth=trust',
    '--no-instructions',
    ...(options.sync ? [] : ['--no-sync']),
  ]);

async function runTool(
  folder: string,
  { binaries, account }: Options,
  tool: string,
  args: readonly string[],
  { input }: { input?: string } = {},
): Promise<void> {
  const fd = openFolder(folder);
  const child = Bun.spawn(asAccount(account, [join(binaries.bin, tool), ...args]), {
    cwd: '/',
    env: CHILD_ENV,
    stdio: [input === undefined ? 'ignore' : Buffer.from(input), 'pipe', 'pipe', fd],
  });
  closeSync(fd);
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new ClusterError(`${tool} failed (${code}): ${(err || out).trim()}`);
}

const getBuilding = (clusterDir: string) => `${clusterDir}.building-`;

/** Removes what an interrupted `createCluster` has left. */
export function removeUnfinished(clusterDir: string): void {
  const parent = dirname(clusterDir);
  for (const name of readdirSync(parent)) {
    const path = join(parent, name);
    if (path.startsWith(getBuilding(clusterDir))) rmSync(path, { recursive: true, force: true });
  }
}

/** initdb looks up its own user, so an id without a name cannot make a cluster. */
function requireNamedUser(account: Account | undefined): void {
  const uid = account?.uid ?? getUid();
  if (listUsers().some((user) => user.uid === uid)) return;
  throw new ClusterError(
    `User id ${uid} has no entry in /etc/passwd, and PostgreSQL needs one to make its folder. ` +
      `Run as a user with a name, or set DATABASE_URL.`,
  );
}
