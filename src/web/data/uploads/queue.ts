import { requireValue } from '../../../core/required.ts';
import { ApiError, getMessage, isRetryable, post } from '../../base/api.ts';
import { type Release, tryLockAll } from '../../base/tab-locks.ts';
import type { UploadCheck, Uploaded } from '../types.ts';
import { addToAlbumSoon } from './album.ts';
import {
  changeItem,
  countItems,
  findItem,
  findNext,
  getNextBatch,
  isRunning,
  isSettled,
  type Item,
  type Status,
  uploads,
} from './items.ts';
import { UNSUPPORTED } from './media-types.ts';
import { failBeyondQuota } from './quota.ts';
import { endAllPauses, isFinal, sleep } from './retry.ts';
import type { Sending } from './request.ts';
import {
  giveUpWork,
  listAssetIds,
  listLockNames,
  type UploadFile,
  readWork,
  sendWork,
  computeSize,
} from './upload-work.ts';
import { works } from './works.ts';
import { t } from '../../base/i18n.ts';

const CONCURRENT_UPLOADS = 3;
const RETRY_MS = [1000, 3000, 9000];
/** Without a network, for as long as it takes. */
const OFFLINE_MS = 5000;
/** Files that are read ahead of those that are sent. */
const READ_AHEAD = 100;
const sendings = new Map<number, Sending>();
/** The items that a sender has, also while it waits for the network. */
const sendingIds = new Set<number>();
let senders = 0;
let isReading = false;

export function retryFailed(): void {
  const batch = getNextBatch(uploads.get().items);
  uploads.set((old) => ({
    ...old,
    items: old.items.map((item) =>
      item.status === 'failed' && !item.isRefused
        ? { ...item, batch, status: 'waiting', error: undefined, sent: 0 }
        : item,
    ),
  }));
  startUploads();
}

export function pauseUploads(): void {
  uploads.set((old) => ({ ...old, isPaused: true }));
  for (const { pause } of sendings.values()) pause();
  endAllPauses();
}

export function resumeUploads(): void {
  uploads.set((old) => ({ ...old, isPaused: false }));
  startUploads();
}

/** Takes everything out that has not arrived. */
export function cancelUploads(): void {
  const { items, isPaused } = uploads.get();
  uploads.set((old) => ({ ...old, isPaused: false, items: old.items.filter(isSettled) }));
  if (isPaused) {
    for (const { id } of items.filter((item) => !isSettled(item))) {
      const work = works.get(id);
      if (work) giveUpWork(work);
    }
  }
  startSenders();
  for (const { abort } of sendings.values()) abort();
  endAllPauses();
}

export function clearUploads(): void {
  if (uploads.get().isRunning) return;
  works.clear();
  uploads.set((old) => ({ ...old, items: [], isOpen: false }));
}

/** Forgets everything: the files are of an account that has left. */
export function dropUploads(): void {
  cancelUploads();
  works.clear();
  uploads.set((old) => ({ ...old, items: [], isRunning: false, isOpen: false }));
}

export const openUploads = (isOpen: boolean): void => uploads.set((old) => ({ ...old, isOpen }));

export function startUploads(): void {
  if (!isRunning()) return;
  uploads.set((old) => ({ ...old, isRunning: true }));
  void readAhead();
  startSenders();
}

const findUnlessPaused = (status: Status): Item | undefined =>
  uploads.get().isPaused ? undefined : findNext(status);

function startSenders(): void {
  while (senders < CONCURRENT_UPLOADS && findUnlessPaused('ready')) {
    senders++;
    void sendAll();
  }
  if (senders > 0 || isReading || isRunning()) return;
  uploads.set((old) =>
    old.isRunning ? { ...old, isRunning: false, endedAt: performance.now() } : old,
  );
}

/** Reads files, and asks about those that are read: many at a time while the senders are busy. */
async function readAhead(): Promise<void> {
  if (isReading) return;
  isReading = true;
  let read: number[] = [];
  for (let item = findUnlessPaused('waiting'); item; item = findUnlessPaused('waiting')) {
    changeItem(item.id, { status: 'reading' });
    if (await isRead(item.id)) read.push(item.id);
    if (senders === CONCURRENT_UPLOADS && read.length < READ_AHEAD && findUnlessPaused('waiting'))
      continue;
    await check(read);
    read = [];
    startSenders();
    while (!uploads.get().isPaused && countItems('ready') >= READ_AHEAD) await sleep(200);
  }
  isReading = false;
  startSenders();
}

/** False: it is of no use, and the person was told. */
async function isRead(id: number): Promise<boolean> {
  const work = works.get(id);
  if (!work) return false;
  return retryUntilSettled(id, () => readWork(work));
}

/** Leaves out what the library has. */
async function check(ids: readonly number[]): Promise<void> {
  const first = listChecksums(ids)[0]?.number;
  // Files without an answer are sent: the server compares again.
  const isAnswered = first === undefined || (await retryUntilSettled(first, () => compare(ids)));
  await failBeyondQuota(ids, works);
  ready(isAnswered ? ids : ids.filter((id) => id !== first));
}

