// Average-linkage clustering of faces: groups merge from the most similar pair down, while the mean
// similarity of their members is high enough. A single odd pair cannot chain two people together,
// and the result does not depend on the order of the input.

import { requireValue } from '../../../core/required.ts';
import { addScaled, dot } from '../../../inference/index.ts';

export type SimilarityLimits = {
  /** Minimum cosine similarity of two faces to be compared. */
  readonly link: number;
  /** Minimum mean cosine similarity between all members of two groups to merge them. */
  readonly group: number;
  /** The same for weak faces, of which a `link` suffices if there are two. */
  readonly weakLink: number;
  readonly weakGroup: number;
};

export const DEFAULT_LIMITS: SimilarityLimits = {
  link: 0.45,
  group: 0.4,
  weakLink: 0.55,
  weakGroup: 0.45,
};

export type UnclusteredFace = {
  readonly id: string;
  readonly vector: Float32Array;
  /** The person it was assigned to before reclustering. */
  readonly former: string | null;
  /** Small or hardly detected: joins what it surely matches, and starts no person. */
  readonly isWeak?: boolean;
};

/** A person with clustered faces, or a sample of them. */
export type KnownPerson = {
  readonly id: string;
  /** Sum of the sampled vectors. */
  readonly sum: Float32Array;
  readonly count: number;
  /** Confirmed by the owner: never merged by the machine. */
  readonly isProtected: boolean;
  readonly createdAt: string;
};

/** A similarity between two unclustered faces, or between one and a person with such a face. */
export type Link = { readonly from: string; readonly to: string; readonly score: number };

export type Clustering = {
  /** Person by face; null when it stays unassigned. */
  readonly personByFace: ReadonlyMap<string, string | null>;
  /** New people, each identified by its first face. */
  readonly created: readonly string[];
  /** Pairs of people to merge: the first stays. */
  readonly merged: readonly (readonly [kept: string, gone: string])[];
};

type Group = {
  sum: Float32Array;
  count: number;
  faces: string[];
  /** Whether all of its faces are weak; never for known people. */
  isWeak: boolean;
  person: KnownPerson | undefined;
  absorbed: string[];
  formers: Map<string, number>;
};

export type ClusterOptions = {
  /** Number of faces that make a new person. */
  readonly minimum: number;
  /** Whether the owner has confirmed a former person: two of them are never merged. */
  readonly isProtected: (personId: string) => boolean;
  /** Whether a former person has no other clustered faces and may be reused. */
  readonly isFree: (personId: string) => boolean;
  readonly limits?: SimilarityLimits;
};

export function clusterFaces(
  faces: readonly UnclusteredFace[],
  people: readonly KnownPerson[],
  links: readonly Link[],
  options: ClusterOptions,
): Clustering {
  const { limits = DEFAULT_LIMITS } = options;
  const groups = new Map<string, Group>();
  for (const face of faces) groups.set(face.id, toFaceGroup(face));
  for (const person of people) groups.set(person.id, toPersonGroup(person));
  const strongest = links
    .filter((link) => link.score >= limits.link && groups.has(link.from) && groups.has(link.to))
    .toSorted(
      (one, two) => two.score - one.score || compare(one.from, two.from) || compare(one.to, two.to),
    );
  const getGroup = (id: string) => requireValue(groups.get(id), 'group of a link');
  const matches = countMatches(strongest, getGroup);
  // A pair rejected early may qualify once both groups have grown.
  for (let changed = true; changed;) {
    changed = false;
    for (const { from, to, score } of strongest) {
      const [one, other] = [getGroup(from), getGroup(to)];
      if (one === other || !canMerge(one, other, options)) continue;
      if (one.isWeak || other.isWeak) {
        const isNear = score >= limits.weakLink || matches(one, other) > 1;
        if (!isNear || computeMean(one, other) < limits.weakGroup) continue;
      }
      const joined = mergeGroups(one, other);
      for (const id of listIds(one)) groups.set(id, joined);
      for (const id of listIds(other)) groups.set(id, joined);
      changed = true;
    }
  }
  return assignPeople(new Set(groups.values()), options);
}

const listIds = (group: Group) => [
  ...group.faces,
  ...(group.person ? [group.person.id] : []),
  ...group.absorbed,
];

/**
 * Returns a function that counts the matches between a weak group and another one: each face of a person is one,
 * a face that was compared in both directions, too.
 */
