import type { Ctx } from '../../core/context.ts';
import { AppError, badRequest, conflict, forbidden } from '../../core/errors.ts';
import { isContentFilterActive } from '../users/index.ts';

const createNotFoundError = (what: string) =>
  new AppError('notFound', `${what} not found`, { detail: { code: 'not_found' } });

/** For unknown devices and those of others. */
export const createDeviceNotFoundError = () => createNotFoundError('Backup device');
export const createRunNotFoundError = () => createNotFoundError('Reconciliation');

export const createBucketMismatchError = (message: string) =>
  badRequest(message, { code: 'bucket_mismatch' });

export const createInventoryChangedError = () =>
  conflict('The inventory changed; start a new reconciliation', {
    code: 'inventory_changed',
    retryable: false,
  });

export const createSnapshotConflictError = () =>
  conflict('Another request is at work on this reconciliation; try again', {
    code: 'snapshot_conflict',
    retryable: true,
  });

export const createRunOverError = () =>
  conflict('The reconciliation is over; start a new one', {
    code: 'invalid_state',
    retryable: false,
  });

/** Throws 403 while content rules are active: comparing hashes would reveal hidden items. */
export async function requireUnfiltered(ctx: Ctx): Promise<void> {
  if (!(await isContentFilterActive(ctx))) return;
  throw forbidden('Not available while hidden content is filtered', {
    code: 'hidden_content_filter_active',
  });
}
