import { get, post, put, remove } from '../../base/api.ts';
import { mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import { createPersonalStore } from '../../base/store.ts';
import { attempt, showUndo } from '../../ui/toast.tsx';
import type { BulkResult, Memory, MemoryChange, MemoryRule, MemoryRuleInput } from '../types.ts';
import { t } from '../../base/i18n.ts';

/** The memories that the player shows one after the other, and the page to go back to. */
export type Playlist = { readonly memories: readonly Memory[]; readonly from: string };

export const playlist = createPersonalStore<Playlist>({ memories: [], from: '/memories' });

const MEMORIES = { invalidates: [keys.memories] };

export const changeMemory = (id: string, change: MemoryChange): Promise<Memory> =>
  mutate(() => put(`/memories/${id}`, change), MEMORIES);

export const deleteMemory = (id: string): Promise<void> =>
  // Not the memory itself, which is gone while the player still shows it.
  mutate(() => remove(`/memories/${id}`), { invalidates: [[...keys.memories, 'list']] });

export const createMemory = (name: string, assetIds: readonly string[]): Promise<Memory> =>
  mutate(() => post('/memories', { name, assetIds, isSaved: true }), MEMORIES);

export const addRule = (rule: MemoryRuleInput): Promise<MemoryRule[]> =>
  mutate(() => post('/memories/show-less', rule), MEMORIES);
export const removeRule = (rule: MemoryRuleInput): Promise<MemoryRule[]> =>
  mutate(() => remove('/memories/show-less', rule), MEMORIES);

const changeAssets = (
  send: typeof put<BulkResult[]>,
  id: string,
  ids: readonly string[],
): Promise<BulkResult[]> => mutate(() => send(`/memories/${id}/assets`, { ids }), MEMORIES);

/** Tells so, with a way back. True: it worked. */
export async function hideMemory(id: string): Promise<boolean> {
  const isDone = await attempt(() => changeMemory(id, { isHidden: true }));
  if (isDone) {
    showUndo(t('Memory hidden'), () => attempt(() => changeMemory(id, { isHidden: false })));
  }
  return isDone;
}

export async function showLess(rule: MemoryRuleInput): Promise<boolean> {
  const isDone = await attempt(() => addRule(rule));
  if (isDone) showUndo(t('You will see less of this'), () => attempt(() => removeRule(rule)));
  return isDone;
}

/** Returns the memory with the pictures, and the ids of those that were not in it before. */
export async function addPictures(
  id: string,
  assetIds: readonly string[],
): Promise<{ memory: Memory; added: string[] }> {
  const results = await changeAssets(put, id, assetIds);
  const added = results.filter(({ success }) => success).map((result) => result.id);
  return { memory: await get<Memory>(`/memories/${id}`), added };
}

export const removeFromMemory = (id: string, assetIds: readonly string[]): Promise<BulkResult[]> =>
  changeAssets(remove, id, assetIds);

/** Tells so, with a way back. */
export async function removePictures(id: string, assetIds: readonly string[]): Promise<void> {
  await removeFromMemory(id, assetIds);
  showUndo(t('Removed from the memory'), () => attempt(() => changeAssets(put, id, assetIds)));
}
