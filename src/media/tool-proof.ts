import { StorageUnavailable } from '../core/errors.ts';
import { MediaError, ToolBroken, ToolMissing } from './errors.ts';

// A tool that fails tells nothing about the file unless it works on others: a library of it may be replaced, a module
// be away, a disk be gone. So each failure is confirmed by files that are known to be good, before and after it.

export type Proof = {
  readonly tool: string;
  /** Works on a sample in the way that the tool is run for files. Rejects when that fails. */
  readonly prove: () => Promise<unknown>;
  /** Whether a run that failed may be run again. */
  readonly isRepeatable?: boolean | undefined;
};

/** A tool that has worked within this time before a failure was not at fault when that began. */
const FRESH_MS = 60_000;

/** When the latest run of a tool that has worked began, by `performance.now()`. */
const workedAt = new Map<string, number>();

const noteWorked = (tool: string, startedAt: number): void =>
  void workedAt.set(tool, Math.max(startedAt, workedAt.get(tool) ?? -Infinity));

const hasWorked = (tool: string, before: number): boolean =>
  before - (workedAt.get(tool) ?? -Infinity) < FRESH_MS;

/** Returns whether an error may be the fault of the file: time and signals are those of the machine. */
const mayBeOfFile = (error: unknown): boolean =>
  error instanceof MediaError && error.kind !== 'timeout' && error.kind !== 'killed';

/**
 * Runs a tool. Where `isFailure` holds, or it throws what may be the fault of the file, the tool has worked on another
 * file within the minute before and on a good one afterwards: a run that did not follow on such a proof is repeated.
 * Throws ToolBroken, ToolMissing or StorageUnavailable when the tool does not work.
 */
export async function runProven<T>(
  proof: Proof,
  run: () => Promise<T>,
  isFailure: (result: T) => boolean | Promise<boolean>,
): Promise<T> {
  const { tool, isRepeatable = true } = proof;
  for (;;) {
    const startedAt = performance.now();
    const wasProven = hasWorked(tool, startedAt);
    const [end] = await Promise.allSettled([run()]);
    if (end.status === 'rejected' && !mayBeOfFile(end.reason)) throw end.reason;
    if (end.status === 'fulfilled' && !(await isFailure(end.value))) {
      noteWorked(tool, startedAt);
      return end.value;
    }
    await requireWorking(proof);
    if (!wasProven && isRepeatable) continue;
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  }
}

/** Throws unless the tool works on a good file now: ToolBroken, ToolMissing, StorageUnavailable. */
export async function requireWorking({ tool, prove }: Proof): Promise<void> {
  const startedAt = performance.now();
  try {
    await prove();
  } catch (error) {
    if (error instanceof ToolMissing || error instanceof StorageUnavailable) throw error;
    throw new ToolBroken(tool, error);
  }
  noteWorked(tool, startedAt);
}
