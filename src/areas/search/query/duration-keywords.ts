import { requireValue } from '../../../core/required.ts';
import { NUMBERS, NUMBER } from './relative-date-rules.ts';

const UNITS_MS = { second: 1000, minute: 60_000, hour: 3_600_000 } as const;
const UNITS = {
  second: 's|secs?|seconds?|sekunden?',
  minute: 'min|mins|minutes?|minuten?',
  hour: 'h|hours?|stunden?',
} as const;
const UNIT = Object.entries(UNITS)
  .map(([unit, names]) => `(?<${unit}>${names})`)
  .join('|');
const COMPARISONS = {
  gt: 'longer than|over|more than|langer als|uber|mehr als',
  gte: 'at least|mindestens',
  lt: 'shorter than|under|less than|kurzer als|unter|weniger als',
  lte: 'at most|up to|hochstens|bis zu',
} as const;
type Comparison = keyof typeof COMPARISONS;
const COMPARISON = Object.entries(COMPARISONS)
  .map(([name, words]) => `(?<${name}>${words})`)
  .join('|');

/** 'longer than a minute', 'kürzer als 30 Sekunden', for folded text. */
export const DURATION = new RegExp(
  `\\b(?:${COMPARISON})\\s+(?:(?<half>half an?|eine[rn]? halben?)|${NUMBER}|(?<decimal>\\d+[.,]\\d+))\\s*(?:${UNIT})\\b(?!\\s+(?:ago|long ago))`,
  'g',
);

export type DurationFilter = Partial<Record<Comparison, number>>;

const findKey = <K extends string>(
  names: Readonly<Record<K, unknown>>,
  groups: Readonly<Record<string, string | undefined>>,
): K =>
  requireValue(
    (Object.keys(names) as K[]).find((name) => groups[name] !== undefined),
    'group that matched',
  );

/** Returns the comparison that a match of DURATION states, in milliseconds. */
export function readDuration(groups: Readonly<Record<string, string>>): DurationFilter {
  const { half, number = '', decimal } = groups;
  const named = NUMBERS.get(number) ?? Number(number);
  const amount = half ? 0.5 : decimal ? Number(decimal.replace(',', '.')) : named;
  const ms = Math.round(amount * UNITS_MS[findKey(UNITS_MS, groups)]);
  return { [findKey(COMPARISONS, groups)]: ms };
}
