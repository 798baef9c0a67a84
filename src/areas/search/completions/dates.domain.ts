import type { Ctx } from '../../../core/context.ts';
import { pickLanguage } from '../../../core/languages.ts';
import { listKnownMonths } from '../counts/counts.domain.ts';
import { getHolidayLabel } from '../query/holiday-names.ts';
import { listHolidaysOfMonths } from '../query/holidays.ts';
import type { Candidate } from './complete.ts';

/** Returns the years and months with items, named in a language, the later, the sooner; after them the holidays in these. */
export async function listDateCandidates(
  ctx: Ctx,
  language: string | undefined,
): Promise<Candidate[]> {
  const months = await listKnownMonths(ctx);
  const picked = pickLanguage(language);
  const format = new Intl.DateTimeFormat(picked, {
    month: 'long',
    year: 'numeric',
    timeZone: 'utc',
  });
  const years = new Set(months.map((month) => month.slice(0, 4)));
  return [
    ...[...years].map((label) => ({
      kind: 'date' as const,
      label,
      count: toNumber(`${label}-13`),
    })),
    ...months.map((month) => {
      const label = format.format(new Date(`${month}-01T00:00:00Z`));
      return { kind: 'date' as const, label, count: toNumber(month) };
    }),
    ...listHolidaysOfMonths(months).flatMap((holiday) => {
      const label = getHolidayLabel(holiday, picked);
      return label === undefined ? [] : { kind: 'date' as const, label, count: 0 };
    }),
  ];
}

/** Returns a number that grows with a month, '2023-08'. */
const toNumber = (month: string): number => Number(month.replace('-', ''));
