import { join } from 'node:path';

// The version that formats depend on is part of this program: that of Debian 12 reads no UTF-16 sidecars. Perl is
// the system's.

/** Exists in the binary only; required, because those who start a child do not wait. */
const requireUnpacking = () =>
  require('../../native/exiftool.ts') as typeof import('../../native/exiftool.ts');

const ROOT = join(import.meta.dir, '../..');

/**
 * Returns the folder of ExifTool, then those of modules that are not in it; none where no folder could be written to
 * unpack it.
 */
export function listExifToolFolders(): readonly string[] {
  if (!Bun.isStandaloneExecutable)
    return [join(ROOT, 'node_modules/exiftool-vendored.pl/bin'), join(ROOT, 'native/perl')];
  const folder = requireUnpacking().unpackExifTool();
  return folder === undefined ? [] : [folder];
}

/** Returns the command that runs ExifTool: our version, or the system's where ours cannot be unpacked. */
export function getExifToolCommand(): readonly string[] {
  const [folder, ...modules] = listExifToolFolders();
  if (folder === undefined) return ['exiftool'];
  return ['perl', ...modules.map((path) => `-I${path}`), join(folder, 'exiftool')];
}
