import type { Tag, TagCount } from '../types.ts';

export type Node = {
  tag: Tag;
  /** With this tag or one below it. */
  count: number;
  children: readonly Node[];
};

/** Tags below each other, by name. */
export function treeOf(tags: readonly Tag[], counts: readonly TagCount[]): Node[] {
  const countOf = new Map(counts.map(({ tagId, totalCount }) => [tagId, totalCount]));
  const below = Map.groupBy(tags, ({ parentId }) => parentId);
  const nodesOf = (parentId: string | undefined): Node[] =>
    (below.get(parentId) ?? [])
      .map((tag) => ({ tag, count: countOf.get(tag.id) ?? 0, children: nodesOf(tag.id) }))
      .toSorted((a, b) => a.tag.name.localeCompare(b.tag.name));
  return nodesOf(undefined);
}

/** From the top down to the tag itself. */
export function pathOf(tags: readonly Tag[], id: string): Tag[] {
  const byId = new Map(tags.map((tag) => [tag.id, tag]));
  const path: Tag[] = [];
  for (let tag = byId.get(id); tag; tag = tag.parentId ? byId.get(tag.parentId) : undefined) {
    path.unshift(tag);
  }
  return path;
}

/** Where a tag can be moved: not below itself, and not where it is already. */
export const placesFor = (tags: readonly Tag[], tag: Tag): Tag[] =>
  tags.filter(
    ({ id, value }) => id !== tag.id && id !== tag.parentId && !value.startsWith(`${tag.value}/`),
  );

/** Those that contain all words, in any case; whole paths are searched. */
export const findTags = (tags: readonly Tag[], text: string): Tag[] => {
  const words = text
    .toLowerCase()
    .split(/[\s/]+/)
    .filter(Boolean);
  return tags
    .filter(({ value }) => words.every((word) => value.toLowerCase().includes(word)))
    .toSorted((a, b) => a.value.localeCompare(b.value));
};
