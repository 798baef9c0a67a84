import { post, put, remove } from '../../base/api.ts';
import { invalidate, mutate } from '../../base/query-client.ts';
import { keys } from '../query-keys.ts';
import { attempt, showToast, showUndo } from '../../ui/toast.tsx';
import type { BulkResult, Tag } from '../types.ts';
import { t } from '../../base/i18n.ts';

/** Tags, photos with a tag, and the titles of their pins. */
const TAGS = { invalidates: [keys.tags, keys.timeline, keys.results, keys.pins] };

export const createTag = (tag: { name: string; color?: string; parentId?: string }): Promise<Tag> =>
  mutate(() => post<Tag>('/tags', tag), TAGS);
type TagChange = { name?: string; color?: string | null; parentId?: string | null };
export const changeTag = (id: string, change: TagChange) =>
  mutate(() => put<Tag>(`/tags/${id}`, change), TAGS);

/** Moves a tag below another one, or to the top if `parent` is undefined. */
export async function moveTag(tag: Tag, parent: Tag | undefined): Promise<boolean> {
  const moveTo = (parentId: string | undefined) =>
    attempt(() => changeTag(tag.id, { parentId: parentId ?? null }));
  const isDone = await moveTo(parent?.id);
  if (isDone) {
    showUndo(
      parent
        ? t('{name} moved below {parent}', { name: tag.name, parent: parent.name })
        : t('{name} moved to the top', { name: tag.name }),
      () => moveTo(tag.parentId),
    );
  }
  return isDone;
}

export const deleteTag = (id: string): Promise<void> => mutate(() => remove(`/tags/${id}`), TAGS);

/** Returns the tag of a path; 'Travel/Japan' creates both that are missing. Throws on an empty path. */
export const upsertTag = async (path: string): Promise<Tag> => {
  const [tag] = await mutate(() => put<Tag[]>('/tags', { tags: [path] }), TAGS);
  if (!tag) throw new Error(t('A tag needs a name.'));
  return tag;
};

const change = async (send: () => Promise<BulkResult[]>): Promise<BulkResult[]> => {
  const results = await mutate(send, TAGS);
  // Not waited for: a dialog that tagged a photo closes before the photo shows its new tag.
  void invalidate([keys.assets]);
  return results;
};
const addTag = (tag: Tag, ids: readonly string[]): Promise<BulkResult[]> =>
  change(() => put(`/tags/${tag.id}/assets`, { ids }));
const removeTag = (tag: Tag, ids: readonly string[]): Promise<BulkResult[]> =>
  change(() => remove(`/tags/${tag.id}/assets`, { ids }));

/** Tags photos; Undo removes the tag only from those that did not have it before. */
export const tagAssets = (tag: Tag, ids: readonly string[]): Promise<boolean> =>
  attempt(async () => {
    const results = await addTag(tag, ids);
    const added = results.filter(({ success }) => success).map(({ id }) => id);
    if (added.length === 0) return showToast(t('Already tagged {name}', { name: tag.name }));
    showUndo(
      t('{count, plural, one {# item} other {# items}} tagged {name}', {
        count: added.length,
        name: tag.name,
      }),
      () => attempt(() => removeTag(tag, added)),
    );
  });

export async function untagAssets(tag: Tag, ids: readonly string[]): Promise<boolean> {
  const isDone = await attempt(() => removeTag(tag, ids));
  if (isDone) {
    showUndo(
      t('{name} removed from {count, plural, one {# item} other {# items}}', {
        name: tag.name,
        count: ids.length,
      }),
      () => attempt(() => addTag(tag, ids)),
    );
  }
  return isDone;
}
