import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  clusterFaces,
  type KnownPerson,
  type Link,
  DEFAULT_LIMITS,
  type UnclusteredFace,
} from './clustering.ts';
import { normalize } from '../../../inference/index.ts';
import { effort } from '../../../../test/support/effort.ts';

const OPTIONS = { minimum: 3, isProtected: () => false, isFree: () => true };

function createRandom(seed: number) {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

/** Faces of some people: each is its person's direction and as much of its own. */
function crowd(seed: number, sizes: readonly number[]): UnclusteredFace[] {
  const random = createRandom(seed);
  const direction = () => normalize(Float32Array.from({ length: 128 }, random));
  return sizes.flatMap((size, person) => {
    const middle = direction();
    return Array.from({ length: size }, (_, index) => {
      const own = direction();
      const vector = normalize(middle.map((value, i) => value + 0.75 * own[i]!));
      return { id: `${person}-${String(index).padStart(3, '0')}`, vector, former: null };
    });
  });
}

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, i) => sum + value * other[i]!, 0);
const toLinks = (faces: readonly UnclusteredFace[]): Link[] =>
  faces.flatMap((face, index) =>
    faces.slice(index + 1).flatMap((other) => {
      const score = dot(face.vector, other.vector);
      return score >= DEFAULT_LIMITS.link ? [{ from: face.id, to: other.id, score }] : [];
    }),
  );

/** Groups as sorted lists of ids: who is with whom, not what they are called. */
const partition = (personByFace: ReadonlyMap<string, string | null>): string[] => {
  const named = [...personByFace].filter(([, person]) => person !== null);
  const groups = Map.groupBy(named, ([, person]) => person);
  return [...groups.values()]
    .map((group) =>
      group
        .map(([id]) => id)
        .toSorted()
        .join(),
    )
    .toSorted();
};

test('groups the faces of each person, and leaves two faces unassigned', () => {
  const faces = crowd(1, [10, 5, 3, 2, 1]);
  const { personByFace, created, merged } = clusterFaces(faces, [], toLinks(faces), OPTIONS);
  expect(
    partition(personByFace)
      .map((group) => group.split(',').length)
      .toSorted((a, b) => a - b),
  ).toEqual([3, 5, 10]);
  expect(created).toHaveLength(3);
  expect(merged).toEqual([]);
  expect(personByFace.get('3-000')).toBeNull();
  expect(personByFace.get('4-000')).toBeNull();
});

test('the order of faces and links changes nothing', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10_000 }),
      fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 6 }),
      fc.func(fc.nat()),
      (seed, sizes, rank) => {
        const faces = crowd(seed, sizes);
        const links = toLinks(faces);
        const shuffle = <T>(items: readonly T[], key: (item: T) => string) =>
          items.toSorted((one, other) => rank(key(one)) - rank(key(other)));
        const straight = clusterFaces(faces, [], links, OPTIONS);
        const other = clusterFaces(
          shuffle(faces, (face) => face.id),
          [],
          shuffle(links, (link) => link.from + link.to).map(({ from, to, score }) =>
            rank(from) % 2 ? { from, to, score } : { from: to, to: from, score },
          ),
          OPTIONS,
        );
        expect(partition(other.personByFace)).toEqual(partition(straight.personByFace));
      },
    ),
    { numRuns: effort({ quick: 5, full: 60 }) },
  );
});

test('a single similar pair does not merge two people', () => {
  const faces = crowd(7, [8, 8]);
  const odd: Link = { from: '0-000', to: '1-000', score: 0.9 };
  const { personByFace } = clusterFaces(faces, [], [...toLinks(faces), odd], OPTIONS);
  expect(partition(personByFace)).toHaveLength(2);
});

const known = (
  id: string,
  faces: readonly UnclusteredFace[],
  isProtected = false,
): KnownPerson => ({
  id,
  sum: faces.reduce(
    (sum, face) => sum.map((value, i) => value + face.vector[i]!),
    new Float32Array(128),
  ),
  count: faces.length,
  isProtected,
  createdAt: id,
});

test('a new face joins the most similar person, however few faces they have', () => {
  const all = crowd(3, [6, 6]);
  const [ann, bob] = [all.slice(0, 5), all.slice(6, 11)];
  const fresh = all[5]!;
  const links = [...toLinks([...ann, fresh]), ...toLinks([...bob, fresh])]
    .filter((link) => link.to === fresh.id)
    .map(({ score, from }) => ({
      from: fresh.id,
      to: from.startsWith('0') ? 'ann' : 'bob',
      score,
    }));
  const people = [known('ann', ann), known('bob', bob)];
  const { personByFace } = clusterFaces([fresh], people, links, OPTIONS);
  expect(personByFace.get(fresh.id)).toBe('ann');
});

test('unconfirmed people are merged, named ones are not', () => {
  const all = crowd(4, [9]);
  const [first, second, bridge] = [all.slice(0, 4), all.slice(4, 8), all[8]!];
  const links = ['one', 'two'].map((to) => ({ from: bridge.id, to, score: 0.8 }));
  const run = (one: boolean, two: boolean) =>
    clusterFaces([bridge], [known('one', first, one), known('two', second, two)], links, OPTIONS);
  expect(run(false, false)).toMatchObject({ merged: [['one', 'two']] });
  expect(run(false, true)).toMatchObject({ merged: [['two', 'one']] });
  expect(run(false, true).personByFace.get(bridge.id)).toBe('two');
  expect(run(true, true).merged).toEqual([]);
});

test('reclustering keeps ids, and a split-off group becomes a new person', () => {
  const faces = crowd(5, [6, 4]).map((face) => ({ ...face, former: 'ann' }));
  const { personByFace, created } = clusterFaces(faces, [], toLinks(faces), OPTIONS);
  expect(personByFace.get('0-000')).toBe('ann');
  expect(created).toEqual(['1-000']);
  // Two whom the owner has named stay two, also when they look alike.
  const twins = crowd(6, [8]).map((face, index) => ({ ...face, former: index < 4 ? 'a' : 'b' }));
  const named = { ...OPTIONS, isProtected: () => true };
  const split = clusterFaces(twins, [], toLinks(twins), named);
  expect(new Set(split.personByFace.values())).toEqual(new Set(['a', 'b']));
});

test('a weak face that was compared in both directions has one match', () => {
  const vector = (degrees: number) => {
    const angle = (degrees * Math.PI) / 180;
    return Float32Array.from([Math.cos(angle), Math.sin(angle)]);
  };
  const faces = [
    { id: 'a', vector: vector(0), former: null },
    { id: 'b', vector: vector(60), former: null, isWeak: true },
  ];
  const links = [
    { from: 'a', to: 'b', score: 0.5 },
    { from: 'b', to: 'a', score: 0.5 },
  ];
  const options = { ...OPTIONS, minimum: 2 };
  expect(clusterFaces(faces, [], links, options).created).toEqual([]);
  const clear = faces.map((face) => ({ ...face, isWeak: false }));
  expect(clusterFaces(clear, [], links, options).created).toEqual(['a']);
});
