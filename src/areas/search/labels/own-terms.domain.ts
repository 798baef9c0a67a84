import type { Ctx } from '../../../core/context.ts';
import type { Matching } from '../match/matching.store.ts';
import { findShown } from '../match/existence.store.ts';
import { isGivenAnywhere } from './labels.store.ts';
import type { LabelTerm, QueryTerms } from './query-terms.ts';

/** Returns a query with the labels that people gave to what is searched, where they are asked for. */
export async function addOwnLabels(
  ctx: Ctx,
  matching: Matching,
  query: QueryTerms,
): Promise<QueryTerms> {
  const { terms, others } = query;
  const parts = [...terms, ...others];
  const all = parts.flatMap(({ own }) => own);
  // Few servers have any.
  if (all.length === 0 || !(await isGivenAnywhere(ctx.db, all))) return query;
  const known = await findShown(
    ctx,
    matching,
    parts.map(({ own }) => own),
  );
  const added = new Set(parts.filter((_, at) => known[at]));
  const withOwn = (part: LabelTerm) => ({ ...part, labels: [...part.labels, ...part.own] });
  return {
    ...query,
    terms: [
      ...terms.map((term) => (added.has(term) ? withOwn(term) : term)),
      ...others.filter((one) => added.has(one)).map(withOwn),
    ],
  };
}
