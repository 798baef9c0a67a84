import { mkdirSync } from 'node:fs';
import type { DataPaths } from '../../../core/paths.ts';
import { getScratchFolder } from '../../../storage/index.ts';
import { type ExifTool, openExifTool } from '../../../media/exiftool.ts';
import { closeImageChildren } from '../../../media/image-children.ts';

// The tools of one thread, started by the first job or upload that needs them.

const exiftools = new Map<string, ExifTool>();

/**
 * Returns the thread's exiftool, which may read uploads, originals and derived files (sidecars, private copies), and
 * write to the scratch folder. Of its processes only as many are started as there are concurrent jobs.
 */
export function getExifTool(
  paths: DataPaths,
  { processes = 64 }: { readonly processes?: number } = {},
): ExifTool {
  let exiftool = exiftools.get(paths.root);
  if (!exiftool) {
    const scratch = getScratchFolder(paths);
    // The sandbox of exiftool admits only folders that exist when it starts.
    for (const folder of [scratch, paths.cache]) mkdirSync(folder, { recursive: true });
    const read = [paths.incoming, paths.originals, paths.derived, paths.cache];
    const files = { read, write: [scratch] };
    exiftool = openExifTool({ processes, files });
    exiftools.set(paths.root, exiftool);
  }
  return exiftool;
}

export async function closeTools(): Promise<void> {
  const open = [...exiftools.values()];
  exiftools.clear();
  await Promise.all([...open.map((exiftool) => exiftool.close()), closeImageChildren()]);
}
