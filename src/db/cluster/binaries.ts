import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterError } from './errors.ts';

/** Where Debian's packages put each major version, side by side. */
export const DEBIAN = '/usr/lib/postgresql';
const OLDEST = 15;

export type Binaries = { readonly major: number; readonly bin: string };

export const installedMajors = (root = DEBIAN): number[] =>
  (existsSync(root) ? readdirSync(root) : [])
    .filter((name) => existsSync(join(root, name, 'bin', 'postgres')))
    .map(Number)
    .filter((major) => Number.isInteger(major) && major >= OLDEST)
    .sort((a, b) => b - a);

/** The server that made the folder, or the newest for a folder that does not exist yet. */
export function findBinaries(clusterDir: string, root = DEBIAN): Binaries {
  const recorded = readMajor(clusterDir);
  const [newest, ...others] = installedMajors(root);
  if (recorded === undefined) {
    if (newest !== undefined) return toBinaries(newest, root);
    throw new ClusterError(
      `PostgreSQL ${OLDEST} or newer is not installed. ` +
        `Run 'apt-get install postgresql-15', or set DATABASE_URL to a server you already have.`,
    );
  }
  if ([newest, ...others].includes(recorded)) return toBinaries(recorded, root);
  throw new ClusterError(
    `The database in ${clusterDir} was made by PostgreSQL ${recorded}, which is not installed. ` +
      `Run 'apt-get install postgresql-${recorded}'.` +
      (newest !== undefined && newest > recorded
        ? ` Where there is no such package any more: move the folder away, and ` +
          `'safelight maintenance restore DUMP' puts a backup into a new one of PostgreSQL ${newest}.`
        : ''),
  );
}

export type MajorUpgrade = { readonly from: number; readonly to: number };

/** Returns the major versions of an upgrade to the newest PostgreSQL; undefined where none is newer. */
export function findUpgrade(clusterDir: string, root = DEBIAN): MajorUpgrade | undefined {
  const [from, to] = [readMajor(clusterDir), installedMajors(root)[0]];
  return from !== undefined && to !== undefined && to > from ? { from, to } : undefined;
}

/** The same; throws ClusterError where none is newer. */
export function requireUpgrade(clusterDir: string, root = DEBIAN): MajorUpgrade {
  const found = findUpgrade(clusterDir, root);
  if (found) return found;
  throw new ClusterError(
    `${clusterDir} has no older PostgreSQL than the newest one installed: there is nothing to upgrade`,
  );
}

export const toBinaries = (major: number, root = DEBIAN): Binaries => ({
  major,
  bin: join(root, String(major), 'bin'),
});

/** Returns the major version that made the folder; undefined when there is none yet. */
function readMajor(clusterDir: string): number | undefined {
  if (!existsSync(clusterDir)) return undefined;
  try {
    return Number(readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim());
  } catch (cause) {
    throw new ClusterError(`${clusterDir} is not a PostgreSQL data folder`, { cause });
  }
}
