import { isUnreadable } from '../../core/disk-errors.ts';
import { guardPath, openFile } from '../../core/guarded-path.ts';

/** Returns undefined for a file that is larger or not there. Throws if the disk cannot read it. */
export async function readText(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    await using file = await openFile(guardPath(path));
    return (await file.stat()).size > maxBytes ? undefined : await file.readFile('utf8');
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}
