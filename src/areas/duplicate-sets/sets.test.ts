import { describe, expect, test } from 'bun:test';
import { getLikeness, isAlike } from './likeness.ts';
import { computeFingerprint, type Member, type Pair, toSets } from './sets.store.ts';

const member = (id: string, over: Partial<Member> = {}): Member => ({
  assetId: id,
  itemId: id,
  sha256: `${id}${id}`,
  takenMs: id.charCodeAt(0),
  shotMs: null,
  camera: null,
  text: null,
  pixels: 100,
  bytes: 10 * id.charCodeAt(0),
  ...over,
});
const pair = (first: string | Member, second: string | Member, over: Partial<Pair> = {}): Pair => ({
  first: typeof first === 'string' ? member(first) : first,
  second: typeof second === 'string' ? member(second) : second,
  score: 0.98,
  sameness: 0.99,
  isIdentical: false,
  commonPart: null,
  isDecided: false,
  ...over,
});
const listItems = (pairs: readonly Pair[]) =>
  toSets(pairs)
    .map(({ itemIds }) => itemIds.join(''))
    .toSorted();

describe('a set', () => {
  test('contains only items that are all similar to each other', () => {
    expect(listItems([pair('a', 'b'), pair('b', 'c')])).toEqual(['ab']);
    expect(listItems([pair('a', 'b'), pair('b', 'c'), pair('a', 'c')])).toEqual(['abc']);
    // Four portraits in a row, the middle two the nearest.
    const chain = [pair('a', 'b'), pair('b', 'c', { score: 0.99 }), pair('c', 'd')];
    expect(listItems(chain)).toEqual(['bc']);
  });

  test('is the same in whatever order pairs are given', () => {
    const pairs = [
      pair('a', 'b'),
      pair('b', 'c'),
      pair('c', 'd'),
      pair('d', 'e'),
      pair('a', 'c'),
      pair('b', 'e', { score: 0.97 }),
    ];
    const expected = listItems(pairs);
    for (let seed = 1; seed <= 50; seed++) {
      const order = (one: Pair) =>
        computeFingerprint([`${seed}`, one.first.assetId, one.second.assetId]);
      const shuffled = pairs
        .toSorted((x, y) => (order(x) < order(y) ? -1 : 1))
        .map((one, at) => (at % 2 ? one : { ...one, first: one.second, second: one.first }));
      expect(listItems(shuffled)).toEqual(expected);
    }
    expect(expected).toEqual(['abc', 'de']);
  });

  test('has the same id for the same files, a UUID as clients expect', () => {
    const [one, same, other] = [
      ['a', 'b'],
      ['b', 'a', 'b'],
      ['a', 'c'],
    ].map(computeFingerprint);
    expect(one).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(same).toBe(one!);
    expect(other).not.toBe(one!);
  });

  test('may hold more copies than one item is compared with', () => {
    const same = { score: 0.999, sameness: 0.999 };
    const pairs = ['b', 'c', 'd', 'e'].map((id) => pair('a', id, same));
    expect(listItems(pairs)).toEqual(['abcde']);
    expect(toSets(pairs)[0]!.likeness).toBe('alike');
    expect(listItems(pairs.map((one) => ({ ...one, sameness: null })))).toEqual(['ab']);
  });

  test('is not listed once all pairs are decided; a new item is listed with similar ones', () => {
    const decided = pair('a', 'b', { isDecided: true });
    expect(listItems([decided])).toEqual([]);
    expect(listItems([decided, pair('a', 'c'), pair('b', 'c')])).toEqual(['abc']);
    expect(listItems([decided, pair('b', 'c', { score: 0.97 })])).toEqual(['bc']);
  });
});

test('pairs need similar edge maps besides near vectors', () => {
  const alike = (score: number, sameness: number | null) => isAlike({ score, sameness });
  // Two portraits of one man; two pages of text; two charts.
  expect([alike(0.94, 0.6), alike(0.987, 0.66), alike(0.92, 0.94)]).toEqual([false, false, false]);
  // A small copy; a crop; one of which there is no thumbnail yet.
  expect([alike(0.91, 0.98), alike(0.97, 0.8), alike(0.97, null)]).toEqual([true, true, true]);
  expect([alike(0.95, 0.8), alike(0.95, null)]).toEqual([false, false]);
});

