import { SHARED_FILES } from './names.ts';

/** Returns the files that other apps have shared with this one, and nobody has decided about. */
export async function readSharedFiles(): Promise<File[]> {
  if (!(await caches.has(SHARED_FILES))) return [];
  const cache = await caches.open(SHARED_FILES);
  const files: File[] = [];
  for (const request of await cache.keys()) {
    const name = new URL(request.url).searchParams.get('name') ?? '';
    const blob = await (await cache.match(request))?.blob();
    if (blob) files.push(new File([blob], name, { type: blob.type }));
  }
  return files;
}

export const deleteSharedFiles = (): Promise<boolean> => caches.delete(SHARED_FILES);
