import { LRUCache } from 'lru-cache';
import type { Deps } from '../core/context.ts';
import { conflict } from '../core/errors.ts';
import { reach } from '../core/fault-points.ts';
import type { Db } from '../db/client.ts';
import { getErrorCode } from '../media/file-placement.ts';
import { deleteDigests, getBootId } from './partial-file.ts';
import { getStagingId } from './staging-id.ts';
import { findKnownServer, HeldElsewhere, requireNoOtherHolder } from '../nodes/servers.ts';
import { PART_BYTES } from '../storage/object-store.ts';
import { uploadNotFound } from './errors.ts';
import { countCopiedBytes } from './part-copies.ts';
import { claimUpload, findLatestHalf, type Upload, updateIncomplete } from './staging.store.ts';

// An upload is owned by the process that began its latest epoch. A request that hangs or continues in another process
// can neither save an offset nor write to the file that will be an original.

/** More than a server receives at a time. What is left out is claimed again, with a copy of its bytes. */
const MAX_OWNED = 10_000;

/** Epochs that this process began, by upload. */
const epochs = new LRUCache<string, number>({ max: MAX_OWNED });

/** Returns the columns of a new upload, which this process owns. */
export function begin(
  paths: Deps['paths'],
  id: string,
): Pick<Upload, 'epoch' | 'fileEpoch' | 'bootId' | 'stagingId'> {
  const epoch = 1;
  epochs.set(id, epoch);
  const stagingId = getStagingId(paths) ?? null;
  return { epoch, fileEpoch: epoch, bootId: getBootId(), stagingId };
}

/**
 * Makes this process the owner, until another one is. Call under the lock of the upload. Returns undefined when the
 * upload is over by now.
 */
export async function takeOver(deps: Deps, upload: Upload): Promise<Upload | undefined> {
  const { db, paths, now } = deps;
  if (epochs.get(upload.id) === upload.epoch) return upload;
  const stagingId = getStagingId(paths) ?? upload.stagingId;
  const claimed = await claimUpload(db, upload, stagingId, now());
  if (!claimed) return undefined;
  reach('takeover.claimed');
  deleteDigests(claimed.id);
  epochs.set(claimed.id, claimed.epoch);
  return claimed;
}

type Holder = Pick<Upload, 'stagingId'>;

/** Whether the bytes of all these uploads are in one folder. Null: that of this server. */
export function areTogether({ paths }: Pick<Deps, 'paths'>, all: readonly Holder[]): boolean {
  const own = getStagingId(paths);
  return new Set(all.map(({ stagingId }) => stagingId ?? own)).size <= 1;
}

/** A server that is started again is back in this time, with what is on its disk. */
const RESTART_MS = 60_000;
/** Bytes that are sent again rather than waited for. */
const RESENT_BYTES = 4 * PART_BYTES;

/**
 * Returns whether the bytes of an upload are gone with a machine, and the object store has none of them. Throws
 * HeldElsewhere when they are on that of another server, or may be when it has been started again.
 */
export async function isLost(deps: Deps, upload: Upload): Promise<boolean> {
  const { stagingId, status, offset, updatedAt } = upload;
  const own = getStagingId(deps.paths);
  if (own === undefined || stagingId === null || stagingId === own) return false;
  await requireNoOtherHolder(deps, (node) => node.stagingId === stagingId);
  if (offset === 0) return false;
  const copied = status === 'incomplete' ? await countCopiedBytes(deps, upload) : 0;
  if (copied > 0 && offset - copied <= RESENT_BYTES) return false;
  if (deps.now().getTime() - updatedAt.getTime() < RESTART_MS) throw new HeldElsewhere(undefined);
  return copied === 0;
}

/**
 * Throws HeldElsewhere when the halves of live photos of this account are on the machine of another server: both halves
 * must come to one. Call it in the transaction that creates the upload.
 */
export async function joinOtherHalf(deps: Deps, upload: Upload): Promise<void> {
  const { stagingId, publication } = upload;
  if (publication !== 'live-photo' || stagingId === null) return;
  if (!findKnownServer(deps, (node) => node.stagingId !== stagingId)) return;
  const folder = await findLatestHalf(deps.db, upload);
  if (folder === undefined || folder === stagingId) return;
  const server = findKnownServer(deps, (node) => node.stagingId === folder);
  if (server) throw new HeldElsewhere(server);
}

/** Returns the error, or what save throws if the file is gone because the next owner has removed it. */
export async function explainError(deps: Deps, upload: Upload, error: unknown): Promise<unknown> {
  if (getErrorCode(error) !== 'ENOENT') return error;
  return save(deps, deps.db, upload, {}).then(
    () => error,
    (reason: unknown) => reason,
  );
}

/** Saves what has changed. Throws 409 when another process owns the upload, 404 when it is over. */
export async function save(
  { now }: Pick<Deps, 'now'>,
  db: Db,
  upload: Upload,
  set: Partial<Upload>,
): Promise<Upload> {
  const outcome = await updateIncomplete(db, upload, { ...set, updatedAt: now() });
  if (outcome === 'gone') throw uploadNotFound();
  if (outcome === 'superseded') throw conflict('Another request has come for this upload');
  return { ...upload, ...set };
}

// In this process one request at a time holds the lock of an upload. The next one interrupts the transfer of the current
// holder, which may hang in a dead connection for minutes, and waits until its bytes are durable.

export type UploadLock = {
  /** Another request waits: bytes that are not in the file yet are discarded. */
  readonly isInterrupted: boolean;
  /** Call when all bytes are received: later requests then wait instead of interrupting. */
  makeUninterruptible(): void;
};

type LockEntry = { readonly interrupt: () => void; readonly done: Promise<void> };

const lastEntries = new Map<string, LockEntry>();

/** Runs `work` under the lock of the upload. `interrupt` must make `work` end soon. */
export async function acquireUploadLock<T>(
  id: string,
  interrupt: () => void,
  work: (turn: UploadLock) => Promise<T>,
): Promise<T> {
  const previous = lastEntries.get(id);
  const done = Promise.withResolvers<void>();
  const turn = { isOver: false, isHeld: false };
  const entry: LockEntry = {
    interrupt() {
      turn.isOver = true;
      if (!turn.isHeld) interrupt();
    },
    done: done.promise,
  };
  lastEntries.set(id, entry);
  try {
    previous?.interrupt();
    await previous?.done;
    return await work({
      get isInterrupted() {
        return turn.isOver;
      },
      makeUninterruptible() {
        turn.isHeld = true;
      },
    });
  } finally {
    if (lastEntries.get(id) === entry) lastEntries.delete(id);
    done.resolve();
  }
}
