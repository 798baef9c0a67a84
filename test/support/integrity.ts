import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  handleCheckChecksums,
  handleCheckMissing,
  handleCheckUntracked,
} from '../../src/areas/integrity/checks/check.handlers.ts';
import { handleDeleteReported, handleRefreshReport } from '../../src/areas/integrity/handlers.ts';
import type { CheckRuns, ReportPage } from '../../src/areas/integrity/schemas.ts';
import type { JobRun } from '../../src/areas/jobs/runs/runs.schemas.ts';
import type { ManualJobName } from '../../src/areas/jobs/schemas.ts';
import type { App } from '../../src/app.ts';
import type { ReportType } from '../../src/db/tables/integrity.ts';
import type { HandlersByLane } from '../../src/job-registry.ts';
import { call, type TestDatabase, type TestUser } from './harness.ts';
import { drainLane } from './processing.ts';

export const INTEGRITY_HANDLERS = {
  'integrity.checkChecksums': handleCheckChecksums,
  'integrity.checkMissing': handleCheckMissing,
  'integrity.checkUntracked': handleCheckUntracked,
  'integrity.deleteReported': handleDeleteReported,
  'integrity.refreshReport': handleRefreshReport,
} as HandlersByLane<'background'>;

const DAY_MS = 86_400_000;
/** Files that a test writes are old enough by then to be untracked. */
export const LATER = new Date(Date.now() + 2 * DAY_MS);
export const after = (days: number): Date => new Date(LATER.getTime() + days * DAY_MS);

/** Writes a file below the folder, also in place of one that is read-only. Returns its path in the folder. */
export async function writeBelow(
  folder: string,
  path: string,
  content: string | Uint8Array,
): Promise<string> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await rm(file, { force: true });
  await writeFile(file, content);
  return path;
}

/** Starts jobs of the integrity checks as an administrator, and reads what they have found. */
export const createChecks = (database: TestDatabase, app: App, admin: TestUser) => {
  const drain = (now: Date = LATER) =>
    drainLane(
      { ...database, deps: { ...database.deps, now: () => now } },
      'background',
      INTEGRITY_HANDLERS,
    );
  const read = async (type: ReportType, query = ''): Promise<ReportPage> =>
    (await call(app, `GET /admin/integrity/report?type=${type}${query}`, { as: admin })).body;
  return {
    drain,
    read,
    start: (name: ManualJobName) => call(app, 'POST /jobs', { as: admin, body: { name } }),
    /** Runs a job to its end; returns its run. */
    async run(name: ManualJobName, now?: Date): Promise<JobRun> {
      await call(app, 'POST /jobs', { as: admin, body: { name } });
      await drain(now);
      return (await call(app, 'GET /jobs/runs', { as: admin })).body.items[0];
    },
    async listPaths(type: ReportType): Promise<string[]> {
      return (await read(type)).items.map(({ path }) => path);
    },
    async getRuns(): Promise<CheckRuns> {
      return (await call(app, 'GET /admin/integrity/runs', { as: admin })).body;
    },
  };
};
