import { expect, test } from 'bun:test';
import { type Draft, EMPTY, toChange } from './change.ts';

const of = (draft: Partial<Draft>) => toChange({ ...EMPTY, ...draft });

test('nothing is sent while nothing is asked for', () => {
  for (const date of ['set', 'shift', 'zone', 'copy'] as const) {
    expect(of({ date })).toBeUndefined();
  }
  for (const place of ['set', 'copy'] as const) expect(of({ place })).toBeUndefined();
  expect(of({ date: 'shift', days: '0', minutes: 'x' })).toBeUndefined();
});

test('a shift is the sum of its parts, back or forth', () => {
  const shift = { date: 'shift', days: '1', hours: '2', minutes: '30' } as const;
  expect(of(shift)?.date).toEqual({ kind: 'shift', minutes: 1590 });
  expect(of({ ...shift, isEarlier: true })?.date).toEqual({ kind: 'shift', minutes: -1590 });
});

test('what is left empty is kept', () => {
  expect(of({ date: 'set', day: '2020-01-02' })).toEqual({
    date: { kind: 'set', day: '2020-01-02' },
    withStacks: true,
  });
  expect(of({ isDescribed: true })).toEqual({ description: '', withStacks: true });
  expect(of({ rating: '0', withStacks: false })).toEqual({ rating: 0, withStacks: false });
});
