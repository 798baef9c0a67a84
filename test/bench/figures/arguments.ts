/** The groups, sizes and commit that a person asked for. */
export type Wanted = {
  /** Numbers of assets of the libraries that are read. */
  readonly sizes: readonly number[];
  /** Empty: all groups. */
  readonly groups: readonly string[];
  /** Name of a commit; undefined: the usual one. */
  readonly commit: string | undefined;
};

/**
 * Parses sizes, names of groups and at most one commit, in any order. Throws when there are two words that are
 * no group.
 */
export function parseWanted(words: readonly string[], groupNames: readonly string[]): Wanted {
  // A commit whose name has digits only is given as '1234567~0'.
  const isSize = (word: string) => /^\d+$/.test(word);
  const sizes = words.filter(isSize).map(Number);
  const groups = words.filter((word) => groupNames.includes(word));
  const commits = words.filter((word) => !isSize(word) && !groupNames.includes(word));
  if (commits.length > 1) {
    throw new Error(`'${commits[1]}' is neither a size nor one of ${groupNames.join(', ')}`);
  }
  return { sizes, groups, commit: commits[0] };
}
