import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { type LibraryNames, loadNames } from '../query/names.domain.ts';
import { type Candidate, complete, type Completion, type CompletionKind } from './complete.ts';
import type { CompletionsFilter } from './completions.schemas.ts';
import { listDateCandidates } from './dates.domain.ts';

const DEFAULT_SIZE = 8;

/** Returns names and dates of the caller's library that may end what was typed. */
export async function listCompletions(
  ctx: Ctx,
  { query, language, size = DEFAULT_SIZE }: CompletionsFilter,
): Promise<Completion[]> {
  requireUser(ctx.session);
  if (query.trim() === '') return [];
  const [names, dates] = await Promise.all([loadNames(ctx), listDateCandidates(ctx, language)]);
  return complete(query, [...listCandidates(names), ...dates], size);
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