describe('the likeness of a set', () => {
  const list = (pairs: readonly Pair[]) => toSets(pairs).map(({ likeness }) => likeness);
  const shot = (id: string, shotMs: number | null, over: Partial<Member> = {}) =>
    member(id, { shotMs, camera: 'Acme', ...over });
  const of = (one: Partial<Member>, other: Partial<Member>, over: Partial<Pair> = {}) =>
    getLikeness(pair(member('a', one), member('b', other), over));

  test('is the least of its pairs', () => {
    expect(list([pair('a', 'b')])).toEqual(['copy']);
    expect(list([pair('a', 'b', { isIdentical: true })])).toEqual(['identical']);
    expect(list([pair('a', 'b', { sameness: 0.965 })])).toEqual(['alike']);
    expect(list([pair('a', 'b', { sameness: null })])).toEqual(['alike']);
    expect(list([pair('a', 'b', { score: 0.92 })])).toEqual(['copy']);
    expect(list([pair('a', 'b', { score: 0.92, sameness: 0.975 })])).toEqual(['alike']);
    const identical = pair('b', 'c', { isIdentical: true });
    const weak = pair('a', 'c', { sameness: 0.8 });
    expect(list([pair('a', 'b'), identical, pair('a', 'c')])).toEqual(['copy']);
    expect(list([pair('a', 'b'), identical, weak])).toEqual(['alike']);
  });

  test('is a burst when a camera took them in succession, and none at other times', () => {
    const compare = (one: Member, other: Member) => getLikeness(pair(one, other));
    expect(compare(shot('a', 5000), shot('b', 7000))).toBe('burst');
    expect(compare(shot('a', 5100), shot('b', 5200))).toBe('burst');
    expect(compare(shot('a', 5000), shot('b', 50_000))).toBeUndefined();
    expect(compare(shot('a', 5000), shot('b', 5000, { camera: 'Other' }))).toBeUndefined();
    // Two shots of one second, or a copy.
    expect(compare(shot('a', 5000), shot('b', 5000))).toBe('alike');
    expect(compare(shot('a', 5123), shot('b', 5123))).toBe('copy');
    expect(compare(shot('a', 5123), shot('b', 5000))).toBe('copy');
    expect(compare(shot('a', 5000), shot('b', 5000, { pixels: 25 }))).toBe('copy');
    expect(compare(shot('a', 5000), shot('b', null))).toBe('copy');
    const isIdentical = { isIdentical: true };
    expect(getLikeness(pair(shot('a', 5000), shot('b', 7000), isIdentical))).toBe('identical');
  });

  test('is a crop when one has a part of the other, unless another shot or text is known', () => {
    const part = { score: 0.8, sameness: 0.3, commonPart: 0.5 };
    expect(of({}, {}, part)).toBe('crop');
    expect(of({}, {}, { ...part, commonPart: null })).toBeUndefined();
    const taken = { camera: 'Acme', shotMs: 5123 };
    expect(of(taken, {}, part)).toBe('crop');
    expect(of(taken, { ...taken, shotMs: 9123 }, part)).toBeUndefined();
    expect(of(taken, { ...taken, camera: 'Other' }, part)).toBeUndefined();
    expect(of({ text: 'invoice 001' }, { text: 'invoice 002' }, part)).toBeUndefined();
    // Two crops of one picture, which is identical with another.
    const sets = toSets([
      pair('a', 'b', { isIdentical: true }),
      pair('a', 'c', part),
      pair('a', 'd', part),
    ]);
    expect(sets.map(({ itemIds, likeness }) => [itemIds.join(''), likeness])).toEqual([
      ['ab', 'identical'],
      ['acd', 'crop'],
    ]);
  });

  test('of bursts is apart from duplicates', () => {
    const [one, two, three] = [shot('a', 5100), shot('b', 5200), member('c')];
    const sets = toSets([pair(one, two), pair(one, three), pair(two, three)]);
    expect(sets.map(({ itemIds, likeness }) => [itemIds.join(''), likeness])).toEqual([
      ['ac', 'copy'],
      ['ab', 'burst'],
    ]);
  });

  test('is none of texts with other numbers or words, but for identical ones', () => {
    const text = 'invoice no 001 for a chair and a table, total 240 euros';
    const other = { text: text.replace('001', '002') };
    expect(of({ text }, other)).toBeUndefined();
    expect(of({ text }, { text: 'the quick brown fox jumps over the lazy dog' })).toBeUndefined();
    expect(of({ text }, other, { isIdentical: true })).toBe('identical');
    expect(of({ text }, { text })).toBe('copy');
    // A small copy, of which less is recognised.
    expect(of({ text }, { text: 'invoice no 001 for a chalr and a table' })).toBe('copy');
    expect(of({ text }, { text: null })).toBe('copy');
  });
});

test('the id depends on the members only, not on their order', () => {
  const [one] = toSets([pair('a', 'b'), pair('b', 'c'), pair('a', 'c')]);
  const [other] = toSets([pair('c', 'b'), pair('c', 'a'), pair('b', 'a')]);
  expect(other!.id).toBe(one!.id);
  expect(one!.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(computeFingerprint(['x', 'y'])).not.toBe(computeFingerprint(['x', 'z']));
});

test('a set has the date of its newest picture, and the size of all but the largest', () => {
  const [set] = toSets([pair('a', 'b'), pair('b', 'c'), pair('a', 'c')]);
  expect(set).toMatchObject({ newestMs: 99, spareBytes: 970 + 980 });
});

test('a stack counts as one item', () => {
  const sets = toSets([
    pair(member('a1', { itemId: 'a' }), 'b'),
    pair(member('a2', { itemId: 'a' }), 'b'),
  ]);
  expect(sets.map(({ itemIds }) => itemIds)).toEqual([['a', 'b']]);
});
