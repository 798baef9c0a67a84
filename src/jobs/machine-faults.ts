import type { Deps } from '../core/context.ts';
import { openFile } from '../core/guarded-path.ts';
import { MediaHostUnavailable, StorageUnavailable } from '../core/errors.ts';
import { isSystemFault } from '../core/disk-errors.ts';
import { isServerFault } from '../db/errors.ts';
import { ModelMissing } from '../inference/errors.ts';
import { isPermanent, MediaError, ToolBroken, ToolMissing } from '../media/errors.ts';
import { findStoreFault, requireStores } from '../storage/index.ts';

/**
 * Returns whether the machine is why a job failed, not what it worked on: the database, the disk, memory, a tool or a
 * model that is missing or broken, a process that was ended from outside. Such a job waits for as long as it takes.
 */
export const isMachineFault = (error: unknown): boolean =>
  error instanceof Error &&
  (error instanceof ToolMissing ||
    error instanceof ToolBroken ||
    error instanceof ModelMissing ||
    error instanceof MediaHostUnavailable ||
    error instanceof StorageUnavailable ||
    (error instanceof MediaError && error.kind === 'killed') ||
    isServerFault(error) ||
    isSystemFault(error) ||
    isMachineFault(error.cause));

/** Returns whether an error is about a file, and would be the same at another attempt. */
export const isLasting = (error: unknown): error is MediaError =>
  error instanceof MediaError && isPermanent(error);

/**
 * The same for a job that has read the file at `path`, or a copy of it. Throws where the file cannot be read any more, and
 * StorageUnavailable where the folders are not those of the library: then nobody knows what was read.
 */
export async function isVerdict(
  deps: Pick<Deps, 'paths'>,
  error: unknown,
  path?: string,
): Promise<boolean> {
  if (!isLasting(error) || isMachineFault(error)) return false;
  await requireStores(deps);
  if (path === undefined) return true;
  try {
    await (await openFile(path)).close();
  } catch (cause) {
    throw new Error('The file cannot be read any more', { cause });
  }
  return true;
}

/** Returns why a job has failed: while the folders are not those of the library, it is that. */
export async function findCause(deps: Pick<Deps, 'paths'>, error: unknown): Promise<unknown> {
  if (isMachineFault(error)) return error;
  const fault = await findStoreFault(deps);
  return fault === undefined ? error : new StorageUnavailable(fault, { cause: error });
}

const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

type Pause = { faults: number; until: number };

/** Pauses of jobs whose last run met a fault of the machine, by name; each ends with the next run that meets none. */
export function createFaultPauses() {
  const pauses = new Map<string, Pause>();
  return {
    isPaused: (name: string): boolean => pauses.has(name),
    /** Returns the names of which one job may be tried now. */
    listDue: (): string[] =>
      [...pauses].flatMap(([name, { until }]) => (until <= performance.now() ? [name] : [])),
    /** Delays the next try: for the longest pause after a job was tried, for the shortest if none was due. */
    setTried(name: string, isTried: boolean): void {
      const pause = pauses.get(name);
      if (pause) pause.until = performance.now() + (isTried ? MAX_PAUSE_MS : FIRST_PAUSE_MS);
    },
    /** Returns whether the jobs were not paused before. */
    begin(name: string, pauseMs?: number): boolean {
      const faults = (pauses.get(name)?.faults ?? -1) + 1;
      const ms = pauseMs ?? Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** faults);
      pauses.set(name, { faults, until: performance.now() + ms });
      return faults === 0;
    },
    /** Returns whether they were paused. */
    end: (name: string): boolean => pauses.delete(name),
    /** Milliseconds until a job may be tried; undefined without pauses. */
    getNextMs(): number | undefined {
      const ends = [...pauses.values()].map(({ until }) => until - performance.now());
      return ends.length > 0 ? Math.max(0, Math.min(...ends)) : undefined;
    },
  };
}
