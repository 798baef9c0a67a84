import { get, post, put, remove } from '../api.ts';
import { formatCount } from '../format.ts';
import { createPersonalStore } from '../store.ts';
import { refreshTimelines } from '../timeline/timeline-data.ts';
import { attempt, showToast, showUndo } from '../toast.tsx';
import type { BulkResult, Tag, TagCount } from '../types.ts';

export type Tags = { list: readonly Tag[]; counts: readonly TagCount[] };

/** Undefined until it was asked for. */
export const tags = createPersonalStore<Tags | undefined>(undefined);

export async function fetchTags(): Promise<void> {
  const [list, counts] = await Promise.all([
    get<Tag[]>('/tags'),
    get<TagCount[]>('/tags/statistics'),
  ]);
  tags.set({ list, counts });
}

const changing = async <T>(work: () => Promise<T>): Promise<T> => {
  const done = await work();
  await fetchTags();
  return done;
};

export const createTag = (tag: { name: string; color?: string; parentId?: string }): Promise<Tag> =>
  changing(() => post<Tag>('/tags', tag));
type TagChange = { name?: string; color?: string | null; parentId?: string | null };
export const changeTag = (id: string, change: TagChange) =>
  changing(() => put<Tag>(`/tags/${id}`, change));

/** Without a parent to the top. */
export async function moveTag(tag: Tag, parent: Tag | undefined): Promise<boolean> {
  const moveTo = (parentId: string | undefined) =>
    attempt(() => changeTag(tag.id, { parentId: parentId ?? null }));
  const isDone = await moveTo(parent?.id);
  if (isDone) {
    showUndo(`${tag.name} moved ${parent ? `below ${parent.name}` : 'to the top'}`, () =>
      moveTo(tag.parentId),
    );
  }
  return isDone;
}

export const deleteTag = (id: string): Promise<void> => changing(() => remove(`/tags/${id}`));

/** 'Travel/Japan' makes both when they are missing. */
export const tagOfPath = async (path: string): Promise<Tag> => {
  const [tag] = await changing(() => put<Tag[]>('/tags', { tags: [path] }));
  if (!tag) throw new Error('A tag needs a name.');
  return tag;
};

/** Takes back only what was new. */
export async function tagAssets(tag: Tag, ids: readonly string[]): Promise<boolean> {
  return attempt(async () => {
    const results = await changing(() => put<BulkResult[]>(`/tags/${tag.id}/assets`, { ids }));
    const added = results.filter(({ success }) => success).map(({ id }) => id);
    await refreshTimelines();
    if (added.length === 0) return showToast(`Already tagged ${tag.name}`);
    showUndo(`${formatCount(added.length, 'item')} tagged ${tag.name}`, () => take(tag, added));
  });
}

export async function untagAssets(tag: Tag, ids: readonly string[]): Promise<boolean> {
  const isDone = await take(tag, ids);
  if (isDone) {
    showUndo(`${tag.name} taken off ${formatCount(ids.length, 'item')}`, () =>
      attempt(async () => {
        await changing(() => put(`/tags/${tag.id}/assets`, { ids }));
        await refreshTimelines();
      }),
    );
  }
  return isDone;
}

const take = (tag: Tag, ids: readonly string[]): Promise<boolean> =>
  attempt(async () => {
    await changing(() => remove(`/tags/${tag.id}/assets`, { ids }));
    await refreshTimelines();
  });
