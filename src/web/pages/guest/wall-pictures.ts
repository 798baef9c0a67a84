import type { Month } from '../../data/timeline/sections.ts';

/** At most so many are on the wall at a time. */
export const WALL_PICTURES = 7;

/** Returns the ids of all loaded photos that have a picture already, the latest that arrived first. */
export const listLatest = (months: readonly Month[]): string[] =>
  months
    .flatMap(({ columns }) =>
      columns
        ? columns.id.flatMap((id, at) =>
            columns.thumbhash[at] ? [{ id, at: columns.createdAt[at] ?? '' }] : [],
          )
        : [],
    )
    .toSorted((a, b) => b.at.localeCompare(a.at))
    .map(({ id }) => id);

/**
 * Returns the photos to show: the latest stays, the places beside it are taken in turn by all others, so that
 * each is seen.
 */
export function selectShown(ids: readonly string[], turn: number): string[] {
  const [latest, ...others] = ids;
  if (latest === undefined || ids.length <= WALL_PICTURES) return [...ids];
  const count = WALL_PICTURES - 1;
  const start = (turn * count) % others.length;
  return [latest, ...[...others, ...others].slice(start, start + count)];
}
