import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEBIAN, installedMajors } from '../../src/db/cluster/binaries.ts';

/** The version that a new library gets. */
const MAJOR = String(installedMajors()[0]);

const getPackages = (folder: string): string => join(folder, 'packages');

/**
 * Copies the package of PostgreSQL into the folder. Returns the beginning of a command line that runs a program where
 * the copy is installed.
 */
export function mountPostgresCopy(folder: string): string[] {
  const packages = getPackages(folder);
  mkdirSync(packages);
  cpSync(join(DEBIAN, MAJOR), join(packages, MAJOR), { recursive: true });
  const script = `mount --bind ${packages} ${DEBIAN} && exec "$@"`;
  return ['unshare', '--mount', '--', 'sh', '-c', script, 'sh'];
}

/**
 * Replaces a library that each new session loads: by one that does not fit until `meanwhile` is over, then by the
 * right one. As dpkg does it: a new file beside the old one, then a rename.
 */
export async function replaceLibrary(
  folder: string,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const path = join(getPackages(folder), MAJOR, 'lib/plpgsql.so');
  const bytes = readFileSync(path);
  replace(path, Buffer.from('not this one'));
  await meanwhile();
  replace(path, bytes);
}

function replace(path: string, bytes: Uint8Array): void {
  writeFileSync(`${path}.dpkg-new`, bytes, { mode: 0o644 });
  renameSync(`${path}.dpkg-new`, path);
}
