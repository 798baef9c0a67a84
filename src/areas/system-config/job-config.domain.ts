import type { Settings } from '../../core/settings.ts';
import type { Db } from '../../db/client.ts';
import type { JobConfig } from '../../jobs/dispatch.ts';
import { LIMITED_QUEUES, type LimitedQueue, type QueueLimits } from '../../jobs/limits.ts';
import type { Timetable } from '../../jobs/schedule.ts';
import {
  backUpDatabase,
  cleanMemories,
  cleanNotifications,
  expireTrash,
  sweepFiles,
} from '../../job-registry.ts';
import { readConfig } from './config.domain.ts';
import { DEFAULTS } from './defaults.ts';
import type { AdminConfig } from './document/document.ts';
import { MEDIA_QUEUES } from './media-queues.ts';

/** Returns the part of the configuration that is about jobs. */
export async function readJobConfig(db: Db, settings: Settings): Promise<JobConfig> {
  const config = await readConfig(db, 'job', 'backup', 'nightlyTasks');
  return { limits: toLimits(config, settings), timetable: toTimetable(config) };
}

/** Queues whose concurrency administrators have changed: the default leaves it to the machine. */
function toLimits({ job }: Pick<AdminConfig, 'job'>, { mediaConcurrency }: Settings): QueueLimits {
  const queues = Object.keys(LIMITED_QUEUES) as LimitedQueue[];
  return Object.fromEntries(
    queues
      .filter((queue) => mediaConcurrency === undefined || !MEDIA_QUEUES.includes(queue))
      .filter((queue) => job[queue].concurrency !== DEFAULTS.job[queue].concurrency)
      .map((queue) => [queue, job[queue].concurrency]),
  );
}

function toTimetable({
  backup: { database },
  nightlyTasks,
}: Pick<AdminConfig, 'backup' | 'nightlyTasks'>): Timetable {
  const [hour, minute] = nightlyTasks.startTime.split(':').map(Number);
  const nightly = `${minute} ${hour} * * *`;
  const cleanup = nightlyTasks.databaseCleanup ? nightly : undefined;
  return {
    [backUpDatabase.name]: database.enabled ? database.cronExpression : undefined,
    [cleanMemories.name]: cleanup,
    [cleanNotifications.name]: cleanup,
    [expireTrash.name]: cleanup,
    [sweepFiles.name]: nightly,
  };
}
