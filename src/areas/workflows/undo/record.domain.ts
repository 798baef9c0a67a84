import type { Db } from '../../../db/client.ts';
import type { WorkflowRunRow } from '../../../db/tables/workflows.ts';
import { listChanges } from './changes.ts';
import * as store from './changes.store.ts';

/**
 * Runs the actions of a run and saves what they have changed of its item, in the transaction of the caller, if the run
 * can be undone.
 */
export async function recordChanges<T>(
  db: Db,
  { assetId, backfillId }: Pick<WorkflowRunRow, 'assetId' | 'backfillId'>,
  work: () => Promise<T>,
): Promise<T> {
  if (backfillId === null) return work();
  await store.lockItem(db, assetId);
  const before = (await store.readStates(db, [assetId])).get(assetId);
  const result = await work();
  const after = (await store.readStates(db, [assetId])).get(assetId);
  if (before && after)
    await store.insertChanges(db, backfillId, listChanges(assetId, before, after));
  return result;
}
