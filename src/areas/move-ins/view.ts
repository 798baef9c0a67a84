import type { OperationState } from '../../db/tables/operations.ts';
import { findKey } from './keys.ts';
import {
  getArchives,
  getFound,
  getOwnerId,
  isFromArchives,
  isFromFolder,
  isFromServer,
  type MoveInOperation,
  sumSizes,
} from './kind.ts';
import type { MoveIn, MoveInReason, MoveInStatus } from './schemas.ts';

/** Bytes that the quota and the disk still allow. */
export type Room = { readonly quotaBytes: number; readonly diskBytes: number };

const STATUSES: Readonly<Partial<Record<OperationState, MoveInStatus>>> = {
  queued: 'queued',
  running: 'running',
  completed: 'completed',
  cancelled: 'cancelled',
  expired: 'expired',
};

export const getStatus = ({
  state,
  startedAt,
}: Pick<MoveInOperation, 'state' | 'startedAt'>): MoveInStatus =>
  state === 'prepared' ? (startedAt ? 'paused' : 'waiting') : (STATUSES[state] ?? 'failed');

export const canStart = (operation: Pick<MoveInOperation, 'state' | 'startedAt'>): boolean =>
  ['waiting', 'paused', 'failed'].includes(getStatus(operation));

export function toMoveIn(operation: MoveInOperation, room: Room): MoveIn {
  const { id, progress, error } = operation;
  const { keyHolder: _, awaySince: __, archives: ___, assets, albums, tags, ...counts } = progress;
  const found = getFound(operation);
  const { bytes } = found;
  const isOpen = canStart(operation);
  const fits = (most: number) =>
    isOpen && bytes !== null ? Math.max(0, bytes - counts.takenBytes) <= most : null;
  return {
    id,
    url: isFromServer(operation) ? operation.payload.url.replace(/\/api$/, '') : null,
    path: isFromFolder(operation) ? operation.payload.path : null,
    archives: describeArchives(operation),
    program: findProgram(operation),
    ownerId: getOwnerId(operation),
    status: getStatus(operation),
    // Only these are ever saved.
    reason: error as MoveInReason | null,
    needsKey: isOpen && isFromServer(operation) && findKey(id) === undefined,
    found,
    fitsQuota: fits(room.quotaBytes),
    fitsDisk: fits(room.diskBytes),
    done: { assets, albums, tags },
    ...counts,
    noted: counts.noted ?? 0,
    createdAt: operation.createdAt.toISOString(),
    startedAt: operation.startedAt?.toISOString() ?? null,
    finishedAt: operation.finishedAt?.toISOString() ?? null,
  };
}

function describeArchives(operation: MoveInOperation): MoveIn['archives'] {
  if (!isFromArchives(operation)) return null;
  const { phase, parts, share } = getArchives(operation);
  const { archives } = operation.payload;
  const isUnpacked = (_: unknown, at: number) => parts[at]?.isUnpacked ?? false;
  const present = archives[parts.findIndex((part) => !part.isUnpacked)]?.size ?? 0;
  const done = sumSizes(archives.filter(isUnpacked)) + share * present;
  return {
    phase,
    parts: archives.map((archive, at) => ({ ...archive, received: parts[at]?.received ?? 0 })),
    unpacked: phase === 'import' ? 1 : Math.min(1, done / Math.max(1, sumSizes(archives))),
  };
}

function findProgram(operation: MoveInOperation): MoveIn['program'] {
  if (isFromFolder(operation)) return operation.payload.program;
  return operation.progress.archives?.program ?? null;
}
