import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import type {
  Granularity,
  Histogram,
  HistogramSearch,
  StatisticsSearch,
} from './counts.schemas.ts';
import { type Bucket, cellsOf, countByDate, keptByDay, keptByMonth } from './counts.store.ts';
import { isShelfOnly, keptFilterOf, type OwnedMatching } from './precomputed-counts.ts';
import type { Matching } from '../match/matching.store.ts';
import { resolveMatching } from '../query/query-resolution.domain.ts';
import { sumOf, totalOf } from './totals.domain.ts';

export async function searchStatistics(ctx: Ctx, search: StatisticsSearch) {
  const matching = await resolveMatching(ctx, search);
  return { total: matching ? await totalOf(ctx, matching) : 0 };
}

export async function histogramOf(ctx: Ctx, search: HistogramSearch): Promise<Histogram> {
  const granularity = search.granularity ?? 'month';
  const matching = await resolveMatching(ctx, search);
  const buckets = matching ? await bucketsOf(ctx, matching, granularity) : [];
  return { granularity, total: sumOf(buckets), buckets };
}

async function bucketsOf(
  ctx: Ctx,
  matching: Matching,
  granularity: Granularity,
): Promise<Bucket[]> {
  const kept = keptFilterOf(matching);
  if (!kept) return countByDate(ctx, matching, granularity);
  if (granularity !== 'day') {
    const cells = cellsOf(matching as OwnedMatching, kept, requireUser(ctx.session).userId);
    return keptByMonth(ctx.db, cells, granularity);
  }
  const isKeptByDay = matching.scope === 'timeline' || matching.scope === 'archive';
  return isKeptByDay && isShelfOnly(matching)
    ? keptByDay(ctx, matching)
    : countByDate(ctx, matching, granularity);
}
