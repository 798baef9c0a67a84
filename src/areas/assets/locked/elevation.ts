import { type AppError, unauthorized } from '../../../core/errors.ts';

/** Locked media were asked for in a session whose PIN was not entered. */
export const elevationRequired = (): AppError =>
  unauthorized('Elevated permission is required', { code: 'elevation_required' });
