import { requireUser } from '../../../access/scope.ts';
import type { Ctx } from '../../../core/context.ts';
import { elevationRequired } from '../../../access/session.ts';
import type { AssetStats, StatisticsFilter } from '../schemas.ts';
import { countByType } from './statistics.store.ts';

const DEFAULT_VISIBILITIES = ['timeline', 'archive'] as const;

/**
 * Counts the caller's assets by type, by default in timeline and archive. Locked assets count only in an unlocked session
 * with `visibility: 'locked'` or `isTrashed`. Throws 401 for 'locked' in a session without the PIN.
 */
export async function getAssetStatistics(ctx: Ctx, filter: StatisticsFilter): Promise<AssetStats> {
  const session = requireUser(ctx.session);
  if (filter.visibility === 'locked' && !session.unlocked) throw elevationRequired();
  return countAssets({ db: ctx.db, session }, filter);
}

async function countAssets(
  reader: Parameters<typeof countByType>[0],
  { visibility, isTrashed = false, isFavorite }: StatisticsFilter,
): Promise<AssetStats> {
  const counts = await countByType(reader, {
    visibilities:
      visibility === undefined || visibility === 'locked' ? DEFAULT_VISIBILITIES : [visibility],
    isLocked:
      visibility === 'locked' ? true : isTrashed && reader.session.unlocked ? undefined : false,
    isTrashed,
    isFavorite,
  });
  const countType = (type: Parameters<typeof counts.get>[0]) => counts.get(type) ?? 0;
  const [images, videos, audio] = [countType('IMAGE'), countType('VIDEO'), countType('AUDIO')];
  const total = images + videos + audio + countType('OTHER');
  // Immich has no such member: without audio the response is the same as Immich's.
  return { images, videos, ...(audio > 0 && { audio }), total };
}
