import type { Ctx } from '../../core/context.ts';
import { AppError, badRequest, conflict, forbidden } from '../../core/errors.ts';
import { isContentFilterActive } from '../users/index.ts';

const missing = (what: string) =>
  new AppError('notFound', `${what} not found`, { detail: { code: 'not_found' } });

/** Also for what is somebody else's. */
export const deviceNotFound = () => missing('Backup device');
export const runNotFound = () => missing('Reconciliation');

export const bucketMismatch = (message: string) => badRequest(message, { code: 'bucket_mismatch' });

export const inventoryChanged = () =>
  conflict('The inventory changed; start a new reconciliation', {
    code: 'inventory_changed',
    retryable: false,
  });

export const snapshotConflict = () =>
  conflict('Another request is at work on this reconciliation; try again', {
    code: 'snapshot_conflict',
    retryable: true,
  });

export const runIsOver = () =>
  conflict('The reconciliation is over; start a new one', {
    code: 'invalid_state',
    retryable: false,
  });

/** Hashes tell what there is: nobody compares them while things are to stay hidden. */
export async function requireUnfiltered(ctx: Ctx): Promise<void> {
  if (!(await isContentFilterActive(ctx))) return;
  throw forbidden('Not available while hidden content is filtered', {
    code: 'hidden_content_filter_active',
  });
}
