import type { LogThreshold } from './core/log.ts';
import type { Settings } from './core/settings.ts';
import type { Db } from './db/client.ts';
import type { ProcessConfig } from './jobs/dispatch.ts';
import { LIMITED_QUEUES, type LimitedQueue, type QueueLimits } from './jobs/limits.ts';
import type { Timetable } from './jobs/schedule.ts';
import { backUpDatabase } from './areas/database-backups/jobs.ts';
import { checkChecksums, checkMissing, checkUntracked } from './areas/integrity/jobs.ts';
import { scanLibraries } from './areas/libraries/jobs.ts';
import { cleanMemories } from './areas/memories/jobs.ts';
import { cleanNotifications } from './areas/notifications/jobs.ts';
import { compareObjects } from './areas/object-storage/jobs.ts';
import {
  type AdminConfig,
  DEFAULTS,
  MEDIA_QUEUES,
  readConfig,
} from './areas/system-config/index.ts';
import { expireTrash, sweepFiles } from './areas/trash/jobs.ts';

/** Returns the part of the configuration that every process follows while it runs. */
export async function readProcessConfig(db: Db, settings: Settings): Promise<ProcessConfig> {
  const config = await readConfig(
    db,
    'job',
    'backup',
    'integrityChecks',
    'library',
    'nightlyTasks',
    'logging',
  );
  const { enabled, level } = config.logging;
  return {
    limits: toLimits(config, settings),
    logThreshold: enabled ? THRESHOLDS[level] : 'off',
    timetable: toTimetable(config),
  };
}

const THRESHOLDS: Readonly<Record<AdminConfig['logging']['level'], LogThreshold>> = {
  verbose: 'debug',
  debug: 'debug',
  log: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'error',
};

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
  integrityChecks: { checksumFiles, missingFiles, untrackedFiles },
  library: { scan },
  nightlyTasks,
}: Pick<AdminConfig, 'backup' | 'integrityChecks' | 'library' | 'nightlyTasks'>): Timetable {
  const [hour, minute] = nightlyTasks.startTime.split(':').map(Number);
  const nightly = `${minute} ${hour} * * *`;
  const cleanup = nightlyTasks.databaseCleanup ? nightly : undefined;
  return {
    [backUpDatabase.name]: toCron(database),
    [checkChecksums.name]: toCron(checksumFiles),
    [checkMissing.name]: toCron(missingFiles),
    [checkUntracked.name]: toCron(untrackedFiles),
    [scanLibraries.name]: toCron(scan),
    [cleanMemories.name]: cleanup,
    [cleanNotifications.name]: cleanup,
    [expireTrash.name]: cleanup,
    [sweepFiles.name]: nightly,
    [compareObjects.name]: nightly,
  };
}

type Schedule = { readonly enabled: boolean; readonly cronExpression: string };

const toCron = ({ enabled, cronExpression }: Schedule): string | undefined =>
  enabled ? cronExpression : undefined;
