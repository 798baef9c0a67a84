import { join } from 'node:path';

/** Every folder below the data folder. Nothing is written anywhere else. */
export type DataPaths = ReturnType<typeof dataPaths>;

export const dataPaths = (root: string) => ({
  root,
  /** Content-addressed originals: `ab/cd/<sha256 hex>`. */
  originals: join(root, 'originals'),
  /** Made from originals and replaceable: thumbnails, previews, transcodes. */
  derived: join(root, 'derived'),
  /** Uploads in progress; on the file system of `originals`, so that a rename publishes them. */
  incoming: join(root, 'incoming'),
  /** Originals on their way out; on the same file system, so that a rename puts them here. */
  removed: join(root, 'removed'),
  /** Pictures of people's accounts. */
  profiles: join(root, 'profiles'),
  /** Archives and films of memories, until they expire; never shared with the group. */
  exports: join(root, 'exports'),
  /** Frames of projects that are being cut; replaceable, never shared with the group. */
  studio: join(root, 'studio'),
  /** Copies of originals that are in an object store; replaceable. */
  cache: join(root, 'cache'),
  postgres: join(root, 'postgres'),
  models: join(root, 'models'),
  /** The certificate that the server has made for itself. */
  tls: join(root, 'tls'),
  backups: join(root, 'backups'),
  /** State of maintenance mode: outside the database, which may be broken. */
  maintenance: join(root, 'maintenance'),
  /** Made from the vectors in the database, by each machine for itself; replaceable. */
  vectors: join(root, 'vectors'),
});

/** Folder and name of a derived file, relative to the derived folder. */
export const derivedName = (assetId: string, kind: string, extension: string): string =>
  `${assetId.slice(0, 2)}/${assetId.slice(2, 4)}/${assetId}-${kind}.${extension}`;
