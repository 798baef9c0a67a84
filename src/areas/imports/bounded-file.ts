import { guardPath, openFile } from '../../core/guarded-path.ts';

/** The file is gone, a link, of another kind, or not for us. Any other error is one of the disk. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EINVAL', 'EACCES', 'EPERM'];

/** Returns undefined for a file that is larger or not there. Throws if the disk cannot read it. */
export async function readText(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    await using file = await openFile(guardPath(path));
    return (await file.stat()).size > maxBytes ? undefined : await file.readFile('utf8');
  } catch (error) {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
