import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { type Bytes, toJsonBytes } from '../../../core/json-bytes.ts';
import type {
  Granularity,
  Histogram,
  HistogramSearch,
  StatisticsSearch,
} from './counts.schemas.ts';
import { countByDate, sumDayCounts } from './counts.store.ts';
import {
  type Bucket,
  sumCounts,
  sumMonthCounts,
  toCountCondition,
} from '../match/month-counts.store.ts';
import {
  isPrecomputed,
  isWholeScope,
  toPrecomputedFilter,
  type OwnedMatching,
} from '../match/precomputed-counts.ts';
import { rememberReplicated, rememberSearch, toMatching } from '../match/matching.domain.ts';
import type { Matching } from '../match/matching.store.ts';
import { resolveMatching } from '../query/query-resolution.domain.ts';
import { countMatching } from './totals.domain.ts';

/** Returns the number of results as JSON. */
export async function renderStatistics(ctx: Ctx, search: StatisticsSearch): Promise<Bytes> {
  const matching = await resolveMatching(ctx, search);
  return rememberSearch(ctx, matching, ['statistics'], async () =>
    toJsonBytes({ total: matching ? await countMatching(ctx, matching) : 0 }),
  );
}

/** Returns a Histogram as JSON. */
export async function renderHistogram(ctx: Ctx, search: HistogramSearch): Promise<Bytes> {
  const granularity = search.granularity ?? 'month';
  const matching = await resolveMatching(ctx, search);
  return rememberReplicated(ctx, matching, ['histogram', granularity], async (reader) => {
    const buckets = matching ? await listBuckets(reader, matching, granularity) : [];
    return toJsonBytes({ granularity, total: sumCounts(buckets), buckets } satisfies Histogram);
  });
}

/**
 * Returns the months of the Timeline, '2023-08', that have items by the stored counts: none where these would tell of
 * what the account does not see, since counting anew takes too long while someone types.
 */
export async function listKnownMonths(ctx: Ctx): Promise<string[]> {
  const matching = await toMatching(ctx, {});
  if (!matching || !isPrecomputed(matching)) return [];
  return (await listBuckets(ctx, matching, 'month')).map(({ date }) => date);
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
