import { describe, expect, test } from 'bun:test';
import { computeFingerprint, isAlike, type Member, type Pair, toSets } from './sets.store.ts';

const member = (id: string, over: Partial<Member> = {}): Member => ({
  assetId: id,
  itemId: id,
  sha256: `${id}${id}`,
  takenMs: id.charCodeAt(0),
  shotMs: null,
  pixels: 100,
  bytes: 10 * id.charCodeAt(0),
  ...over,
});
const pair = (first: string | Member, second: string | Member, over: Partial<Pair> = {}): Pair => ({
  first: typeof first === 'string' ? member(first) : first,
  second: typeof second === 'string' ? member(second) : second,
  score: 0.98,
  sameness: 0.99,
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

  test('may hold more copies than one item is compared with', () => {
    const same = { score: 0.999, sameness: 0.999 };
    const pairs = ['b', 'c', 'd', 'e'].map((id) => pair('a', id, same));
    expect(listItems(pairs)).toEqual(['abcde']);
    expect(toSets(pairs)[0]!.isSure).toBe(false);
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

describe('a set is sure', () => {
  const sure = (pairs: readonly Pair[]) => toSets(pairs).map(({ isSure }) => isSure);
  const shot = (id: string, shotMs: number | null, pixels = 100) => member(id, { shotMs, pixels });

  test('when all pairs in it are sure', () => {
    expect(sure([pair('a', 'b')])).toEqual([true]);
    expect(sure([pair('a', 'b', { sameness: 0.965 })])).toEqual([false]);
    expect(sure([pair('a', 'b', { sameness: null })])).toEqual([false]);
    expect(sure([pair('a', 'b', { score: 0.92 })])).toEqual([true]);
    expect(sure([pair('a', 'b', { score: 0.92, sameness: 0.975 })])).toEqual([false]);
    const weak = pair('a', 'c', { sameness: 0.8 });
    expect(sure([pair('a', 'b'), pair('b', 'c'), weak])).toEqual([false]);
  });

  test('but not when a camera took them in succession', () => {
    const of = (one: Member, other: Member) => sure([pair(one, other)])[0];
    expect(of(shot('a', 5000), shot('b', 7000))).toBe(false);
    expect(of(shot('a', 5100), shot('b', 5200))).toBe(false);
    expect(of(shot('a', 5000), shot('b', 5000))).toBe(false);
    expect(of(shot('a', 5123), shot('b', 5123))).toBe(true);
    expect(of(shot('a', 5123), shot('b', 5000))).toBe(true);
    expect(of(shot('a', 5000), shot('b', 5000, 25))).toBe(true);
    expect(of(shot('a', 5000), shot('b', null))).toBe(true);
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
