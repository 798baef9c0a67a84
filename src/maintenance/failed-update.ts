import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeDurably } from '../core/json-file.ts';
import { getErrorMessage } from '../core/log.ts';
import type { DataPaths } from '../core/paths.ts';
import { VERSION } from '../core/version.ts';
import { MigrationFailure } from '../db/migrate.ts';
import type { Problem } from './server-state.ts';

// A program whose update of the database has failed gives way to the one that served before: the package keeps
// that under a second name in a folder beside the present one. Which one it was, and what has failed, is in the
// data folder; a start reads it before anything else.

export type FailedUpdate = {
  /** Identity of the program that has failed. */
  readonly program: string;
  readonly version: string;
  readonly migration?: string | undefined;
  readonly error: string;
  readonly failedAt: string;
  /** Administrators have been notified. */
  readonly isTold?: boolean | undefined;
  /** The program of before cannot be run. */
  readonly isFinal?: boolean | undefined;
};

type Served = { readonly program: string; readonly version: string };
type Paths = Pick<DataPaths, 'maintenance'>;

/** A failure may have had reasons that are gone by then: a disk that was full, a model of the machine. */
const RETRY_MS = 24 * 3_600_000;
const PREVIOUS = 'previous';

const getFile = ({ maintenance }: Paths) => join(maintenance, 'failed-update.json');
const getServedFile = ({ maintenance }: Paths) => join(maintenance, 'served.json');

/** Identifies a file of a program under each of its names: a hard link has the same. */
function getProgramId(path = process.execPath): string {
  const { ino, size, mtimeMs } = statSync(path);
  return `${ino}-${size}-${Math.floor(mtimeMs)}`;
}

/** Whether this program serves in place of a newer one. */
export const isPreviousProgram = (): boolean => basename(dirname(process.execPath)) === PREVIOUS;

export const readFailedUpdate = (paths: Paths): FailedUpdate | undefined =>
  readJson<FailedUpdate>(getFile(paths));

export function writeFailedUpdate(paths: Paths, error: unknown): void {
  const { migration, cause } = error instanceof MigrationFailure ? error : {};
  const failed: FailedUpdate = {
    program: getProgramId(),
    version: VERSION,
    migration,
    error: getErrorMessage((cause ?? error) as Error),
    failedAt: new Date().toISOString(),
  };
  mkdirSync(paths.maintenance, { recursive: true, mode: 0o700 });
  writeDurably(getFile(paths), failed);
}

/** Administrators are not told again. */
export const recordTold = (paths: Paths, failed: FailedUpdate): void =>
  writeDurably(getFile(paths), { ...failed, isTold: true } satisfies FailedUpdate);

/** From now on this program stays, in maintenance mode when it cannot serve. */
export function recordFinal(paths: Paths): void {
  const failed = readFailedUpdate(paths);
  if (failed) writeDurably(getFile(paths), { ...failed, isFinal: true } satisfies FailedUpdate);
}

/** To be called when the library is served: remembers by which program. */
export function recordServed(paths: Paths): void {
  // The failure stays told for as long as the program of before serves.
  if (!isPreviousProgram()) rmSync(getFile(paths), { force: true });
  const program = getProgramId();
  if (readJson<Served>(getServedFile(paths))?.program === program) return;
  mkdirSync(paths.maintenance, { recursive: true, mode: 0o700 });
  writeDurably(getServedFile(paths), { program, version: VERSION } satisfies Served);
}

/** Returns the path of the program that served the library last, when it is not this one. */
export function findPreviousProgram(paths: Paths): string | undefined {
  const served = readJson<Served>(getServedFile(paths));
  if (!served || served.program === getProgramId() || readFailedUpdate(paths)?.isFinal) {
    return undefined;
  }
  return listPrevious().find((path) => getProgramId(path) === served.program);
}

function listPrevious(): string[] {
  const folder = join(dirname(process.execPath), PREVIOUS);
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Returns the program to run in place of this one, whose update has failed less than a day ago. */
export function findReplacement(paths: Paths, now: Date): string | undefined {
  const failed = readFailedUpdate(paths);
  if (failed?.program !== getProgramId()) return undefined;
  const age = now.getTime() - Date.parse(failed.failedAt);
  return age >= 0 && age < RETRY_MS ? findPreviousProgram(paths) : undefined;
}

export function describeFailedUpdate({ version, migration, error }: FailedUpdate): Problem {
  const where = migration === undefined ? '' : ` at the migration ${migration}`;
  const now = isPreviousProgram() ? `: ${VERSION} goes on serving` : '';
  const text =
    `The update to ${version} failed${where} because: ${error.replace(/\.$/, '')}. Nothing is lost${now}. ` +
    'A newer version, or a restart after a day, tries again';
  return { kind: 'updateFailed', text };
}

function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}
