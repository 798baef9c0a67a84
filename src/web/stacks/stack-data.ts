import { get, post, put, remove } from '../api.ts';
import { formatCount } from '../format.ts';
import { fetchAsset } from '../timeline/asset-actions.ts';
import { refreshTimelines } from '../timeline/timeline-data.ts';
import { attempt, showToast, showUndo } from '../toast.tsx';
import type { Stack } from '../types.ts';

export const fetchStack = (id: string): Promise<Stack> => get(`/stacks/${id}`);

/** The first stands for the others. Stacks that are taken in come back when it is taken back. */
export async function stack(ids: readonly string[]): Promise<boolean> {
  return attempt(async () => {
    const before = await stacksAround(ids);
    const made = await make(ids);
    const text = `${formatCount(made.assets.length, 'item')} stacked`;
    if (!before) return showToast(text, 'success');
    showUndo(text, () =>
      attempt(async () => {
        await remove(`/stacks/${made.id}`);
        for (const old of before) await post<Stack>('/stacks', { assetIds: membersOf(old) });
        await refreshTimelines();
      }),
    );
  });
}

/** Each photo is asked about: not for so many. */
const MOST_ASKED = 100;

/** The stacks that some of these photos are in; undefined where there are too many to ask. */
async function stacksAround(ids: readonly string[]): Promise<Stack[] | undefined> {
  if (ids.length > MOST_ASKED) return undefined;
  const assets = await Promise.all(ids.map(fetchAsset));
  const found = new Set(assets.flatMap(({ stack: of }) => of?.id ?? []));
  return Promise.all([...found].map(fetchStack));
}

/** The one that stands for the others comes first. */
const membersOf = ({ assets, primaryAssetId }: Stack): string[] => [
  primaryAssetId,
  ...assets.map(({ id }) => id).filter((id) => id !== primaryAssetId),
];

async function make(ids: readonly string[]): Promise<Stack> {
  const made = await post<Stack>('/stacks', { assetIds: ids });
  await refreshTimelines();
  return made;
}

export async function unstack(old: Stack): Promise<boolean> {
  const isDone = await attempt(async () => {
    await remove(`/stacks/${old.id}`);
    await refreshTimelines();
  });
  if (isDone) showUndo('Unstacked', () => attempt(() => make(membersOf(old)), 'Stacked again'));
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
