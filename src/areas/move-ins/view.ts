import type { OperationState } from '../../db/tables/operations.ts';
import { findKey } from './keys.ts';
import { getOwnerId, isFromFolder, isFromServer, type MoveInOperation } from './kind.ts';
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
  const { id, payload, progress, error } = operation;
  const { keyHolder: _, awaySince: __, assets, albums, tags, ...counts } = progress;
  const { bytes } = payload.found;
  const isOpen = canStart(operation);
  const fits = (most: number) =>
    isOpen && bytes !== null ? Math.max(0, bytes - counts.takenBytes) <= most : null;
  return {
    id,
    url: isFromServer(operation) ? operation.payload.url.replace(/\/api$/, '') : null,
    path: isFromFolder(operation) ? operation.payload.path : null,
    program: isFromFolder(operation) ? operation.payload.program : null,
    ownerId: getOwnerId(operation),
    status: getStatus(operation),
    // Only these are ever saved.
    reason: error as MoveInReason | null,
    needsKey: isOpen && isFromServer(operation) && findKey(id) === undefined,
    found: payload.found,
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
