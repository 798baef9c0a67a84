import type { Log } from '../../core/log.ts';
import type { Database } from '../../db/client.ts';
import { watchEpoch } from '../../db/epoch.ts';
import { retryThroughOutage } from '../../db/outage.ts';
import { recordEpoch } from './log.store.ts';

/** Records the epoch of the database, now and when a standby was promoted: until then standbys beside it are not read. */
export async function keepEpochRecorded(
  { db, sql }: Pick<Database, 'db' | 'sql'>,
  log: Log,
): Promise<void> {
  await recordEpoch(db);
  watchEpoch(sql, async () => {
    try {
      await retryThroughOutage(() => recordEpoch(db));
      log.info('another server has become the primary of the database');
    } catch (error) {
      log.warn('recording the epoch of the database failed', { error });
      throw error;
    }
  });
}
