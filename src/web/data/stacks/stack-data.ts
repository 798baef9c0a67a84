import { get, post, put, remove } from '../../base/api.ts';
import { fetchAsset } from '../assets/asset-actions.ts';
import { mutate } from '../../base/query-client.ts';
import { keys, PHOTOS } from '../query-keys.ts';
import { attempt, attemptUndoable, showUndo } from '../../ui/toast.tsx';
import type { Stack } from '../types.ts';
import { t } from '../../base/i18n.ts';

/** A stack itself is read again with the new version of the photo that stands for it. */
const STACKS = { invalidates: [...PHOTOS, keys.assets] };

export const fetchStack = (id: string): Promise<Stack> => get(`/stacks/${id}`);

/** Stacks photos, the first one on top. Undo restores the stacks that were taken in. */
export async function stackAssets(ids: readonly string[]): Promise<boolean> {
  return attempt(async () => {
    const before = await findStacks(ids);
    const made = await createStack(ids);
    const text = t('{count, plural, one {# item} other {# items}} stacked', {
      count: made.assets.length,
    });
    showUndo(text, () =>
      attempt(() =>
        mutate(async () => {
          await remove(`/stacks/${made.id}`);
          for (const old of before) await post<Stack>('/stacks', { assetIds: listMembers(old) });
        }, STACKS),
      ),
    );
  });
}

/** Each photo is asked about; for more, the list of all stacks is shorter. */
const MAX_LOOKED_UP = 100;

/** Returns the stacks that some of these photos are in. */
async function findStacks(ids: readonly string[]): Promise<Stack[]> {
  if (ids.length > MAX_LOOKED_UP) {
    const wanted = new Set(ids);
    const all = await get<Stack[]>('/stacks');
    return all.filter(({ assets }) => assets.some(({ id }) => wanted.has(id)));
  }
  const assets = await Promise.all(ids.map(fetchAsset));
  const found = new Set(assets.flatMap(({ stack: of }) => of?.id ?? []));
  return Promise.all([...found].map(fetchStack));
}

/** Returns the ids of a stack's photos, the one on top first. */
const listMembers = ({ assets, primaryAssetId }: Stack): string[] => [
  primaryAssetId,
  ...assets.map(({ id }) => id).filter((id) => id !== primaryAssetId),
];

const createStack = (assetIds: readonly string[]): Promise<Stack> =>
  mutate(() => post('/stacks', { assetIds }), STACKS);

export async function unstack(old: Stack): Promise<boolean> {
  const isDone = await attempt(() => mutate(() => remove(`/stacks/${old.id}`), STACKS));
  if (isDone) {
    showUndo(t('Unstacked'), () =>
      attempt(() => createStack(listMembers(old)), t('Stacked again')),
    );
  }
  return isDone;
}

const putPrimary = (id: string, primaryAssetId: string): Promise<Stack> =>
  mutate(() => put(`/stacks/${id}`, { primaryAssetId }), STACKS);

export const changePrimary = ({ id, primaryAssetId }: Stack, next: string): Promise<boolean> =>
  attemptUndoable(
    () => putPrimary(id, next),
    t('Cover of the stack changed'),
    () => putPrimary(id, primaryAssetId),
  );

/** Undo stacks all of them again: a stack of two is gone without one of them. */
export const removeFromStack = (old: Stack, assetId: string): Promise<boolean> =>
  attemptUndoable(
    () => mutate(() => remove(`/stacks/${old.id}/assets/${assetId}`), STACKS),
    t('Removed from the stack'),
    () => createStack(listMembers(old)),
  );
