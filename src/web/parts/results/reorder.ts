import type { Move } from '../../data/album-order/queries.ts';

/** Returns the ids after a move; the same list if the other item is not among them. */
export function reorder(ids: readonly string[], { ids: moved, side, target }: Move): string[] {
  const isMoved = new Set(moved);
  const rest = ids.filter((id) => !isMoved.has(id));
  const at = rest.indexOf(target);
  if (at === -1) return [...ids];
  return rest.toSpliced(side === 'before' ? at : at + 1, 0, ...moved);
}
