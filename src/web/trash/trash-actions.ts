import { get, post, remove } from '../api.ts';
import { formatCount } from '../format.ts';
import { createPersonalStore } from '../store.ts';
import { chunksOf } from '../timeline/asset-actions.ts';
import { refreshTimelines } from '../timeline/timeline-data.ts';
import { attempt, showUndo } from '../toast.tsx';
import type { TrashMove, TrashReview, TrashSummary } from '../types.ts';

/** Undefined until it was asked for. */
export const trashSummary = createPersonalStore<TrashSummary | undefined>(undefined);
export const fetchSummary = async (): Promise<void> =>
  trashSummary.set(await get<TrashSummary>('/trash/summary'));

/** What the server takes for one move. */
const AT_ONCE = 50_000;

const refresh = async (): Promise<void> => {
  await Promise.all([refreshTimelines(), fetchSummary().catch(() => undefined)]);
};

export async function moveToTrash(ids: ReadonlySet<string>): Promise<boolean> {
  const list = [...ids];
  const isDone = await attempt(async () => {
    for (const part of chunksOf(list, AT_ONCE)) await remove('/assets', { ids: part });
  });
  await refresh();
  if (isDone) {
    showUndo(`${formatCount(list.length, 'item')} moved to the trash`, () => putBack(list));
  }
  return isDone;
}

export async function restore(ids: ReadonlySet<string>): Promise<boolean> {
  const list = [...ids];
  const isDone = await putBack(list);
  if (isDone) {
    showUndo(`${formatCount(list.length, 'item')} restored`, () =>
      attempt(async () => {
        for (const part of chunksOf(list, AT_ONCE)) await remove('/assets', { ids: part });
        await refresh();
      }),
    );
  }
  return isDone;
}

const putBack = (ids: readonly string[]): Promise<boolean> =>
  attempt(async () => {
    for (const part of chunksOf(ids, AT_ONCE)) {
      await post<TrashMove>('/trash/restore/assets', { ids: part });
    }
    await refresh();
  });

/** What cannot be taken back, or is about all of the trash, is looked at before it is done. */
export type Reviewed =
  { action: 'delete'; assetIds: readonly string[] } | { action: 'empty' | 'restore-all' };

export const review = (what: Reviewed): Promise<TrashReview> => post('/trash/review', what);

export async function apply(what: Reviewed, { token }: TrashReview): Promise<TrashMove> {
  const moved = await post<TrashMove>('/trash/apply', { ...what, token });
  await refresh();
  return moved;
}
