import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileAccess } from '../../../core/launch.ts';
import { getIndexPath } from '../render/layer-inputs.ts';
import type { Film } from './messages.ts';

/**
 * Returns the files that the child of a stream may use, and makes the folders. It only reads the indexes of its
 * videos: other films are drawn by them too.
 */
export async function prepareFileAccess({
  sources,
  studio,
  folder,
}: Pick<Film, 'sources' | 'studio' | 'folder'>): Promise<Pick<FileAccess, 'read' | 'write'>> {
  const originals = [...sources.values()];
  const videos = originals.filter(({ type }) => type === 'VIDEO');
  const indexes = new Set(videos.map((video) => dirname(getIndexPath({ studio }, video))));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await Promise.all([...indexes].map((path) => mkdir(path, { recursive: true })));
  return { read: [...originals.map(({ path }) => path), ...indexes], write: [folder] };
}
