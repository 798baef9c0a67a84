import type { Deps } from '../../core/context.ts';
import type { JobHandler } from '../../jobs/define.ts';
import { enqueue } from '../../jobs/queue.ts';
import { runThrottled } from '../../jobs/throttle.ts';
import { SLICES } from '../../storage/removal.ts';
import { hasObjectStore } from '../../storage/index.ts';
import { sweepCache } from './cache.domain.ts';
import { compareFiles } from './files.domain.ts';
import { compareObjects } from './jobs.ts';
import { compareOriginals } from './originals.domain.ts';
import { compareParts } from './parts.domain.ts';

/** Time in ms after which a job continues as another job. */
const MAX_RUN_MS = 2000;

export const handleCompareObjects: JobHandler<typeof compareObjects> = async (
  ctx,
  { slice: first = 0 },
) => {
  if (first === 0) await sweepCache(ctx);
  if (!hasObjectStore(ctx.settings)) return undefined;
  const until = performance.now() + MAX_RUN_MS;
  let slice = first;
  await runThrottled(ctx, async () => {
    await compareSlice(ctx, slice);
    slice += 1;
    return slice < SLICES && performance.now() < until;
  });
  if (slice < SLICES) return (tx) => enqueue(tx, compareObjects, { slice });
  return undefined;
};

/** Compares the objects whose keys begin with the digits of a slice with the database. */
export async function compareSlice(ctx: Deps, slice: number): Promise<void> {
  await compareOriginals(ctx, slice);
  await compareFiles(ctx, slice);
  await compareParts(ctx, slice);
}
