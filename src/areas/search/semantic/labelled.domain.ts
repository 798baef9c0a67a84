import type { Ctx } from '../../../core/context.ts';
import { isOptional, withLikely } from '../labels/evidence.ts';
import { rankByLabels } from '../labels/labels.store.ts';
import { isColour, type LabelTerm } from '../labels/query-terms.ts';
import type { Matching } from '../match/matching.store.ts';
import { MAX_RANKED } from '../match/word-ranking.store.ts';
import { judge, type Judged, toCounted } from './evidence.domain.ts';

// What labels show, the certain first.

/** Returns the items that show all terms; without any, all but colours. */
export async function listLabelled(
  ctx: Ctx,
  matching: Matching,
  terms: readonly LabelTerm[],
  most: number,
): Promise<Judged> {
  const things = terms.filter((term) => !isColour(term));
  const all = await listEvident(ctx, matching, terms, most);
  const isFound = all.certain.length > 0 || all.less.length > 0;
  return isFound || things.length === terms.length ? all : listEvident(ctx, matching, things, most);
}

/** Returns the items that show each term: those of which there is evidence, where labels do not tell, and the others. */
export async function listEvident(
  ctx: Ctx,
  matching: Matching,
  terms: readonly LabelTerm[],
  most: number,
): Promise<Judged> {
  const isCounted = terms.some(({ evidence }) => evidence?.least !== undefined);
  const [found, counted] = await Promise.all([
    listWithAll(ctx, matching, terms, most),
    isCounted ? listWithAll(ctx, matching, await toCounted(terms), most) : [],
  ]);
  if (!terms.some(({ evidence }) => evidence)) return { certain: found, less: [] };
  // Each is newest first, beyond those that are ranked.
  const known = [...new Set([...counted.slice(0, MAX_RANKED), ...found.slice(0, MAX_RANKED)])];
  const { certain, less } = await judge(ctx, known, terms);
  const judged = new Set(known);
  const rest = [...counted, ...found].filter((id) => !judged.has(id));
  return terms.every(isOptional)
    ? { certain: [...certain, ...rest], less }
    : { certain, less: [...less, ...rest] };
}

/** Returns the items that show each term, some as a scene that is not claimed. */
export function listLikely(
  ctx: Ctx,
  matching: Matching,
  terms: readonly LabelTerm[],
  most: number,
): Promise<readonly string[]> {
  const likely = terms.map((term) => ({ ...term, labels: withLikely(term.labels) }));
  const hasMore = likely.some(({ labels }, at) => labels.length > (terms[at]?.labels.length ?? 0));
  return hasMore ? listWithAll(ctx, matching, likely, most) : Promise.resolve([]);
}

/** Returns the items that show some of several terms. */
export async function listByAnyTerm(
  ctx: Ctx,
  matching: Matching,
  terms: readonly LabelTerm[],
  most: number,
): Promise<readonly string[]> {
  const things = terms.filter((term) => !isColour(term));
  if (things.length < 2) return [];
  const any = things.flatMap(({ labels }) => labels);
  return rankByLabels(ctx, { ...matching, labels: [any] }, things, most);
}

/** Returns the items that show each term. */
const listWithAll = (
  ctx: Ctx,
  matching: Matching,
  terms: readonly LabelTerm[],
  most: number,
): Promise<readonly string[]> =>
  terms.length === 0 || terms.some(({ labels }) => labels.length === 0)
    ? Promise.resolve([])
    : rankByLabels(ctx, { ...matching, labels: terms.map(({ labels }) => labels) }, terms, most);
