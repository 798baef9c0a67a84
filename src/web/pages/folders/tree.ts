export type Folder = {
  path: string;
  name: string;
  children: readonly Folder[];
};

export type VisibleFolder = { folder: Folder; level: number; parent: string | undefined };

/** Returns the folders above a path and the path itself, from the top: `/a/b` gives `/a` and `/a/b`. */
export const listAncestors = (path: string): string[] => {
  const names = path.split('/').filter(Boolean);
  return names.map((_, index) => `/${names.slice(0, index + 1).join('/')}`);
};

export const getFolderName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Returns the folders at the top with those below them, also those without items, sorted by name. */
export function toTree(paths: readonly string[]): Folder[] {
  const all = new Set(paths.flatMap(listAncestors));
  const below = Map.groupBy(all, (path) => path.slice(0, path.lastIndexOf('/')));
  const toFolders = (parent: string): Folder[] =>
    (below.get(parent) ?? [])
      .map((path) => ({ path, name: getFolderName(path), children: toFolders(path) }))
      .toSorted((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
  return toFolders('');
}

/** Returns the items of each folder together with those below it. */
export function sumCounts(
  counts: readonly { path: string; count: number }[],
): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { path, count } of counts)
    for (const folder of listAncestors(path)) sums.set(folder, (sums.get(folder) ?? 0) + count);
  return sums;
}

export const findFolder = (tree: readonly Folder[], path: string): Folder | undefined => {
  let [found, level]: [Folder | undefined, readonly Folder[]] = [undefined, tree];
  for (const above of listAncestors(path)) {
    found = level.find((folder) => folder.path === above);
    level = found?.children ?? [];
  }
  return found;
};

/** Returns the folders that stand alone, from the top down to the first choice. */
export function listOnlyFolders(tree: readonly Folder[]): string[] {
  const [only, ...others] = tree;
  return only && others.length === 0 ? [only.path, ...listOnlyFolders(only.children)] : [];
}

/** Returns the folders whose folders above are all expanded, from the top down. */
export const listVisible = (
  tree: readonly Folder[],
  expanded: ReadonlySet<string>,
  level = 1,
  parent?: string,
): VisibleFolder[] =>
  tree.flatMap((folder) => [
    { folder, level, parent },
    ...(expanded.has(folder.path)
      ? listVisible(folder.children, expanded, level + 1, folder.path)
      : []),
  ]);
