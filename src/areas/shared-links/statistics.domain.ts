import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { listLinkUses } from '../link-uses/index.ts';
import type { SharedLinkStatistics } from './schemas.ts';

/** Returns how often guests used the caller's links; links that nobody has used are left out. */
export async function listLinkStatistics({ db, session }: Ctx): Promise<SharedLinkStatistics[]> {
  const uses = await listLinkUses(db, requireUser(session).userId);
  return uses.map(({ linkId, openedCount, downloadedCount, lastOpenedAt }) => ({
    linkId,
    openedCount: Number(openedCount),
    downloadedCount: Number(downloadedCount),
    lastOpenedAt: lastOpenedAt && new Date(lastOpenedAt).toISOString(),
  }));
}
