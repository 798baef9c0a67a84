/**
 * Fault injection points, by the change that spans files and the database: after a power failure at any of
 * them the state on disk must be consistent. Tests stop the process there; otherwise they do nothing.
 */
export const FAULT_POINTS = {
  upload: [
    'incoming.opened',
    'incoming.written',
    'incoming.synced',
    'asset.inserted',
    'folders.made',
    'original.linked',
    'incoming.unlinked',
    'folder.synced',
    'asset.committed',
  ],
  /** A resumable upload that another process takes over. */
  takeover: ['takeover.claimed', 'takeover.copied', 'takeover.saved'],
  /** An upload to an object store, besides the first ones of every upload, and a deletion from it. */
  object: ['object.announced', 'object.stored', 'object.named', 'object.deleted'],
  /** The removal of an original. */
  removal: [
    'removal.locked',
    'removal.renamed',
    'removal.synced',
    'removal.committed',
    'removal.unlinked',
  ],
  /** An operation of any kind: each change of its row, before the commit. */
  operation: ['operation.changed'],
  /** A move from archives: bytes that came, and an archive that was unpacked, before they are in the database. */
  archives: ['archive.written', 'archive.unpacked', 'archive.saved'],
  /** An export of a memory or a project. */
  export: ['export.started', 'export.segment', 'export.written', 'export.renamed'],
  /** A plan of physical deduplication: what applies it, restores it, and empties its quarantine. */
  deduplication: [
    'copy.verified',
    'copy.saved',
    'copy.committed',
    'copy.copied',
    'copy.moved',
    'copy.recorded',
    'restore.verified',
    'restore.placed',
    'restore.moved',
    'restore.committed',
    'purge.verified',
    'purge.deleted',
  ],
  /** An update of the database: the same point after each migration. */
  update: ['update.begun', 'update.dumped', 'update.migrated', 'update.ended'],
  /** A database that takes the place of another one. */
  replacement: [
    'replacement.closed',
    'replacement.made',
    'replacement.checked',
    'replacement.swapped',
  ],
  /** An upgrade of PostgreSQL itself. */
  cluster: [
    'cluster.created',
    'cluster.dumped',
    'cluster.restored',
    'cluster.filled',
    'cluster.ready',
    'cluster.moved',
    'cluster.swapped',
  ],
} as const;

export type FaultPoint = (typeof FAULT_POINTS)[keyof typeof FAULT_POINTS][number];

let listener: ((point: FaultPoint) => void) | undefined;

/** For the entry point of a test only. */
export const onFaultPoint = (listen: (point: FaultPoint) => void): void => {
  listener = listen;
};

export const reach = (point: FaultPoint): void => listener?.(point);
