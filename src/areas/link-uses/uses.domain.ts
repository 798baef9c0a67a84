import type { Ctx } from '../../core/context.ts';
import * as store from './uses.store.ts';

/**
 * Counts that the guest of a link has opened it or asked for a download; what an account does is not counted.
 * The request goes on if it fails.
 */
export async function countLinkUse(
  { db, session, log, now }: Pick<Ctx, 'db' | 'session' | 'log' | 'now'>,
  kind: 'opened' | 'downloaded',
): Promise<void> {
  if (session.kind !== 'sharedLink') return;
  try {
    if (kind === 'opened') await store.countOpened(db, session.linkId, now());
    else await store.countDownloaded(db, session.linkId);
  } catch (error) {
    log.warn('counting the use of a shared link failed', { linkId: session.linkId, error });
  }
}
