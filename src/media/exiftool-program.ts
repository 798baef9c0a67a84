import { join } from 'node:path';

// The version that formats depend on is part of this program: that of Debian 12 reads no UTF-16 sidecars. Perl is
// the system's.

/** Exists in the binary only; required, because those who start a child do not wait. */
const requireUnpacking = () =>
  require('../../native/exiftool.ts') as typeof import('../../native/exiftool.ts');

/** Returns the folder of ExifTool; undefined where no folder could be written to unpack it. */
export const findExifToolFolder = (): string | undefined =>
  Bun.isStandaloneExecutable
    ? requireUnpacking().unpackExifTool()
    : join(import.meta.dir, '../../node_modules/exiftool-vendored.pl/bin');

/** Returns the command that runs ExifTool: our version, or the system's where ours cannot be unpacked. */
export function getExifToolCommand(): readonly string[] {
  const folder = findExifToolFolder();
  return folder === undefined ? ['exiftool'] : ['perl', join(folder, 'exiftool')];
}
