import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { type LibraryNames, loadNames } from '../query/names.domain.ts';
import { type Candidate, complete, type Completion, type CompletionKind } from './complete.ts';
import type { CompletionsFilter } from './completions.schemas.ts';
import { pickLanguage } from '../../../core/languages.ts';
import { listLabelCandidates } from './labels.domain.ts';
import { listKnownMonths } from '../counts/counts.domain.ts';
import { getHolidayLabel } from '../query/holiday-names.ts';
import { listHolidaysOfMonths } from '../query/holidays.ts';

const DEFAULT_SIZE = 8;

/** Returns names, labels and dates of the caller's library that may end what was typed. */
export async function listCompletions(
  ctx: Ctx,
  { query, language, size = DEFAULT_SIZE }: CompletionsFilter,
): Promise<Completion[]> {
  requireUser(ctx.session);
  if (query.trim() === '') return [];
  const [names, dates, labels] = await Promise.all([
    loadNames(ctx),
    listDateCandidates(ctx, language),
    listLabelCandidates(ctx, query, language),
  ]);
  return complete(query, [...listCandidates(names), ...dates, ...labels], size);
}

function listCandidates({
  people,
  pets,
  albums,
  tags,
  places,
  cameras,
}: LibraryNames): Candidate[] {
  return [
    ...people.map((person) => ({
      kind: 'person' as const,
      label: person.name,
      count: Number(person.isFavorite),
      id: person.id,
      person,
    })),
    ...pets.map(({ id, name }) => toCandidate('pet', id, name)),
    ...albums.map(({ id, name }) => toCandidate('album', id, name)),
    ...sumByLabel(
      'place',
      places.flatMap(({ parts, count }) => parts.map((label) => ({ label, count }))),
    ),
    ...tags.map(({ id, name }) => toCandidate('tag', id, name)),
    ...sumByLabel(
      'camera',
      cameras.map(({ parts: [, label], count }) => ({ label, count })),
    ),
  ];
}

/** Countries, states and cities of one name are one suggestion. */
function sumByLabel(
  kind: 'place' | 'camera',
  counted: readonly { readonly label: string | null; readonly count: number }[],
): Candidate[] {
  const sums = new Map<string, number>();
  for (const { label, count } of counted)
    if (label) sums.set(label, (sums.get(label) ?? 0) + count);
  return [...sums].map(([label, count]) => ({ kind, label, count }));
}

const toCandidate = (kind: CompletionKind, id: string, label: string): Candidate => ({
  kind,
  id,
  label,
  count: 0,
});

/** Returns the years and months with items, named in a language, the later, the sooner; after them the holidays in these. */
async function listDateCandidates(ctx: Ctx, language: string | undefined): Promise<Candidate[]> {
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