const listChecksums = (ids: readonly number[]) =>
  ids.flatMap((number) =>
    (works.get(number)?.parts ?? []).flatMap((part) =>
      part.digests ? [{ number, part, checksum: part.digests.sha1 }] : [],
    ),
  );

async function compare(ids: readonly number[]): Promise<void> {
  const asked = listChecksums(ids);
  const assets = asked.map(({ part, checksum }) => ({ id: part.file.name, checksum }));
  const { results } = await post<UploadCheck>('/assets/bulk-upload-check', { assets });
  for (const [index, { number, part }] of asked.entries()) {
    const verdict = results[index];
    if (verdict) applyVerdict(number, part, verdict);
  }
}

type Verdict = UploadCheck['results'][number];

function applyVerdict(
  id: number,
  part: UploadFile,
  { action, reason, assetId, isTrashed }: Verdict,
): void {
  if (reason === 'unsupported-format') fail(id, new ApiError(400, UNSUPPORTED));
  else if (action === 'reject' && assetId) {
    part.assetId = assetId;
    if (isTrashed) part.isTrashed = true;
    else part.isThere = true;
  }
  const parts = works.get(id)?.parts;
  const first = parts?.[0]?.assetId;
  if (first && parts?.every(({ isThere }) => isThere)) {
    settle(id, { id: first, status: 'duplicate' });
  }
}

const ready = (ids: readonly number[]): void => {
  for (const id of ids) {
    const item = findItem(id);
    if (item && !isSettled(item)) changeItem(id, { status: 'ready', error: undefined });
  }
};

async function sendAll(): Promise<void> {
  for (let item = findUnlessPaused('ready'); item; item = findUnlessPaused('ready')) {
    const { id } = item;
    changeItem(id, { status: 'sending' });
    await sendItem(id);
  }
  senders--;
  startSenders();
}

/** Sends an item that nobody else sends: another tab, or this one for the same file chosen twice. */
async function sendItem(id: number): Promise<void> {
  let release: Release | undefined;
  let wasElsewhere = false;
  sendingIds.add(id);
  await retryUntilSettled(id, async () => {
    release ??= await tryLockAll(listLockNames(requireValue(works.get(id), 'files of the upload')));
    if (!release) {
      wasElsewhere = true;
      throw new ApiError(0, t('This file is already being uploaded.'));
    }
    // It has arrived then, or the other tab was closed.
    if (wasElsewhere) await compare([id]);
    wasElsewhere = false;
    const item = findItem(id);
    if (item && !isSettled(item)) settle(id, await sendOnce(id));
  });
  sendingIds.delete(id);
  // Paused: it is sent again from where the server has it.
  const item = findItem(id);
  if (item && !isSettled(item)) changeItem(id, { status: 'ready', error: undefined });
  release?.();
}

function settle(id: number, uploaded: Uploaded): void {
  const work = works.get(id);
  const album = findItem(id)?.album;
  if (work && album) addToAlbumSoon(album, listAssetIds(work, uploaded));
  works.delete(id);
  const sent = work ? computeSize(work) : 0;
  changeItem(id, { status: getStatus(uploaded), assetId: uploaded.id, sent });
}

function getStatus({ status, isTrashed }: Uploaded): Status {
  if (isTrashed) return 'restored';
  return status === 'duplicate' ? 'duplicate' : 'done';
}

const isHeld = (id: number): boolean => uploads.get().isPaused && sendingIds.has(id);

const fail = (id: number, error: unknown): void =>
  changeItem(id, { status: 'failed', error: getMessage(error), isRefused: isFinal(error) });

/** Tries until it works or is refused. A lost network is waited for; what went out is not lost. */
async function retryUntilSettled(id: number, work: () => Promise<void>): Promise<boolean> {
  for (let turn = 0; ;) {
    if (!works.has(id) || !findItem(id) || isHeld(id)) return false;
    const sent = findItem(id)?.sent ?? 0;
    try {
      await work();
      return true;
    } catch (error) {
      if (isHeld(id)) return false;
      if (!isRetryable(error)) {
        fail(id, error);
        return false;
      }
      const isOffline = error instanceof ApiError && error.status === 0;
      turn = (findItem(id)?.sent ?? 0) > sent ? 0 : turn;
      const pause = RETRY_MS[turn++] ?? (isOffline ? OFFLINE_MS : undefined);
      if (pause === undefined) {
        fail(id, error);
        return false;
      }
      changeItem(id, { status: 'retrying', error: getMessage(error) });
      await sleep(pause);
    }
  }
}

async function sendOnce(id: number): Promise<Uploaded> {
  const work = works.get(id);
  if (!work) throw new ApiError(-1, t('Canceled'));
  changeItem(id, { status: 'sending', error: undefined });
  return sendWork(
    work,
    (sent) => changeItem(id, { sent: Math.min(sent, computeSize(work)) }),
    (sending) => sendings.set(id, sending),
  ).finally(() => sendings.delete(id));
}
