import { Failure } from '../core/command-line.ts';

/** Tables of which an update loses nothing and adds nothing. */
export const OWNED = ['asset', 'album', 'tag', 'memory', 'shared_link'] as const;
export const COUNTED = ['accounts', ...OWNED] as const;
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

/** Throws Failure when work has lost or added rows. */
export function compareCounts(work: string, before: Counts, after: Counts): void {
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [old, found] = [before.get(key) ?? 0, after.get(key) ?? 0];
    if (old === found) continue;
    throw new Failure(`The ${work} changes the number of ${key} from ${old} to ${found}.`);
  }
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
