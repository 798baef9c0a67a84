import type { Db } from '../../../db/client.ts';
import { notify } from '../../notifications/index.ts';
import { type FilmOperation, KEPT_MS } from './kind.ts';
import * as store from './store.ts';

const DAY_MS = 24 * 60 * 60_000;

/** Tells the account that asked for a film that it is ready. */
export function notifyOfFilm(
  db: Db,
  film: FilmOperation,
  projectName: string,
  now: Date,
): Promise<void> {
  const name = projectName || 'A film';
  return notify(
    db,
    {
      userId: film.accountId,
      kind: 'exportReady',
      title: 'Your film is ready',
      description:
        film.file.destination === 'library'
          ? `${name} is in your library.`
          : `${name} can be downloaded for ${KEPT_MS / DAY_MS} days.`,
      data: {
        exportId: film.id,
        projectId: film.payload.projectId,
        projectName,
        exportKind: 'film',
      },
    },
    now,
  );
}

export type Failure = {
  readonly error: string;
  /** The item without which the film cannot be made. */
  readonly unavailableId?: string;
};

/** Fails a film that is not over, and tells the account that asked for it. */
export async function failExport(
  db: Db,
  id: string,
  { error, unavailableId }: Failure,
  now: Date,
): Promise<void> {
  const film = await store.changeExport(db, id, ['queued', 'running'], {
    state: 'failed',
    error,
    finishedAt: now,
    ...(unavailableId !== undefined && { progress: { share: 0, unavailableId } }),
  });
  if (!film) return;
  await notify(
    db,
    {
      userId: film.accountId,
      kind: 'jobFailed',
      title: 'A film could not be made',
      description: error,
      data: { exportId: id, projectId: film.payload.projectId, exportKind: 'film' },
    },
    now,
  );
}
