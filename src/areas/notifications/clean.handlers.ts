import type { JobHandler } from '../../jobs/define.ts';
import { getCutoff } from '../../jobs/passed-time.ts';
import { deleteDevicesBefore } from './devices.store.ts';
import type { cleanNotifications } from './jobs.ts';
import { deleteNotificationsBefore } from './store.ts';

const KEPT_DAYS = 90;

export const handleCleanNotifications: JobHandler<typeof cleanNotifications> = async ({ db }) => {
  const before = await getCutoff(db, KEPT_DAYS * 24 * 3_600_000);
  await deleteNotificationsBefore(db, before);
  await deleteDevicesBefore(db, before);
};
