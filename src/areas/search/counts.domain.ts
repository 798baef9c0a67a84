import { asUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import type {
  Granularity,
  Histogram,
  HistogramSearch,
  StatisticsSearch,
} from './counts.schemas.ts';
import {
  type Bucket,
  cellsOf,
  countAll,
  countByDate,
  keptByDay,
  keptByMonth,
} from './counts.store.ts';
import { isShelfOnly, keptFilterOf, type OwnedMatching } from './kept.ts';
import type { Matching } from './matching.store.ts';
import { matchingFor } from './query.ts';

export async function searchStatistics(ctx: Ctx, search: StatisticsSearch) {
  const matching = await matchingFor(ctx, search);
  return { total: matching ? await totalOf(ctx, matching) : 0 };
}

export async function histogramOf(ctx: Ctx, search: HistogramSearch): Promise<Histogram> {
  const granularity = search.granularity ?? 'month';
  const matching = await matchingFor(ctx, search);
  const buckets = matching ? await bucketsOf(ctx, matching, granularity) : [];
  return { granularity, total: sumOf(buckets), buckets };
}

export async function totalOf(ctx: Ctx, matching: Matching): Promise<number> {
  const kept = keptFilterOf(matching);
  if (!kept) return countAll(ctx, matching);
  const cells = cellsOf(matching as OwnedMatching, kept, asUser(ctx.session).userId);
  return sumOf(await keptByMonth(ctx.sql, cells, 'year'));
}

async function bucketsOf(
  ctx: Ctx,
  matching: Matching,
  granularity: Granularity,
): Promise<Bucket[]> {
  const kept = keptFilterOf(matching);
  if (!kept) return countByDate(ctx, matching, granularity);
  if (granularity !== 'day') {
    const cells = cellsOf(matching as OwnedMatching, kept, asUser(ctx.session).userId);
    return keptByMonth(ctx.sql, cells, granularity);
  }
  const isKeptByDay = matching.shelf === 'timeline' || matching.shelf === 'archive';
  return isKeptByDay && isShelfOnly(matching)
    ? keptByDay(ctx.sql, matching)
    : countByDate(ctx, matching, granularity);
}

const sumOf = (buckets: readonly Bucket[]) =>
  buckets.reduce((total, { count }) => total + count, 0);
