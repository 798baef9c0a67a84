import type { OperationState } from '../../../db/tables/operations.ts';
import { type FilmOperation, KEPT_MS } from './kind.ts';
import type { StudioExport } from './schemas.ts';

/** The states of films by their names for clients. One expires when the account may not have it any more. */
const STATES: Readonly<Record<OperationState, StudioExport['state']>> = {
  prepared: 'queued',
  queued: 'queued',
  running: 'rendering',
  completed: 'ready',
  failed: 'failed',
  expired: 'failed',
  cancelling: 'cancelled',
  cancelled: 'cancelled',
  undoing: 'cancelled',
  undone: 'cancelled',
};

export const isDownloadable = ({ state, file }: FilmOperation): boolean =>
  state === 'completed' && file.destination === 'download';

/** `toName` gives the id by which the reader knows an item of the project. */
export function toExport(film: FilmOperation, toName: (assetId: string) => string): StudioExport {
  const { payload, file, finishedAt, progress } = film;
  const { unavailableId } = progress;
  return {
    id: film.id,
    projectId: payload.projectId,
    revision: payload.revision,
    destination: file.destination,
    width: payload.width,
    height: payload.height,
    state: STATES[film.state],
    progress: progress.share,
    error: film.error,
    unavailableAssetId: unavailableId === undefined ? null : toName(unavailableId),
    sizeInBytes: film.state === 'completed' ? file.size : null,
    assetId: file.assetId,
    expiresAt:
      isDownloadable(film) && finishedAt
        ? new Date(finishedAt.getTime() + KEPT_MS).toISOString()
        : null,
    createdAt: film.createdAt.toISOString(),
    endedAt: finishedAt?.toISOString() ?? null,
  };
}
