import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { sumCounts, sumMonthCounts, toCountCondition } from '../match/month-counts.store.ts';
import { countAll } from './counts.store.ts';
import { toPrecomputedFilter, type OwnedMatching } from '../match/precomputed-counts.ts';
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
