import { guardPath, openFile } from '../../core/guarded-path.ts';

/** Returns undefined for a file that is larger or cannot be read. */
export async function readText(path: string, maxBytes: number): Promise<string | undefined> {
  const file = await openFile(guardPath(path)).catch(() => undefined);
  try {
    if (!file || (await file.stat()).size > maxBytes) return undefined;
    return await file.readFile('utf8');
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}
