import { expect, test } from 'bun:test';
import { toRational } from '../../../core/rational.ts';
import { formatTimecode } from './film.ts';

const RATE = { numerator: 30, denominator: 1 };
const format = (seconds: number, frame = 0): string =>
  formatTimecode(
    { frameRate: RATE },
    toRational({ numerator: seconds * 30 + frame, denominator: 30 }),
  );

test('a time code has minutes and seconds, and the frame behind a dot', () => {
  expect([format(0), format(4), format(35, 6), format(59, 29), format(754)]).toEqual([
    '0:00.00',
    '0:04.00',
    '0:35.06',
    '0:59.29',
    '12:34.00',
  ]);
});

test('hours are shown from the first one on', () => {
  expect([format(3599, 29), format(3600), format(3604, 15)]).toEqual([
    '59:59.29',
    '1:00:00.00',
    '1:00:04.15',
  ]);
});

test('each frame has a time code of its own, also at 29.97 and 60 frames a second', () => {
  for (const [numerator, denominator] of [
    [30_000, 1001],
    [60, 1],
  ] as const) {
    const codes = Array.from({ length: 400 }, (_, frame) =>
      formatTimecode(
        { frameRate: { numerator, denominator } },
        toRational({ numerator: frame * denominator, denominator: numerator }),
      ),
    );
    expect(new Set(codes).size).toBe(400);
    expect(codes).toEqual(codes.toSorted());
  }
});
