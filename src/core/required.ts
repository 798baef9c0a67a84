/**
 * Returns a value that is there by an invariant of the program. Throws an error that names it when it is missing:
 * for what the types cannot say, not for input.
 */
export function requireValue<T>(value: T, name: string): NonNullable<T> {
  if (value === undefined || value === null) throw new Error(`There is no ${name}`);
  return value;
}

/** Returns the first item of a list that has one by an invariant of the program. Throws for an empty one. */
export function getFirst<T>(list: readonly T[]): T {
  const [first] = list;
  if (first === undefined) throw new Error('A list that always has an item is empty');
  return first;
}
