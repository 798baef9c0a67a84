/**
 * Fault injection points of a change that spans files and the database: after a power failure at any of
 * them the state on disk must be consistent. Tests stop the process there; otherwise they do nothing.
 */
export const FAULT_POINTS = [
  'incoming.opened',
  'incoming.written',
  'incoming.synced',
  'asset.inserted',
  'folders.made',
  'original.linked',
  'incoming.unlinked',
  'folder.synced',
  'asset.committed',
] as const;

/** The same for a resumable upload that another process takes over. */
export const TAKEOVER_FAULT_POINTS = [
  'takeover.claimed',
  'takeover.copied',
  'takeover.saved',
] as const;

/** The same for an upload to an object store, besides the first ones of FAULT_POINTS. */
export const OBJECT_FAULT_POINTS = [
  'object.announced',
  'object.stored',
  'object.named',
  'object.deleted',
] as const;

/** The same for the removal of an original. */
export const REMOVAL_FAULT_POINTS = [
  'removal.locked',
  'removal.renamed',
  'removal.synced',
  'removal.committed',
  'removal.unlinked',
] as const;

/** The same for an operation of any kind: each change of its row, before the commit. */
const OPERATION_FAULT_POINTS = ['operation.changed'] as const;

/** The same for an export of a memory or a project. */
const EXPORT_FAULT_POINTS = [
  'export.started',
  'export.segment',
  'export.written',
  'export.renamed',
] as const;

/** The same for a plan of physical deduplication: what applies it, restores it, and empties its quarantine. */
export const DEDUPLICATION_FAULT_POINTS = [
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
] as const;

/** The same for an upgrade of the database. */
export const UPGRADE_FAULT_POINTS = [
  'upgrade.closed',
  'upgrade.copied',
  'upgrade.migrated',
  'upgrade.checked',
  'upgrade.swapped',
] as const;

/** The same for an upgrade of PostgreSQL itself. */
export const CLUSTER_FAULT_POINTS = [
  'cluster.created',
  'cluster.dumped',
  'cluster.restored',
  'cluster.filled',
  'cluster.ready',
  'cluster.moved',
  'cluster.swapped',
] as const;

export type FaultPoint = (
  | typeof FAULT_POINTS
  | typeof TAKEOVER_FAULT_POINTS
  | typeof OBJECT_FAULT_POINTS
  | typeof REMOVAL_FAULT_POINTS
  | typeof OPERATION_FAULT_POINTS
  | typeof EXPORT_FAULT_POINTS
  | typeof DEDUPLICATION_FAULT_POINTS
  | typeof UPGRADE_FAULT_POINTS
  | typeof CLUSTER_FAULT_POINTS
)[number];

let listener: ((point: FaultPoint) => void) | undefined;

/** For the entry point of a test only. */
export const onFaultPoint = (listen: (point: FaultPoint) => void): void => {
  listener = listen;
};

export const reach = (point: FaultPoint): void => listener?.(point);
