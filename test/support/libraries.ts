import { mkdir, mkdtemp, realpath, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { handleTakeInFiles } from '../../src/areas/libraries/intake/intake.handlers.ts';
import { handleRemoveLibrary } from '../../src/areas/libraries/removal.handlers.ts';
import {
  handleScanFolders,
  handleScanLibrary,
  handleSettleLibrary,
} from '../../src/areas/libraries/scan/scan.handlers.ts';
import type { Effect, JobCtx } from '../../src/jobs/define.ts';
import type { App } from '../../src/app.ts';
import { call, type TestDatabase, type TestUser } from './harness.ts';
import { jobCtx } from './processing.ts';

/** A folder of pictures outside of the data folder. */
export const makeFolder = async (parent = tmpdir()): Promise<string> =>
  realpath(await mkdtemp(join(parent, 'safelight-library-')));

/** Writes files that begin like a JPEG; the contents differ unless given. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await utimes(path, 1_700_000_000, 1_700_000_000);
  }
}

export async function addLibrary(
  app: App,
  admin: TestUser,
  ownerId: string,
  importPaths: readonly string[],
  over: object = {},
): Promise<string> {
  const body = { ownerId, importPaths, ...over };
  const { status, body: made } = await call(app, 'POST /libraries', { as: admin, body });
  if (status !== 201) throw new Error(`POST /libraries: ${status} ${JSON.stringify(made)}`);
  return made.id;
}

const HANDLERS: Readonly<Record<string, (ctx: JobCtx, payload: never) => Promise<Effect | void>>> =
  {
    'libraries.scan': handleScanLibrary,
    'libraries.scanFolders': handleScanFolders,
    'libraries.takeIn': handleTakeInFiles,
    'libraries.settle': handleSettleLibrary,
    'libraries.remove': handleRemoveLibrary,
  };

/** Runs the waiting jobs of libraries, and those that they enqueue to run soon. */
export async function runLibraryJobs(
  database: TestDatabase,
  now = database.deps.now,
): Promise<void> {
  for (;;) {
    const [job] = await database.sql<{ name: string; payload: never }[]>`
      delete from job where id = (
        select id from job where name = any(${Object.keys(HANDLERS)})
          and run_at < now() + interval '5 seconds'
        order by name = 'libraries.settle', id limit 1)
      returning name, payload`;
    if (!job) return;
    const effect = await HANDLERS[job.name]!(jobCtx(database, { now }), job.payload);
    if (effect) await database.db.transaction(async (tx) => void (await effect(tx)));
  }
}

/** Scans a library to the end. */
export async function scan(
  database: TestDatabase,
  app: App,
  admin: TestUser,
  id: string,
): Promise<void> {
  await call(app, `POST /libraries/${id}/scan`, { as: admin });
  await runLibraryJobs(database);
}
