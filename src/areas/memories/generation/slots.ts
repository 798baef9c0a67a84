import { createHash } from 'node:crypto';
import { getDayNumber } from './days.ts';

// Memories of people, pets and places come a few times a week, each subject at most once in a quarter of a
// year. The date alone decides which: nothing has to be remembered, and every run decides the same.

export const SLOT_KINDS = ['person', 'pet', 'place'] as const;
export type SlotKind = (typeof SLOT_KINDS)[number];

/** Days of the week from Thursday on, as days since 1970 are counted. */
const WEEKDAYS: Readonly<Record<SlotKind, readonly number[]>> = {
  person: [0, 4],
  pet: [3],
  place: [2, 6],
};
const WEEKS_BETWEEN = 13;

/** Returns the number of the slot that the kind has on this day; undefined: none. */
export function findSlot(kind: SlotKind, day: string): number | undefined {
  const number = getDayNumber(day);
  const index = WEEKDAYS[kind].indexOf(number % 7);
  return index < 0 ? undefined : Math.floor(number / 7) * WEEKDAYS[kind].length + index;
}

/**
 * Returns the subject of a slot; undefined: it is empty. All subjects take turns in an order that does not
 * depend on the list; of few, most slots are empty.
 */
export function pickSubject<T extends { readonly id: string }>(
  kind: SlotKind,
  slot: number,
  subjects: readonly T[],
): T | undefined {
  const count = subjects.length;
  const cycle = Math.max(count, WEEKDAYS[kind].length * WEEKS_BETWEEN);
  const place = slot % cycle;
  const turn = Math.floor((place * count) / cycle);
  const isFirst = place === 0 || Math.floor(((place - 1) * count) / cycle) !== turn;
  if (!isFirst) return undefined;
  return subjects.toSorted((a, b) => (hash(a.id) < hash(b.id) ? -1 : 1))[turn];
}

const hash = (id: string): string => createHash('sha256').update(id).digest('hex');
