import { post } from '../api.ts';
import { formatCount } from '../format.ts';
import { chunksOf } from '../timeline/asset-actions.ts';
import { refreshTimelines } from '../timeline/timeline-data.ts';
import { attempt, showUndo } from '../toast.tsx';
import { askForPin, ensurePin } from './pin.ts';

/** Whole stacks and live photos go, whichever part was chosen. */
export async function lock(ids: ReadonlySet<string>): Promise<boolean> {
  if (!(await ensurePin())) return false;
  const isDone = await move('lock', ids);
  if (isDone) showUndo(`${formatCount(ids.size, 'item')} locked`, () => withPin(ids));
  return isDone;
}

/** Each goes back to where it was, also into its albums. */
export async function unlockAssets(ids: ReadonlySet<string>): Promise<boolean> {
  const isDone = await withPin(ids);
  if (isDone) {
    showUndo(`${formatCount(ids.size, 'item')} not locked any more`, () => move('lock', ids));
  }
  return isDone;
}

const move = (way: 'lock' | 'unlock', ids: ReadonlySet<string>): Promise<boolean> =>
  attempt(async () => {
    for (const part of chunksOf([...ids])) await post(`/assets/${way}`, { ids: part });
    await refreshTimelines();
  });

const withPin = (ids: ReadonlySet<string>): Promise<boolean> =>
  attempt(async () => {
    if (!(await askForPin())) throw new Error('They stay locked: the PIN was not entered.');
    for (const part of chunksOf([...ids])) await post('/assets/unlock', { ids: part });
    await refreshTimelines();
  });
