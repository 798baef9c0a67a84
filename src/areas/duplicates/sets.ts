import { createHash } from 'node:crypto';

/** A picture of the caller, as the sets see it: a stack is one. */
export type Member = {
  readonly assetId: string;
  /** Of the asset that stands for its stack; of itself where there is none. */
  readonly itemId: string;
  /** Hex. */
  readonly sha256: string;
};
export type Pair = { readonly first: Member; readonly second: Member };

export type DuplicateSet = {
  /** Follows from the contents: the same set has it again after everything was measured anew. */
  readonly id: string;
  /** Sorted. */
  readonly itemIds: readonly string[];
};

/** What is alike, directly or through others. */
export function setsOf(pairs: readonly Pair[]): DuplicateSet[] {
  const parents = new Map<string, string>();
  const hashes = new Map<string, Set<string>>();
  const rootOf = (id: string): string => {
    const parent = parents.get(id) ?? id;
    if (parent === id) return id;
    const root = rootOf(parent);
    parents.set(id, root);
    return root;
  };
  for (const { first, second } of pairs) {
    for (const { itemId, sha256 } of [first, second]) {
      hashes.set(itemId, (hashes.get(itemId) ?? new Set()).add(sha256));
    }
    const [a, b] = [rootOf(first.itemId), rootOf(second.itemId)];
    if (a !== b) parents.set(a > b ? a : b, a > b ? b : a);
  }
  const sets = Map.groupBy(hashes.keys(), rootOf);
  return [...sets.values()]
    .filter((items) => items.length > 1)
    .map((items) => {
      const contents = items.flatMap((item) => [...hashes.get(item)!]);
      return { id: fingerprintOf(contents), itemIds: items.toSorted() };
    });
}

/** As an id of version 4, which clients expect. */
export function fingerprintOf(sha256: readonly string[]): string {
  const hash = createHash('sha256')
    .update([...new Set(sha256)].sort().join('\n'))
    .digest();
  hash[6] = (hash[6]! & 0x0f) | 0x40;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-');
}
