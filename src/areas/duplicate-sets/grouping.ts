import { requireValue } from '../../core/required.ts';

/**
 * How like each other the items of a set are, the least first: `burst` are shots of other moments, no duplicates;
 * `crop` are a part of the other, or the other with a border, a text or a logo; `alike` may be something else; `copy` is another size, format or quality; `identical` are the same bytes or pixels.
 */
export const LIKENESSES = ['burst', 'crop', 'alike', 'copy', 'identical'] as const;
export type Likeness = (typeof LIKENESSES)[number];

/** Returns the one that holds for both. */
export const getLesser = (one: Likeness, other: Likeness): Likeness =>
  LIKENESSES.indexOf(one) < LIKENESSES.indexOf(other) ? one : other;

/** Returns whether one of the two is enough, as far as can be told. */
export const isCopy = (likeness: Likeness): boolean =>
  likeness === 'copy' || likeness === 'identical';

/** A pair of similar items, listed once. */
export type Link = {
  readonly one: string;
  readonly other: string;
  /** Cosine similarity. */
  readonly score: number;
  readonly likeness: Likeness;
  /** The owner has decided to keep both. */
  readonly isDecided: boolean;
};

export type Group = {
  readonly items: readonly string[];
  /** The least of all pairs in it. */
  readonly likeness: Likeness;
};

/**
 * Items closer than this to a common third item, by vector and by edges, are similar without a
 * comparison: their angle is at most the sum of the two angles to the third. Not all copies are
 * compared with each other.
 */
const BRIDGE = 0.99;

/**
 * Groups in which everything is like everything by default: that two look like a third makes no pair of them.
 * The nearest come together first, of equal ones those with the smaller ids, so the order in which links
 * are given says nothing. What is decided joins only where something is open.
 */
export function groupLinks(links: readonly Link[], isSet: MayJoin = isEachLikeEach): Group[] {
  const known = toNeighbours(links);
  const groups = new Map<string, Set<string>>();
  const getGroup = (id: string) => groups.get(id) ?? new Set([id]);
  for (const { one, other } of links.toSorted(compareLinks)) {
    const [a, b] = [getGroup(one), getGroup(other)];
    if (a.has(other) || !isSet(known, a, b)) continue;
    for (const id of b) a.add(id);
    for (const id of a) groups.set(id, a);
  }
  return [...new Set(groups.values())]
    .map((group) => [...group].toSorted())
    .flatMap((items) => {
      const inside = listLinksBetween(known, items);
      if (inside.every((link) => link?.isDecided ?? true)) return [];
      // Two that were not compared are alike by a third one.
      const likeness = inside.map((link) => link?.likeness ?? 'alike').reduce(getLesser);
      return [{ items, likeness }];
    });
}

type Neighbours = ReadonlyMap<string, ReadonlyMap<string, Link>>;

function toNeighbours(links: readonly Link[]): Neighbours {
  const known = new Map<string, Map<string, Link>>();
  const put = (from: string, to: string, link: Link) =>
    known.set(from, (known.get(from) ?? new Map<string, Link>()).set(to, link));
  for (const link of links) {
    put(link.one, link.other, link);
    put(link.other, link.one, link);
  }
  return known;
}

const getNeighbours = (known: Neighbours, item: string): ReadonlyMap<string, Link> =>
  requireValue(known.get(item), 'link of an item');

/** Returns whether two groups may become one. */
type MayJoin = (known: Neighbours, a: ReadonlySet<string>, b: ReadonlySet<string>) => boolean;

/** Returns whether one picture of both groups is linked with all others. */
export const isEachLikeOne: MayJoin = (known, a, b) => {
  const all = a.union(b);
  return [...all].some((hub) => all.difference(getNeighbours(known, hub)).size === 1);
};

export function isEachLikeEach(
  known: Neighbours,
  a: ReadonlySet<string>,
  b: ReadonlySet<string>,
): boolean {
  for (const one of a) {
    for (const other of b) {
      if (!known.get(one)?.has(other) && !hasBridge(known, one, other)) return false;
    }
  }
  return true;
}

function hasBridge(known: Neighbours, one: string, other: string): boolean {
  const [near, far] = [getNeighbours(known, one), getNeighbours(known, other)];
  const [few, many] = near.size < far.size ? [near, far] : [far, near];
  for (const [id, link] of few) {
    if (isBridge(link) && isBridge(many.get(id))) return true;
  }
  return false;
}

const isBridge = (link: Link | undefined): boolean =>
  link !== undefined && isCopy(link.likeness) && link.score >= BRIDGE;

const listLinksBetween = (known: Neighbours, items: readonly string[]): (Link | undefined)[] =>
  items.flatMap((one, at) => {
    const near = getNeighbours(known, one);
    return items.slice(at + 1).map((other) => near.get(other));
  });

const compareLinks = (a: Link, b: Link): number =>
  Number(a.isDecided) - Number(b.isDecided) ||
  b.score - a.score ||
  compare(a.one, b.one) ||
  compare(a.other, b.other);
const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
