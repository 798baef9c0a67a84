/** By month: a value, and the version of the month that it was counted at. */
export type VersionedMonths<T> = ReadonlyMap<string, Versioned<T>>;
export type Versioned<T> = { readonly version: string; readonly value: T };

export type Recount<T> = {
  /** The version of each month, read before the rows: a change in between makes a value newer than it. */
  readonly versions: ReadonlyMap<string, string>;
  readonly before: VersionedMonths<T> | undefined;
  /** Counts these months, or all. Months without anything may be missing from the result. */
  readonly count: (months: readonly string[] | undefined) => Promise<ReadonlyMap<string, T>>;
  /** The value of a month without anything. */
  readonly empty: T;
};

/**
 * Returns all months of `versions`, in that order: those of `before` whose version is the same, and the
 * others counted again. Returns `before` itself when it is still true.
 */
export async function recountChanged<T>({
  versions,
  before,
  count,
  empty,
}: Recount<T>): Promise<VersionedMonths<T>> {
  const changed = [...versions.keys()].filter(
    (month) => before?.get(month)?.version !== versions.get(month),
  );
  if (before && changed.length === 0 && before.size === versions.size) return before;
  // Reading half of the months by an index costs more than reading everything once.
  const isAll = changed.length * 2 > versions.size;
  const counted = changed.length === 0 ? new Map() : await count(isAll ? undefined : changed);
  const isChanged = new Set(changed);
  return new Map(
    [...versions].map(([month, version]) => {
      const same = isChanged.has(month) ? undefined : before?.get(month);
      return [month, same ?? { version, value: counted.get(month) ?? empty }];
    }),
  );
}
