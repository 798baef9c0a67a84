import { get, post, put, remove } from '../api.ts';
import { formatCount } from '../format.ts';
import { refreshTimelines } from '../timeline/timeline-data.ts';
import { attempt, showToast, showUndo } from '../toast.tsx';
import type { Stack } from '../types.ts';

export const fetchStack = (id: string): Promise<Stack> => get(`/stacks/${id}`);

/** The first stands for the others. */
export async function stack(ids: readonly string[]): Promise<boolean> {
  return attempt(async () => {
    const made = await post<Stack>('/stacks', { assetIds: ids });
    await refreshTimelines();
    const text = `${formatCount(made.assets.length, 'item')} stacked`;
    // A stack that was taken in cannot be told apart again.
    if (made.assets.length === ids.length) showUndo(text, () => dissolve(made.id));
    else showToast(text, 'success');
  });
}

const dissolve = (id: string): Promise<boolean> =>
  attempt(async () => {
    await remove(`/stacks/${id}`);
    await refreshTimelines();
  });

export async function unstack({ id, assets, primaryAssetId }: Stack): Promise<boolean> {
  const isDone = await dissolve(id);
  const others = assets.map((asset) => asset.id).filter((other) => other !== primaryAssetId);
  if (isDone) showUndo('Unstacked', () => stack([primaryAssetId, ...others]));
  return isDone;
}

export const makePrimary = (id: string, primaryAssetId: string): Promise<boolean> =>
  attempt(async () => {
    await put(`/stacks/${id}`, { primaryAssetId });
    await refreshTimelines();
  }, 'It stands for the stack now');

export const takeOut = (id: string, assetId: string): Promise<boolean> =>
  attempt(async () => {
    await remove(`/stacks/${id}/assets/${assetId}`);
    await refreshTimelines();
  }, 'Taken out of the stack');
