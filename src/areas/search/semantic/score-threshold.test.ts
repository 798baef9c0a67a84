import { describe, expect, test } from 'bun:test';
import { computeTail, findThreshold, measureBackground } from './score-threshold.domain.ts';

/** Normally distributed numbers, the same for the same seed. */
function createNormal(seed: number): (mean: number, deviation: number) => number {
  let state = seed * 747796405 + 1;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state + 1) / (2 ** 32 + 1);
  };
  return (mean, deviation) =>
    mean + deviation * Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());
}

/** Scores as CLIP gives them: of pictures that do not show what is asked for, and of those that do. */
function createScores(seed: number, others: number, shown: number): number[] {
  const normal = createNormal(seed);
  return [
    ...Array.from({ length: others }, () => normal(0.18, 0.02)),
    ...Array.from({ length: shown }, () => normal(0.3, 0.02)),
  ];
}

const count = (scores: readonly number[]): number => {
  const best = scores.toSorted((a, b) => b - a);
  const background = measureBackground(scores);
  const threshold = background ? findThreshold(best, scores.length, background) : 0;
  return scores.filter((score) => score >= threshold).length;
};

describe('the threshold from the scores of a library', () => {
  test('queries that fit no picture find nothing nine times out of ten', () => {
    for (const size of [60, 400, 5000]) {
      const found = Array.from({ length: 100 }, (_, seed) => count(createScores(seed, size, 0)));
      expect([size, found.filter((one) => one > 0).length <= 10]).toEqual([size, true]);
    }
  });

  test.each([
    [400, 1],
    [400, 40],
    [5000, 3],
    [5000, 500],
  ])('of %d other pictures, %d that show it are found, and few besides', (others, shown) => {
    const found = count(createScores(7, others, shown));
    expect(found).toBeGreaterThanOrEqual(Math.floor(shown * 0.9));
    expect(found).toBeLessThanOrEqual(Math.ceil(shown * 1.4));
  });

  test('there is none for few pictures or equal scores', () => {
    expect(measureBackground(createScores(1, 49, 0))).toBeUndefined();
    expect(measureBackground(Array.from({ length: 100 }, () => 0.2))).toBeUndefined();
  });
});

test('the tail of the normal distribution is exact far out, too', () => {
  for (const [z, share] of [
    [-1, 0.841344746],
    [0, 0.5],
    [1.959963985, 0.025],
    [4.753424309, 1e-6],
    [5.997807015, 1e-9],
  ] as const) {
    expect(computeTail(z) / share).toBeCloseTo(1, 5);
  }
});
