import type { Ctx } from '../../../core/context.ts';
import { pickLanguage } from '../../../core/languages.ts';
import { listKnownMonths } from '../counts/counts.domain.ts';
import type { Candidate } from './complete.ts';

/** Languages whose names of months a query is read with. */
const READ: ReadonlySet<string> = new Set(['en', 'de']);

/** Returns the years and months with items, named in a language: the later, the sooner. */
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
      const words = READ.has(picked) ? label : month;
      return { kind: 'date' as const, label, words, count: toNumber(month) };
    }),
  ];
}

/** Returns a number that grows with a month, '2023-08'. */
const toNumber = (month: string): number => Number(month.replace('-', ''));
