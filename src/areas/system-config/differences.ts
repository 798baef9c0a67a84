import { isDeepStrictEqual } from 'node:util';

export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the members of `value` that differ from `base`, down to the innermost. */
export function findDifferences(base: Members, value: Members): Members {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      const before = base[name];
      if (isDeepStrictEqual(before, member)) return [];
      if (!isMembers(before) || !isMembers(member)) return [[name, member]];
      return [[name, findDifferences(before, member)]];
    }),
  );
}

/** Returns `base` with the differences. Members that `base` does not have are left out. */
export function applyDifferences<T extends Members>(base: T, differences: Members): T {
  return Object.fromEntries(
    Object.entries(base).map(([name, member]) => {
      const changed = differences[name];
      if (changed === undefined) return [name, member];
      return [
        name,
        isMembers(member) && isMembers(changed) ? applyDifferences(member, changed) : changed,
      ];
    }),
  ) as T;
}
