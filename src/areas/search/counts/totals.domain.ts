import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { type Bucket, cellsOf, countAll, keptByMonth } from './counts.store.ts';
import { keptFilterOf, type OwnedMatching } from './precomputed-counts.ts';
import type { Matching } from '../match/matching.store.ts';

/** How many match; by the counts that are kept, where these tell them apart. */
export async function totalOf(ctx: Ctx, matching: Matching): Promise<number> {
  const kept = keptFilterOf(matching);
  if (!kept) return countAll(ctx, matching);
  const cells = cellsOf(matching as OwnedMatching, kept, requireUser(ctx.session).userId);
  return sumOf(await keptByMonth(ctx.db, cells, 'year'));
}

export const sumOf = (buckets: readonly Bucket[]): number =>
  buckets.reduce((total, { count }) => total + count, 0);
