import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** The places of photos, and of what a program knows of them, below the folder that is imported. */
export type Layout = {
  readonly program: 'photoprism' | 'immich' | 'other';
  /** Folders with photos and videos. The others have thumbnails and the like. */
  readonly roots: readonly string[];
  /** Folders with the YAML files of PhotoPrism: of photos, in the same folders as below the root; and of albums. */
  readonly sidecars: readonly string[];
  readonly albums: readonly string[];
};

/** Recognizes the folders in which PhotoPrism and Immich keep what they have. */
export async function findLayout(root: string): Promise<Layout> {
  const existing = async (...names: readonly string[]) => {
    const paths = names.map((name) => join(root, name));
    const found = await Promise.all(paths.map(isFolder));
    return paths.filter((_, at) => found[at]);
  };
  const originals = await existing('originals');
  const sidecars = await existing('storage/sidecar', 'sidecar');
  if (originals.length > 0 && sidecars.length > 0) {
    const albums = await existing('storage/albums', 'storage/backup/albums', 'albums');
    return { program: 'photoprism', roots: originals, sidecars, albums };
  }
  const uploads = await existing('library', 'upload');
  const [thumbnails] = await existing('thumbs');
  return uploads.length > 0 && thumbnails
    ? { program: 'immich', roots: uploads, sidecars: [], albums: [] }
    : { program: 'other', roots: [root], sidecars: [], albums: [] };
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
