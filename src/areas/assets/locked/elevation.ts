import { type AppError, unauthorized } from '../../../core/errors.ts';

/** Returns a 401 error for a request for locked media in a session without the PIN. */
export const elevationRequired = (): AppError =>
  unauthorized('Elevated permission is required', { code: 'elevation_required' });
