import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import type {
  Granularity,
  Histogram,
  HistogramSearch,
  StatisticsSearch,
} from './counts.schemas.ts';
import {
  type Bucket,
  toCountCondition,
  countByDate,
  sumDayCounts,
  sumMonthCounts,
} from './counts.store.ts';
import { isWholeScope, toPrecomputedFilter, type OwnedMatching } from './precomputed-counts.ts';
import type { Matching } from '../match/matching.store.ts';
import { resolveMatching } from '../query/query-resolution.domain.ts';
import { sumCounts, countMatching } from './totals.domain.ts';

export async function searchStatistics(ctx: Ctx, search: StatisticsSearch) {
  const matching = await resolveMatching(ctx, search);
  return { total: matching ? await countMatching(ctx, matching) : 0 };
}

export async function getHistogram(ctx: Ctx, search: HistogramSearch): Promise<Histogram> {
  const granularity = search.granularity ?? 'month';
  const matching = await resolveMatching(ctx, search);
  const buckets = matching ? await listBuckets(ctx, matching, granularity) : [];
  return { granularity, total: sumCounts(buckets), buckets };
}

async function listBuckets(
  ctx: Ctx,
  matching: Matching,
  granularity: Granularity,
): Promise<Bucket[]> {
  const kept = toPrecomputedFilter(matching);
  if (!kept) return countByDate(ctx, matching, granularity);
  if (granularity !== 'day') {
    const cells = toCountCondition(
      matching as OwnedMatching,
      kept,
      requireUser(ctx.session).userId,
    );
    return sumMonthCounts(ctx.db, cells, granularity);
  }
  const isKeptByDay = matching.scope === 'timeline' || matching.scope === 'archive';
  return isKeptByDay && isWholeScope(matching)
    ? sumDayCounts(ctx, matching)
    : countByDate(ctx, matching, granularity);
}
