import { get, post } from '../../base/api.ts';
import { formatNumber } from '../../base/format.ts';
import { invalidate, mutate, queryClient } from '../../base/query-client.ts';
import { PHOTOS } from '../query-keys.ts';
import { toChunks } from '../assets/asset-actions.ts';
import { attempt, showError, showToast } from '../../ui/toast.tsx';
import type { ArchiveOperation } from '../types.ts';
import { operationsQuery } from './queries.ts';
import { t } from '../../base/i18n.ts';

// Archiving is work that the server keeps doing, also when this page is closed. It can be stopped
// and taken back; what was changed by hand since then stays as it is.

/** The request alone: what it changes is read again when the operation has ended. */
const send = (path: string, body: object): Promise<ArchiveOperation> =>
  mutate(() => post(`/archive-operations${path}`, body), { invalidates: [] });

const WORKING: readonly ArchiveOperation['status'][] = ['queued', 'running', 'stopping', 'undoing'];
export const isWorking = ({ status }: ArchiveOperation): boolean => WORKING.includes(status);

const POLLING_MS = 250;
/** Shorter work is not worth a word before it is done. */
const QUIET_MS = 1200;

/** Archives a selection; false when the server refused. */
export async function archiveAssets(ids: ReadonlySet<string>): Promise<boolean> {
  const started: ArchiveOperation[] = [];
  const isDone = await attempt(async () => {
    for (const assetIds of toChunks([...ids])) {
      started.push(await send('', { assetIds }));
    }
  });
  for (const operation of started) void followOperation(operation);
  return isDone;
}

const followed = new Set<string>();

/** Polls an operation until it has ended, tells its progress and its end. */
export async function followOperation(first: ArchiveOperation): Promise<void> {
  cacheOperation(first);
  if (followed.has(first.id)) return;
  followed.add(first.id);
  const start = performance.now();
  let now = first;
  try {
    while (isWorking(now)) {
      cacheOperation(now);
      if (performance.now() - start > QUIET_MS) tellProgress(now);
      await new Promise((done) => setTimeout(done, POLLING_MS));
      now = await get<ArchiveOperation>(`/archive-operations/${first.id}`);
    }
    cacheOperation(now);
    tellEnd(now);
  } catch (error) {
    showError(error);
  }
  followed.delete(first.id);
  await invalidate(PHOTOS);
}

function cacheOperation(operation: ArchiveOperation): void {
  queryClient.setQueryData(operationsQuery().queryKey, (old = []) =>
    old.some(({ id }) => id === operation.id)
      ? old.map((known) => (known.id === operation.id ? operation : known))
      : [operation, ...old],
  );
}

const toToastName = ({ id }: ArchiveOperation): string => `archive ${id}`;

function tellProgress(operation: ArchiveOperation): void {
  const isBack = operation.status === 'undoing' || operation.status === 'stopping';
  showToast(describeProgress(operation), 'info', {
    name: toToastName(operation),
    actions: isBack ? [] : [{ label: t('Stop'), run: () => undoOperation(operation) }],
  });
}

/** Returns the state of an operation in one line. */
export function describeProgress(operation: ArchiveOperation): string {
  const { status, total, processed, archived, restored, kept } = operation;
  const count = (number: number) => formatNumber(number);
  switch (status) {
    case 'prepared':
      return t('{total, plural, one {# item} other {# items}} to archive, not confirmed', {
        total,
      });
    case 'expired':
      return t('Not confirmed in time; nothing was archived');
    case 'queued':
    case 'running':
      return t('Archiving: {processed} of {total}', {
        processed: count(processed),
        total: count(total),
      });
    case 'stopping':
      return t('Stopping …');
    case 'undoing':
      return t('Putting back: {count} of {archived}', {
        count: count(restored + kept),
        archived: count(archived),
      });
    case 'completed':
      return t('{archived, plural, one {# item} other {# items}} archived', { archived });
    case 'failed':
      return t('Stopped after {archived, plural, one {# item} other {# items}}: {error}', {
        archived,
        error: operation.error ?? t('a problem'),
      });
    case 'undone':
      return describeUndo(operation);
  }
}

const describeUndo = ({ restored, kept }: ArchiveOperation): string =>
  kept > 0
    ? t('{restored, plural, one {# item} other {# items}} put back, {kept} changed since stayed', {
        restored,
        kept: formatNumber(kept),
      })
    : t('{restored, plural, one {# item} other {# items}} back on the timeline', { restored });

function tellEnd(operation: ArchiveOperation): void {
  const name = toToastName(operation);
  const text = describeProgress(operation);
  if (operation.status === 'completed') {
    showToast(text, 'success', {
      name,
      actions: [{ label: t('Undo'), run: () => undoOperation(operation) }],
    });
  } else {
    showToast(text, operation.status === 'failed' ? 'error' : 'success', { name });
  }
}

/** Stops what runs, and puts back what was archived. */
export async function undoOperation({ id }: ArchiveOperation): Promise<void> {
  await attempt(async () => {
    void followOperation(await send(`/${id}/undo`, {}));
  });
}

export const prepareOperation = (): Promise<ArchiveOperation> => send('/prepare', {});

/** Ends an operation that was prepared and is not wanted; without this it expires by itself. */
export const discardOperation = ({ id }: ArchiveOperation): Promise<unknown> =>
  send(`/${id}/undo`, {}).catch(() => undefined);

export async function confirmOperation({ id, total }: ArchiveOperation): Promise<void> {
  void followOperation(await send(`/${id}/confirm`, { expectedCount: total }));
}
