import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterError } from './errors.ts';

/** Where Debian's packages put each major version, side by side. */
const DEBIAN = '/usr/lib/postgresql';
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
  const majors = installedMajors(root);
  const recorded = recordedMajor(clusterDir);
  const major = recorded ?? majors[0];
  if (major === undefined) {
    throw new ClusterError(
      `PostgreSQL ${OLDEST} or newer is not installed. ` +
        `Run 'apt-get install postgresql-15', or set DATABASE_URL to a server you already have.`,
    );
  }
  if (!majors.includes(major)) {
    throw new ClusterError(
      `The database in ${clusterDir} was made by PostgreSQL ${major}, which is not installed. ` +
        `Run 'apt-get install postgresql-${major}'.`,
    );
  }
  return { major, bin: join(root, String(major), 'bin') };
}

function recordedMajor(clusterDir: string): number | undefined {
  if (!existsSync(clusterDir)) return undefined;
  try {
    return Number(readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim());
  } catch (cause) {
    throw new ClusterError(`${clusterDir} is not a PostgreSQL data folder`, { cause });
  }
}
