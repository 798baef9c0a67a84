export const COUNTED = ['accounts', 'asset', 'album', 'tag', 'memory', 'shared_link'] as const;
export type Counted = (typeof COUNTED)[number];
export type Change = { readonly kind: Counted; readonly before: number; readonly now: number };

type Counts = ReadonlyMap<string, number>;

/** Compares the counts of two databases by account, for all accounts together. */
export function listChanges(before: Counts, now: Counts): Change[] {
  const [sumsBefore, sumsNow] = [sumByKind(before), sumByKind(now)];
  return COUNTED.map((kind) => ({
    kind,
    before: sumsBefore.get(kind) ?? 0,
    now: sumsNow.get(kind) ?? 0,
  })).filter((change) => change.before !== change.now);
}

/** 'album of <id>' counts as 'album'. */
function sumByKind(counts: Counts): Counts {
  const sums = new Map<string, number>();
  for (const [name, count] of counts) {
    const kind = name.replace(/ .*/, '');
    sums.set(kind, (sums.get(kind) ?? 0) + count);
  }
  return sums;
}
