import type { Db } from '../../db/client.ts';
import { enqueueMany } from '../../jobs/queue.ts';
import { advanceRuns } from './jobs.ts';
import * as store from './wake.store.ts';

/** Continues the runs that wait for recognition of the assets. Call it in the transaction that saves it. */
export const wakeRuns = async (db: Db, assetIds: readonly string[]): Promise<void> =>
  enqueueAdvances(db, await store.listWaitingAmong(db, assetIds));

/** Continues the runs that wait to know who the faces are. */
export const wakeRunsByFaces = async (db: Db, faceIds: readonly string[]): Promise<void> =>
  enqueueAdvances(db, await store.listWaitingByFaces(db, faceIds));

const enqueueAdvances = (db: Db, assetIds: readonly string[]): Promise<void> =>
  enqueueMany(
    db,
    advanceRuns,
    assetIds.map((assetId) => ({ assetId })),
  );
