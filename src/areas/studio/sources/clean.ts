import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Deps } from '../../../core/context.ts';
import { REMEMBERED } from '../render/remembered.ts';
import { listUnusedHashes } from './store.ts';

/** Deletes what is remembered of videos that no asset is any more. */
export async function removeUnused({ db, paths }: Pick<Deps, 'db' | 'paths'>): Promise<void> {
  for (const folder of OLD_INDEXES)
    await rm(join(paths.studio, folder), { recursive: true, force: true });
  for (const name of REMEMBERED) {
    const top = join(paths.studio, name);
    for (const slice of await listNames(top)) {
      const files = (await listNames(join(top, slice))).map((file) => ({
        path: join(top, slice, file),
        hash: file.slice(0, 64),
      }));
      const unused = new Set(
        await listUnusedHashes(db, files.map(({ hash }) => hash).filter(isHash)),
      );
      for (const { path, hash } of files) if (unused.has(hash)) await rm(path, { force: true });
    }
  }
}

/** Written before the times of key frames, and where videos can be cut, were in them. */
const OLD_INDEXES = ['indexes', 'frame-times'];

const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
const listNames = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);
