/**
 * Moments of a change that spans files and the database: after each of them the power may go, and
 * what is on disk must make sense. Tests stop the process there; outside tests nobody listens.
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

/** The same on the way out. */
export const REMOVAL_FAULT_POINTS = [
  'removal.locked',
  'removal.renamed',
  'removal.synced',
  'removal.committed',
  'removal.unlinked',
] as const;

export type FaultPoint = (typeof FAULT_POINTS | typeof REMOVAL_FAULT_POINTS)[number];

let listener: ((point: FaultPoint) => void) | undefined;

/** For the entry point of a test alone. */
export const onFaultPoint = (listen: (point: FaultPoint) => void): void => {
  listener = listen;
};

export const reach = (point: FaultPoint): void => listener?.(point);
