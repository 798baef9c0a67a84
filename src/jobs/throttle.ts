import { availableParallelism } from 'node:os';
import type { JobCtx } from './define.ts';

/** Pause after a step, as a share of its duration. A second processor stays free in any case. */
const PAUSE_SHARE = availableParallelism() > 1 ? 0.1 : 0.25;

/** The last step of all throttled jobs of this thread: resolves when it and its pause are over. */
let lastStep: Promise<unknown> = Promise.resolve();

/**
 * Runs `step` until it returns something falsy, with a pause after each, longer when the machine is
 * busy: people who use the library meanwhile should not notice. Throttled jobs of one thread alternate,
 * since two at once would leave a small machine no processor for anybody else. Each step restarts the
 * time limit of the job.
 */
export async function runThrottled(
  { signal, restartTimeLimit }: Pick<JobCtx, 'signal' | 'restartTimeLimit'>,
  step: () => Promise<unknown>,
): Promise<void> {
  const runStep = async (): Promise<boolean> => {
    signal.throwIfAborted();
    restartTimeLimit();
    const from = performance.now();
    if (!(await step())) return false;
    signal.throwIfAborted();
    await Bun.sleep((performance.now() - from) * PAUSE_SHARE);
    return true;
  };
  while (await enqueueStep(runStep));
}

function enqueueStep<T>(run: () => Promise<T>): Promise<T> {
  const step = lastStep.then(run);
  // A failure belongs to the job whose step it was.
  lastStep = step.catch(() => {});
  return step;
}
