import type { DateTime } from 'luxon';
import type { Instants } from './chip-filter.ts';
import type { Days } from './date-terms.ts';

export const toInstants = ({ from, to }: Days): Instants => ({
  ...(from && { takenAfter: instant(from) }),
  ...(to && { takenBefore: instant(to) }),
});
const instant = (at: DateTime) => at.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS");

/** Formats days as briefly as possible: 2024, 2024-03, 2024-03-05, else both ends. */
export function formatDays({ from, to }: Days): string {
  const day = (at: DateTime) => at.toFormat('yyyy-MM-dd');
  if (!from) return to ? `– ${day(to)}` : '';
  if (!to) return `${day(from)} –`;
  for (const [unit, format] of [
    ['year', 'yyyy'],
    ['month', 'yyyy-MM'],
    ['day', 'yyyy-MM-dd'],
  ] as const) {
    const isWhole = +from === +from.startOf(unit) && +to === +from.endOf(unit);
    if (isWhole) return from.toFormat(format);
  }
  const isYears = day(from).endsWith('-01-01') && day(to).endsWith('-12-31');
  return isYears ? `${from.year} – ${to.year}` : `${day(from)} – ${day(to)}`;
}
