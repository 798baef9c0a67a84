import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { archive, exifTool } from '#exiftool';
import { nativeFolders } from './folders.ts';
import { extractedRoot } from './load.ts';

// ExifTool is unpacked from the binary when it is first used: Perl reads it from a folder. Reached through the
// build only.

let unpacked: string | undefined;

/**
 * Returns the folder of the unpacked ExifTool, whose files are those of this binary: they are read once for each
 * thread, and written again when one is missing or damaged. Undefined where no folder can be written.
 */
export function unpackExifTool(): string | undefined {
  // Another version of this program may have deleted it.
  if (unpacked !== undefined && isProgramThere(unpacked)) return unpacked;
  for (const folder of nativeFolders()) {
    try {
      unpacked = unpackTo(join(extractedRoot(folder), 'exiftool'));
      return unpacked;
    } catch {
      // Read-only or full: the next one.
    }
  }
  return undefined;
}

const isProgramThere = (folder: string): boolean => Bun.file(join(folder, 'exiftool')).size > 0;

/** Any number of processes and threads may do this at once: the folder appears as a whole. */
function unpackTo(folder: string): string {
  if (isWhole(folder)) return folder;
  const draft = `${folder}.${randomUUID()}.tmp`;
  try {
    write(draft);
    // A damaged one is in the way, or a whole one that another process was faster with.
    if (!isWhole(folder)) rmSync(folder, { recursive: true, force: true });
    try {
      renameSync(draft, folder);
    } catch (error) {
      if (!isWhole(folder)) throw error;
    }
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

function isWhole(folder: string): boolean {
  const hash = createHash('sha256');
  try {
    for (const { name } of exifTool.files) hash.update(readFileSync(join(folder, name)));
  } catch {
    return false;
  }
  return hash.digest('hex') === exifTool.digest;
}

function write(folder: string): void {
  const contents = zstdDecompressSync(readFileSync(archive));
  let at = 0;
  for (const { name, size } of exifTool.files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    writeFileSync(path, contents.subarray(at, (at += size)), { mode: 0o644 });
  }
}
