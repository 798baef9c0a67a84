import type { Db } from '../../db/client.ts';
import { notifyAdmins } from '../notifications/index.ts';
import * as store from './store.ts';

const DAY_MS = 24 * 3_600_000;
const MAX_ERROR_TEXT = 500;

/** Tells administrators that a backup has failed: at most once a day, until one succeeds. */
export const reportBackupFailure = (db: Db, error: string, now: Date): Promise<void> =>
  db.transaction(async (tx) => {
    if (!(await store.setBackupWarning(tx, now, new Date(now.getTime() - DAY_MS)))) return;
    const event = {
      kind: 'backupFailed',
      title: 'Backup Failed',
      description: `The backup of the database failed with error: ${error.slice(0, MAX_ERROR_TEXT)}`,
      key: 'backup-failed',
    } as const;
    await notifyAdmins(tx, event, now);
  });

/** The next failure is told at once. */
export const reportBackupSuccess = (db: Db): Promise<void> => store.clearBackupWarning(db);

type Findings = {
  /** Originals that are missing or damaged since this check. */
  readonly damaged: number;
  /** Originals that could not be read. */
  readonly unreadable: number;
};

/** Tells administrators what a check of the originals has found; what was known before is not told again. */
export async function reportIntegrity(
  db: Db,
  { damaged, unreadable }: Findings,
  now: Date,
): Promise<void> {
  if (damaged === 0 && unreadable === 0) return;
  const total = await store.countDamagedOriginals(db);
  const texts = [
    ...(total > 0 ? [`${total} originals are missing or damaged: upload them again`] : []),
    ...(unreadable > 0 ? [`${unreadable} originals cannot be read`] : []),
  ];
  const event = {
    kind: 'integrity',
    title: 'Files missing or damaged',
    description: `${texts.join('. ')}. 'safelight maintenance verify' lists them`,
    data: { damaged: total, unreadable },
    key: 'integrity',
  } as const;
  await notifyAdmins(db, event, now);
}
