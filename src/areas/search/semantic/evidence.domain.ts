import { hasPermission } from '../../../access/permissions.ts';
import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { type Evidence, listObjects, toCountLabel } from '../labels/evidence.ts';
import type { LabelTerm } from '../labels/query-terms.ts';
import { loadVocabulary } from '../labels/vocabulary.ts';
import { listFacts } from './evidence.store.ts';

export type Judged = {
  readonly certain: readonly string[];
  /** The likeliest first. */
  readonly less: readonly string[];
};

type Facts = Pick<Awaited<ReturnType<typeof listFacts>>[number], 'boxes' | 'colours' | 'faces'>;

/** Separates visible assets by whether there is evidence of each term that needs any. */
export async function judge(
  ctx: Ctx,
  ids: readonly string[],
  terms: readonly LabelTerm[],
): Promise<Judged> {
  const { userId, permissions } = requireUser(ctx.session);
  const { listBroader } = await loadVocabulary();
  const viewerId = hasPermission(permissions, 'person.read') ? userId : null;
  const [certain, surplus, strength] = [new Set(ids), new Map<string, number>(), new Map()];
  for (const { evidence, labels } of terms) {
    if (!evidence || ids.length === 0) continue;
    const objects = listObjects(labels, listBroader);
    for (const { id, ...facts } of await listFacts(ctx, ids, objects, viewerId)) {
      const count = countShown(facts, objects);
      if (!isEvident(evidence, facts, count)) certain.delete(id);
      const { least = 0, isCounted } = evidence;
      surplus.set(
        id,
        (surplus.get(id) ?? 0) + (isCounted ? count - least : least > 0 ? -count : 0),
      );
      const largest = Math.max(0, ...facts.faces.map(({ height }) => height));
      strength.set(id, (strength.get(id) ?? 0) + Math.min(count, least || 1) + largest);
    }
  }
  return {
    certain: ids
      .filter((id) => certain.has(id))
      .toSorted((a, b) => (surplus.get(a) ?? 0) - (surplus.get(b) ?? 0)),
    less: ids
      .filter((id) => !certain.has(id))
      .toSorted((a, b) => (strength.get(b) ?? 0) - (strength.get(a) ?? 0)),
  };
}

const countShown = (
  { boxes, faces }: Pick<Facts, 'boxes' | 'faces'>,
  objects: readonly string[],
): number => (objects.includes('person') ? Math.max(boxes, faces.length) : boxes);

/** A child beside its parents has a smaller face. */
const MIN_RATIO = 1.3;
const [CHILD, ADULT] = [14, 18];

function isEvident(
  { least = 0, areDifferent, oldest, colours = [], isUnknown }: Evidence,
  { faces, colours: shown }: Facts,
  count: number,
): boolean {
  const ages = faces.flatMap(({ age }) => (age === null || age < 0 ? [] : [age]));
  const heights = faces.map(({ height }) => height);
  const differ =
    Math.max(...heights) >= MIN_RATIO * Math.min(...heights) ||
    (Math.min(...ages) <= CHILD && Math.max(...ages) >= ADULT);
  return (
    !isUnknown &&
    count >= least &&
    (shown.length === 0 || colours.every((colour) => shown.includes(colour))) &&
    (!areDifferent || (faces.length > 1 && differ)) &&
    (oldest === undefined || ages.some((age) => age <= oldest))
  );
}

/** Returns the terms, and of those that are counted the labels of as many. */
export async function toCounted(terms: readonly LabelTerm[]): Promise<LabelTerm[]> {
  const { listBroader } = await loadVocabulary();
  const counts = terms.flatMap((term) => {
    const { least } = term.evidence ?? {};
    if (least === undefined) return [];
    const objects = listObjects(term.labels, listBroader);
    return [{ ...term, labels: objects.map((name) => `objects:${toCountLabel(least, name)}`) }];
  });
  return [...terms, ...counts];
}
