import { computeDigests, type Digests } from '../data/uploads/digests.ts';
import {
  isPausedQueue,
  type KeptFile,
  listKeptFiles,
  noteArrival,
  readKeptFile,
  readState,
  toQueueLock,
  UNSUPPORTED_STATUS,
  writeState,
} from '../data/uploads/kept-files.ts';
import { toLockName } from '../data/uploads/lock-names.ts';
import type { UploadCheck, UploadResult } from '../data/types.ts';
import {
  parseUploadId,
  toCreationHeaders,
  toRestHeaders,
  toUploadPath,
  VERSION,
} from '../data/uploads/upload-headers.ts';
import {
  sendRequest,
  fetchAccountId,
  isTransient,
  RetryLaterError,
  RefusedError,
  parseAnswer,
} from './worker-requests.ts';

// The service worker's side of uploads: it sends what pages have left when they were closed. The page does the same with
// progress (`data/uploads/queue.ts`); both hold the lock of a file's content while they send it.

/** A page that is being closed lets go of its lock within this time. */
const LOCK_WAIT_MS = 5000;

/**
 * Sends the files of all queues whose pages are closed. Throws a RetryLaterError when some are left that can be sent
 * later, so that the browser tries again. After a session has ended they wait for the person to log in.
 */
export async function sendKeptFiles(lockWaitMs = LOCK_WAIT_MS): Promise<void> {
  let isLeft = false;
  const queues = new Set((await listKeptFiles()).map(({ queue }) => queue));
  for (const queue of queues) {
    if (!(await whileLocked(queue, lockWaitMs, () => sendQueue(queue)))) isLeft = true;
  }
  if (isLeft) throw new RetryLaterError('Files are left to be uploaded');
}

/** Returns false where the lock is not free. */
async function whileLocked(
  queue: string,
  waitMs: number,
  work: () => Promise<boolean>,
): Promise<boolean> {
  const signal = AbortSignal.timeout(waitMs);
  let isHeld = false;
  const run = () => {
    isHeld = true;
    return work();
  };
  return navigator.locks.request(toQueueLock(queue), { signal }, run).catch((error: unknown) => {
    if (isHeld) throw error;
    return false;
  });
}

/** Returns false when files are left that can be sent later. */
async function sendQueue(queue: string): Promise<boolean> {
  let isDone = true;
  for (const kept of (await listKeptFiles()).filter((file) => file.queue === queue)) {
    if (await isPausedQueue(kept.userId, queue)) return true;
    const account = await fetchAccountId().catch(() => undefined);
    // Without an answer: later. Without a session, or with that of another account: not by this worker.
    if (account === undefined) return false;
    if (account !== kept.userId) return true;
    isDone = (await send(kept)) && isDone;
  }
  return isDone;
}

/** Returns false when it can be tried again. A final refusal is stored for the page. */
async function send(kept: KeptFile): Promise<boolean> {
  const { refusal, arrived } = await readState(kept);
  const file = refusal || arrived ? undefined : await readKeptFile(kept);
  if (!file) return true;
  try {
    const digests = await computeDigests(file);
    const { sha256 } = digests;
    const lock = toLockName({ userId: kept.userId, sha256 });
    await navigator.locks.request(lock, { ifAvailable: true }, async (free) => {
      if (!free) throw new RetryLaterError('Another tab sends this file');
      const assetId = (await findInLibrary(kept, digests)) ?? (await upload(kept, file, sha256));
      if (kept.album && assetId) await addToAlbum(kept.album.id, assetId);
      await noteArrival(kept, sha256);
    });
    return true;
  } catch (error) {
    if (!(error instanceof RefusedError)) return false;
    await writeState(kept, { refusal: { status: error.status, text: error.text } });
    return true;
  }
}

/** Returns the asset that has this content; undefined for one in the trash, which its upload restores. */
async function findInLibrary(kept: KeptFile, { sha1 }: Digests): Promise<string | undefined> {
  const assets = [{ id: kept.name, checksum: sha1 }];
  const answer = await sendRequest('POST', '/assets/bulk-upload-check', {
    body: JSON.stringify({ assets }),
  });
  const [verdict] = (await parseAnswer<UploadCheck>(answer)).results;
  if (verdict?.reason === 'unsupported-format') throw new RefusedError(UNSUPPORTED_STATUS, '');
  const isThere = verdict?.action === 'reject' && !verdict.isTrashed;
  return isThere ? verdict.assetId : undefined;
}

/** Sends the bytes from where the server has them. Returns the asset. */
async function upload(kept: KeptFile, file: File, sha256: string): Promise<string | undefined> {
  const { id, offset } = (await findBegun(kept)) ?? (await create(kept, file, sha256));
  const answer = await sendRequest('PATCH', toUploadPath(id), {
    headers: toRestHeaders(offset),
    // Without a type of its own, which would overrule the header.
    body: file.slice(offset, file.size, ''),
  });
  // The upload is elsewhere than we thought, or gone: the next attempt asks.
  if (answer.status === 404 || answer.status === 409 || answer.status === 410) {
    if (answer.status !== 409) await writeState(kept, {});
    throw new RetryLaterError(`The upload cannot be continued (${answer.status})`);
  }
  const { assetId } = await parseAnswer<UploadResult>(answer);
  return assetId ?? undefined;
}

type Place = { id: string; offset: number };

async function findBegun(kept: KeptFile): Promise<Place | undefined> {
  const { begun } = await readState(kept);
  if (!begun) return undefined;
  const answer = await sendRequest('HEAD', toUploadPath(begun.id), { headers: VERSION });
  if (answer.ok) return { id: begun.id, offset: Number(answer.headers.get('upload-offset') ?? 0) };
  if (isTransient(answer.status) || answer.status === 401) throw new RetryLaterError('HEAD failed');
  await writeState(kept, {});
  return undefined;
}

async function create(kept: KeptFile, file: File, sha256: string): Promise<Place> {
  const { mediaType, userId } = kept;
  const answer = await sendRequest('POST', '/assets/uploads', {
    headers: toCreationHeaders({ file, sha256, mediaType }),
  });
  const id = parseUploadId(answer.headers.get('location'));
  if (answer.status !== 201 || !id) {
    await parseAnswer(answer);
    throw new RetryLaterError('The upload has no address');
  }
  // Another account may have logged in since: then the upload is its, and gets no byte.
  if ((await fetchAccountId()) !== userId) {
    await sendRequest('DELETE', toUploadPath(id), { headers: VERSION });
    throw new RetryLaterError('Another account has logged in');
  }
  await writeState(kept, { begun: { id, sha256 } });
  return { id, offset: 0 };
}

/** An album that is gone, or that the account may no longer add to, is no reason to keep the file. */
async function addToAlbum(albumId: string, assetId: string): Promise<void> {
  const body = JSON.stringify({ ids: [assetId] });
  const { status } = await sendRequest('PUT', `/albums/${albumId}/assets`, { body });
  if (isTransient(status)) throw new RetryLaterError('The album cannot be changed');
}
