import type { JobHandler } from '../../../jobs/define.ts';
import type { reportImports } from '../jobs.ts';
import * as store from './imports.store.ts';
import { findAccountSession } from '../../../access/account-session.ts';
import type { Db } from '../../../db/client.ts';
import { notify } from '../../notifications/index.ts';

export const handleReportImports: JobHandler<typeof reportImports> = async ({ db, now }) => {
  for (const userId of await store.listAccountIds(db)) {
    await db.transaction((tx) => reportImport(tx, userId, now()));
  }
};

/** Fewer new assets are no import. */
const MIN_ASSETS = 100;

/**
 * Tells an account that its import has finished: nothing was uploaded for ten minutes, and what was before
 * has been processed. Uploads with shorter pauses are one import.
 */
export async function reportImport(db: Db, userId: string, now: Date): Promise<void> {
  const session = await findAccountSession(db, userId);
  if (!session) return;
  const since = await store.findReportedUntil(db, userId);
  const latest = await store.findLatestUpload(db, session, since);
  if (!latest?.isQuiet || (await store.isProcessing(db, session, since))) return;
  const count = await store.countUploads(db, session, { since, until: latest.at });
  await store.saveReportedUntil(db, userId, latest.at);
  if (count < MIN_ASSETS) return;
  const event = {
    userId,
    kind: 'importFinished',
    title: 'Import finished',
    description: 'All new photos and videos have been processed',
    data: { count },
    key: 'import-finished',
  } as const;
  await notify(db, event, now);
}
