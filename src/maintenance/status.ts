import type { MaintenanceState } from './state.ts';

export type MaintenanceStatus = {
  readonly action: MaintenanceState['action'];
  /** Percent. */
  readonly progress?: number | undefined;
  readonly task?: string | undefined;
  readonly error?: string | undefined;
};

/** As Immich tells a restore that has failed: under its own name, until maintenance mode ends. */
export const toStatus = ({ action, error, isElsewhere }: MaintenanceState): MaintenanceStatus => ({
  action,
  error,
  ...(isElsewhere && { task: 'restore' }),
  ...(action === 'restore_database' && error !== undefined && { task: 'error' }),
});

/** Returns Immich's MaintenanceStatusResponseDto, with the error for those who are logged in only. */
export const toStatusResponse = (
  { action, progress, task, error }: MaintenanceStatus,
  isAdministrator: boolean,
) => ({
  active: true,
  action,
  ...(progress !== undefined && { progress }),
  ...(task !== undefined && { task }),
  ...(error !== undefined && { error: isAdministrator ? error : BLURRED_ERROR }),
});

/** Immich's text for those who are not logged in. */
const BLURRED_ERROR = 'Something went wrong, see logs!';
