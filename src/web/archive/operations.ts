import { get, post } from '../api.ts';
import { formatCount } from '../format.ts';
import { createPersonalStore } from '../store.ts';
import { chunksOf } from '../timeline/asset-actions.ts';
import { refreshTimelines } from '../timeline/timeline-data.ts';
import { attempt, showError, showToast } from '../toast.tsx';
import type { ArchiveOperation } from '../types.ts';

// Archiving is work that the server keeps doing, also when this page is closed. It can be stopped
// and taken back; what was changed by hand since then stays as it is.

/** The latest of this account, newest first. */
export const operations = createPersonalStore<readonly ArchiveOperation[]>([]);

export const fetchOperations = async (): Promise<void> =>
  operations.set(await get<ArchiveOperation[]>('/archive-operations'));

const WORKING: readonly ArchiveOperation['status'][] = ['queued', 'running', 'stopping', 'undoing'];
export const isWorking = ({ status }: ArchiveOperation): boolean => WORKING.includes(status);

const ASK_MS = 250;
/** Shorter work is not worth a word before it is done. */
const PATIENCE_MS = 1200;

/** Archives a selection; false when the server refused. */
export async function archive(ids: ReadonlySet<string>): Promise<boolean> {
  const started: ArchiveOperation[] = [];
  const isDone = await attempt(async () => {
    for (const assetIds of chunksOf([...ids])) {
      started.push(await post<ArchiveOperation>('/archive-operations', { assetIds }));
    }
  });
  for (const operation of started) void follow(operation);
  return isDone;
}

const followed = new Set<string>();

/** Stays with an operation until it rests, and says so. */
export async function follow(first: ArchiveOperation): Promise<void> {
  put(first);
  if (followed.has(first.id)) return;
  followed.add(first.id);
  const start = performance.now();
  let now = first;
  try {
    while (isWorking(now)) {
      put(now);
      if (performance.now() - start > PATIENCE_MS) tellProgress(now);
      await new Promise((done) => setTimeout(done, ASK_MS));
      now = await get<ArchiveOperation>(`/archive-operations/${first.id}`);
    }
    put(now);
    tellEnd(now);
  } catch (error) {
    showError(error);
  }
  followed.delete(first.id);
  await refreshTimelines();
}

function put(operation: ArchiveOperation): void {
  operations.set((old) =>
    old.some(({ id }) => id === operation.id)
      ? old.map((known) => (known.id === operation.id ? operation : known))
      : [operation, ...old],
  );
}

const nameOf = ({ id }: ArchiveOperation): string => `archive ${id}`;

function tellProgress(operation: ArchiveOperation): void {
  const isBack = operation.status === 'undoing' || operation.status === 'stopping';
  showToast(progressOf(operation), 'info', {
    name: nameOf(operation),
    action: isBack ? undefined : { label: 'Stop', run: () => undo(operation) },
  });
}

/** What goes on, or went on, in one line. */
export function progressOf(operation: ArchiveOperation): string {
  const { status, total, processed, archived, restored, kept } = operation;
  const count = (number: number) => number.toLocaleString();
  switch (status) {
    case 'prepared':
      return `${formatCount(total, 'item')} to archive, not confirmed`;
    case 'expired':
      return 'Not confirmed in time; nothing was archived';
    case 'queued':
    case 'running':
      return `Archiving: ${count(processed)} of ${count(total)}`;
    case 'stopping':
      return 'Stopping …';
    case 'undoing':
      return `Putting back: ${count(restored + kept)} of ${count(archived)}`;
    case 'completed':
      return `${formatCount(archived, 'item')} archived`;
    case 'failed':
      return `Stopped after ${formatCount(archived, 'item')}: ${operation.error ?? 'a problem'}`;
    case 'undone':
      return putBack(operation);
  }
}

const putBack = ({ restored, kept }: ArchiveOperation): string =>
  kept > 0
    ? `${formatCount(restored, 'item')} put back, ${kept.toLocaleString()} changed since stayed`
    : `${formatCount(restored, 'item')} back on the timeline`;

function tellEnd(operation: ArchiveOperation): void {
  const name = nameOf(operation);
  const text = progressOf(operation);
  if (operation.status === 'completed') {
    showToast(text, 'success', { name, action: { label: 'Undo', run: () => undo(operation) } });
  } else {
    showToast(text, operation.status === 'failed' ? 'error' : 'success', { name });
  }
}

/** Stops what runs, and puts back what was archived. */
export async function undo({ id }: ArchiveOperation): Promise<void> {
  await attempt(async () => {
    void follow(await post<ArchiveOperation>(`/archive-operations/${id}/undo`, {}));
  });
}

export const prepare = (): Promise<ArchiveOperation> => post('/archive-operations/prepare', {});

/** Of one that was prepared and is not wanted; it would end by itself. */
export const discard = ({ id }: ArchiveOperation): Promise<unknown> =>
  post(`/archive-operations/${id}/undo`, {}).catch(() => undefined);

export async function confirm({ id, total }: ArchiveOperation): Promise<void> {
  void follow(
    await post<ArchiveOperation>(`/archive-operations/${id}/confirm`, { expectedCount: total }),
  );
}
