import type { Db } from '../../../db/client.ts';
import type { StudioExportRow } from '../../../db/tables/studio.ts';
import { notify } from '../../notifications/index.ts';
import { KEPT_MS } from './domain.ts';
import * as store from './store.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Tells the account that asked for a film that it is ready. */
export function notifyOfFilm(
  db: Db,
  row: Pick<StudioExportRow, 'id' | 'accountId' | 'projectId' | 'destination'>,
  projectName: string,
  now: Date,
): Promise<void> {
  const name = projectName || 'A film';
  return notify(
    db,
    {
      userId: row.accountId,
      kind: 'exportReady',
      title: 'Your film is ready',
      description:
        row.destination === 'library'
          ? `${name} is in your library.`
          : `${name} can be downloaded for ${KEPT_MS / DAY_MS} days.`,
      data: { exportId: row.id, projectId: row.projectId, projectName, exportKind: 'film' },
    },
    now,
  );
}

/** Fails a film that is not over, and tells the account that asked for it. */
export async function failExport(db: Db, id: string, error: string, now: Date): Promise<void> {
  const change = { state: 'failed', error, endedAt: now } as const;
  const row = await store.changeExport(db, id, ['queued', 'rendering'], change);
  if (!row) return;
  await notify(
    db,
    {
      userId: row.accountId,
      kind: 'jobFailed',
      title: 'A film could not be made',
      description: error,
      data: { exportId: id, projectId: row.projectId, exportKind: 'film' },
    },
    now,
  );
}
