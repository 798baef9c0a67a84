import { mkdirSync } from 'node:fs';
import type { DataPaths } from '../../../core/paths.ts';
import { getScratchFolder } from '../../../storage/index.ts';
import { type ExifTool, type ExifToolOptions, openExifTool } from '../../../media/exiftool.ts';
import { closeImageChildren } from '../../../media/image-children.ts';

// Shared by the job handlers of one thread, started by the first job that needs it.

const exiftools = new Map<string, ExifTool>();
let shared: ExifToolOptions | undefined;

/** From now on all libraries of this thread have one exiftool: tests open many. */
export function shareExifTool(options: ExifToolOptions): void {
  shared = options;
}

/**
 * Returns the thread's exiftool, which may read originals and derived files (sidecars, private copies), and
 * write to the scratch folder. Of its processes only as many are started as there are concurrent jobs.
 */
export function getExifTool(
  paths: DataPaths,
  { processes = 64 }: { readonly processes?: number } = {},
): ExifTool {
  const key = shared ? '' : paths.root;
  let exiftool = exiftools.get(key);
  if (!exiftool) {
    const scratch = getScratchFolder(paths);
    // The sandbox of exiftool admits only folders that exist when it starts.
    for (const folder of [scratch, paths.cache]) mkdirSync(folder, { recursive: true });
    const files = { read: [paths.originals, paths.derived, paths.cache], write: [scratch] };
    exiftool = openExifTool(shared ?? { processes, files });
    exiftools.set(key, exiftool);
  }
  return exiftool;
}

export async function closeTools(): Promise<void> {
  const open = [...exiftools.values()];
  exiftools.clear();
  await Promise.all([...open.map((exiftool) => exiftool.close()), closeImageChildren()]);
}
