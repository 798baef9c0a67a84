import { asUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { elevationRequired } from '../locked/elevation.ts';
import type { AssetStats, StatisticsFilter } from '../schemas.ts';
import { sumByType } from './statistics.store.ts';

const SHELVES = ['timeline', 'archive'] as const;

/**
 * Without a visibility: Timeline and archive. Locked media are counted in an unlocked session only,
 * and only when asked for, as 'locked' or in the trash.
 */
export async function assetStatistics(ctx: Ctx, filter: StatisticsFilter): Promise<AssetStats> {
  const session = asUser(ctx.session);
  const { unlocked } = session;
  const { visibility, isTrashed = false, isFavorite } = filter;
  if (visibility === 'locked' && !unlocked) throw elevationRequired();
  const reader = { db: ctx.db, sql: ctx.sql, session };
  const counts = await sumByType(reader, {
    shelves: visibility === undefined || visibility === 'locked' ? SHELVES : [visibility],
    isLocked: visibility === 'locked' ? true : isTrashed && unlocked ? undefined : false,
    isTrashed,
    isFavorite,
  });
  const of = (type: Parameters<typeof counts.get>[0]) => counts.get(type) ?? 0;
  const [images, videos, audio] = [of('IMAGE'), of('VIDEO'), of('AUDIO')];
  const total = images + videos + audio + of('OTHER');
  // Immich has no such member: the answer of a library without audio is the same as its.
  return { images, videos, ...(audio > 0 && { audio }), total };
}
