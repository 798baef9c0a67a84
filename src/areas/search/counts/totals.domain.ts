import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { type Bucket, toCountCondition, countAll, sumMonthCounts } from './counts.store.ts';
import { toPrecomputedFilter, type OwnedMatching } from './precomputed-counts.ts';
import type { Matching } from '../match/matching.store.ts';

/** Returns the number of matching items, from precomputed counts if these distinguish them. */
export async function countMatching(ctx: Ctx, matching: Matching): Promise<number> {
  const filter = toPrecomputedFilter(matching);
  if (!filter) return countAll(ctx, matching);
  const cells = toCountCondition(
    matching as OwnedMatching,
    filter,
    requireUser(ctx.session).userId,
  );
  return sumCounts(await sumMonthCounts(ctx.db, cells, 'year'));
}

export const sumCounts = (buckets: readonly Bucket[]): number =>
  buckets.reduce((total, { count }) => total + count, 0);
