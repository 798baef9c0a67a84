import type { Db } from '../../db/client.ts';
import type { WorkflowTrigger } from '../../db/tables/workflows.ts';
import { enqueueMany } from '../../jobs/queue.ts';
import { advanceRuns } from './jobs.ts';
import * as store from './events.store.ts';
import { screenAssets } from './screening.ts';

/**
 * Starts the workflows of the owner that wait for this event of the assets. Call it in the transaction of
 * the change, after all that their filters may see; costs one look at an index where there is no such workflow.
 */
export async function recordEvents(
  db: Db,
  trigger: WorkflowTrigger,
  assetIds: readonly string[],
): Promise<void> {
  if (assetIds.length === 0) return;
  const wanted = await screenAssets(db, trigger, assetIds);
  if (wanted.length === 0) return;
  const recorded = await store.insertEvents(db, trigger, wanted);
  if (recorded.length === 0) return;
  await enqueueMany(
    db,
    advanceRuns,
    recorded.map((assetId) => ({ assetId })),
  );
}
