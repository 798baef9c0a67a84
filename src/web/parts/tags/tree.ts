import { fold } from '../../../core/fold-text.ts';
import type { Tag, TagCount } from '../../data/types.ts';

export type Node = {
  tag: Tag;
  /** Photos with this tag or one below it. */
  count: number;
  children: readonly Node[];
};

/** Returns the tags that have no parent, each with those below it, sorted by name. */
export function toTree(tags: readonly Tag[], counts: readonly TagCount[]): Node[] {
  const countByTag = new Map(counts.map(({ tagId, totalCount }) => [tagId, totalCount]));
  const below = Map.groupBy(tags, ({ parentId }) => parentId);
  const toNodes = (parentId: string | undefined): Node[] =>
    (below.get(parentId) ?? [])
      .map((tag) => ({ tag, count: countByTag.get(tag.id) ?? 0, children: toNodes(tag.id) }))
      .toSorted((a, b) => a.tag.name.localeCompare(b.tag.name));
  return toNodes(undefined);
}

/** Returns the tags from the top down to the tag itself; empty for an unknown one. */
export function getPath(tags: readonly Tag[], id: string): Tag[] {
  const byId = new Map(tags.map((tag) => [tag.id, tag]));
  const path: Tag[] = [];
  for (let tag = byId.get(id); tag; tag = tag.parentId ? byId.get(tag.parentId) : undefined) {
    path.unshift(tag);
  }
  return path;
}

/** Returns the tags that this one can be moved below: not itself, its descendants or its parent. */
export const listMoveTargets = (tags: readonly Tag[], tag: Tag): Tag[] =>
  tags.filter(
    ({ id, value }) => id !== tag.id && id !== tag.parentId && !value.startsWith(`${tag.value}/`),
  );

/** Returns the tags whose path contains all words of the text, without regard to case and accents, sorted by path. */
export const findTags = (tags: readonly Tag[], text: string): Tag[] => {
  const words = fold(text)
    .split(/[\s/]+/)
    .filter(Boolean);
  return tags
    .filter(({ value }) => words.every((word) => fold(value).includes(word)))
    .toSorted((a, b) => a.value.localeCompare(b.value));
};
