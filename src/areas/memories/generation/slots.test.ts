import { expect, test } from 'bun:test';
import { addDays } from './days.ts';
import { findSlot, pickSubject, SLOT_KINDS, type SlotKind } from './slots.ts';

const DAYS = Array.from({ length: 730 }, (_, n) => addDays('2026-11-21', n));
const make = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `subject ${n}` }));
const list = (kind: SlotKind, count: number) =>
  DAYS.flatMap((day, at) => {
    const slot = findSlot(kind, day);
    const picked = slot === undefined ? undefined : pickSubject(kind, slot, make(count));
    return picked ? [{ at, id: picked.id }] : [];
  });

test.each([1, 3, 20, 26, 27, 100])('%d subjects take turns, none twice in a quarter', (count) => {
  for (const kind of SLOT_KINDS) {
    const picked = list(kind, count);
    const last = new Map<string, number>();
    for (const { at, id } of picked) {
      expect(at - (last.get(id) ?? -Infinity)).toBeGreaterThan(85);
      last.set(id, at);
    }
    expect(last.size).toBe(Math.min(count, picked.length));
  }
});

test('there are five memories a week at most, and no kind twice on a day', () => {
  const week = DAYS.slice(0, 7).map(
    (day) => SLOT_KINDS.filter((kind) => findSlot(kind, day) !== undefined).length,
  );
  expect(Math.max(...week)).toBe(1);
  expect(week.reduce((a, b) => a + b)).toBe(5);
});

test('the order of the list does not matter; without subjects there is none', () => {
  for (let slot = 0; slot < 60; slot++) {
    expect(pickSubject('person', slot, make(30).toReversed())).toEqual(
      pickSubject('person', slot, make(30)),
    );
  }
  expect(list('pet', 0)).toEqual([]);
});
