import type { MonthColumns } from '../types.ts';

/**
 * Returns the columns with some photos marked, or the same object if all were marked so before. Adds
 * the ids of those that were not to `changed`.
 */
export function withFavorites(
  columns: MonthColumns,
  ids: ReadonlySet<string>,
  isFavorite: boolean,
  changed: Set<string>,
): MonthColumns {
  let isSame = true;
  const marked = columns.isFavorite.map((old, item) => {
    const id = columns.id[item];
    if (id === undefined || !ids.has(id) || old === isFavorite) return old;
    isSame = false;
    changed.add(id);
    return isFavorite;
  });
  return isSame ? columns : { ...columns, isFavorite: marked };
}
