import { invalidField } from '../../../core/errors.ts';

type Position = {
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
};

/** Throws 400 for half a position. */
export function requireCompletePosition({ latitude, longitude }: Position): void {
  if ((latitude === undefined) === (longitude === undefined)) return;
  throw invalidField('', 'Latitude and longitude must be provided together');
}