function countMatches(links: readonly Link[], getGroup: (id: string) => Group) {
  const matches = new Map<string, string[]>();
  const add = (weak: string, other: string) => {
    const known = matches.get(weak) ?? [];
    const isPerson = getGroup(other).faces.length === 0;
    if (isPerson || !known.includes(other)) matches.set(weak, [...known, other]);
  };
  for (const { from, to } of links) {
    if (getGroup(from).isWeak) add(from, to);
    if (getGroup(to).isWeak) add(to, from);
  }
  return (one: Group, other: Group): number => {
    const [weak, second] = one.isWeak ? [one, other] : [other, one];
    const found = weak.faces.flatMap((id) => matches.get(id) ?? []);
    return found.filter((id) => getGroup(id) === second).length;
  };
}

const toFaceGroup = ({ id, vector, former, isWeak = false }: UnclusteredFace): Group => ({
  sum: vector.slice(),
  count: 1,
  faces: [id],
  isWeak,
  person: undefined,
  absorbed: [],
  formers: new Map(former === null ? [] : [[former, 1]]),
});

const toPersonGroup = (person: KnownPerson): Group => ({
  sum: person.sum.slice(),
  count: person.count,
  faces: [],
  isWeak: false,
  person,
  absorbed: [],
  formers: new Map(),
});

function canMerge(
  one: Group,
  other: Group,
  { isProtected, limits = DEFAULT_LIMITS }: ClusterOptions,
): boolean {
  const [first, second] = [getGroupPerson(one), getGroupPerson(other)];
  const isNamed = (group: Group, id: string) => group.person?.isProtected ?? isProtected(id);
  if (first && second && first !== second && isNamed(one, first) && isNamed(other, second)) {
    return false;
  }
  return computeMean(one, other) >= limits.group;
}

const computeMean = (one: Group, other: Group): number =>
  dot(one.sum, other.sum) / (one.count * other.count);

/** Returns the person of the group, or its most frequent former person. */
const getGroupPerson = (group: Group): string | undefined =>
  group.person?.id ?? findMostFrequent(group.formers);

function findMostFrequent(formers: ReadonlyMap<string, number>): string | undefined {
  const [first] = [...formers].toSorted((one, two) => two[1] - one[1] || compare(one[0], two[0]));
  return first?.[0];
}

function mergeGroups(one: Group, other: Group): Group {
  const sum = one.sum.slice();
  addScaled(sum, other.sum, 1);
  const formers = new Map(one.formers);
  for (const [id, count] of other.formers) formers.set(id, (formers.get(id) ?? 0) + count);
  const [person, lost] = selectSurvivor(one.person, other.person);
  return {
    sum,
    count: one.count + other.count,
    faces: [...one.faces, ...other.faces],
    isWeak: one.isWeak && other.isWeak,
    person,
    absorbed: [...one.absorbed, ...other.absorbed, ...(lost ? [lost.id] : [])],
    formers,
  };
}

/** Returns [survivor, other]: the confirmed person, else the older one. */
function selectSurvivor(one: KnownPerson | undefined, other: KnownPerson | undefined) {
  if (!one || !other) return [one ?? other, undefined] as const;
  const isFirst =
    one.isProtected === other.isProtected
      ? compare(one.createdAt, other.createdAt) || compare(one.id, other.id)
      : Number(other.isProtected) - Number(one.isProtected);
  return isFirst < 0 ? ([one, other] as const) : ([other, one] as const);
}

function assignPeople(groups: ReadonlySet<Group>, options: ClusterOptions): Clustering {
  const { minimum, isFree, isProtected } = options;
  const personByFace = new Map<string, string | null>();
  const created: string[] = [];
  const merged: [string, string][] = [];
  const taken = new Set([...groups].flatMap((group) => group.person?.id ?? []));
  // The largest group keeps the person that most of its faces had.
  const ordered = [...groups].toSorted(
    (one, two) =>
      two.faces.length - one.faces.length || compare(getFirstFace(one), getFirstFace(two)),
  );
  for (const group of ordered) {
    const { person } = group;
    let id: string | null = person?.id ?? null;
    if (person) {
      for (const gone of group.absorbed) merged.push([person.id, gone]);
    } else if (group.faces.length >= minimum) {
      const former = findMostFrequent(group.formers);
      // A confirmed person may consist of several groups: a child, and later an adult.
      const isConfirmed = former !== undefined && isProtected(former);
      const goesOn = former && (isConfirmed || (isFree(former) && !taken.has(former)));
      // Weak faces alone wait for one that shows more.
      if (!group.isWeak || isConfirmed) {
        if (former && goesOn) id = former;
        else created.push((id = getFirstFace(group)));
        taken.add(id);
      }
    }
    for (const face of group.faces) personByFace.set(face, id);
  }
  return { personByFace, created, merged };
}

const getFirstFace = (group: Group): string => group.faces.toSorted(compare)[0] ?? '';
const compare = (one: string, two: string): number => (one < two ? -1 : one > two ? 1 : 0);
