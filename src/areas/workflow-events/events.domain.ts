import type { Db } from '../../db/client.ts';
import type { WorkflowTrigger } from '../../db/tables/workflows.ts';
import { enqueueMany } from '../../jobs/queue.ts';
import { advanceRuns } from './jobs.ts';
import {
  insertEvents,
  listWaitingByAssets,
  listWaitingByFaces,
  type Candidate,
  listCandidates,
} from './events.store.ts';

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
  const recorded = await insertEvents(db, trigger, wanted);
  if (recorded.length === 0) return;
  await enqueueMany(
    db,
    advanceRuns,
    recorded.map((assetId) => ({ assetId })),
  );
}

/** Continues the runs that wait for recognition of the assets. Call it in the transaction that saves it. */
export const wakeRuns = async (db: Db, assetIds: readonly string[]): Promise<void> =>
  enqueueAdvances(db, await listWaitingByAssets(db, assetIds));

/** Continues the runs that wait to know who the faces are. */
export const wakeRunsByFaces = async (db: Db, faceIds: readonly string[]): Promise<void> =>
  enqueueAdvances(db, await listWaitingByFaces(db, faceIds));

const enqueueAdvances = (db: Db, assetIds: readonly string[]): Promise<void> =>
  enqueueMany(
    db,
    advanceRuns,
    assetIds.map((assetId) => ({ assetId })),
  );

// Most workflows do nothing for most assets. Whether their first filters let a new asset pass is decided at the
// event, so that nothing is written and no job runs where it is certain that none does.

/** Returns those of the assets for which a workflow may have something to do, or to record. */
export type Screening = (
  db: Db,
  trigger: WorkflowTrigger,
  candidates: readonly Candidate[],
) => Promise<string[]>;

let loadScreening: (() => Promise<Screening>) | undefined;

/**
 * Sets what evaluates filters, which the area of workflows does. It is loaded at the first event of an owner with
 * workflows: it knows many areas, which take memory. Without it every event is recorded.
 */
export function setEventScreening(load: () => Promise<Screening>): void {
  loadScreening = load;
}

/** Transactions that tag assets change them afterwards, too: these filters run when all is committed. */
const SCREENED: readonly WorkflowTrigger[] = ['AssetCreate', 'AssetMetadataExtraction'];

/** Returns the assets whose event is to be recorded. */
async function screenAssets(
  db: Db,
  trigger: WorkflowTrigger,
  assetIds: readonly string[],
): Promise<readonly string[]> {
  if (!loadScreening || !SCREENED.includes(trigger)) return assetIds;
  const candidates = await listCandidates(db, trigger, assetIds);
  // An earlier event or run of an asset may change what the filters see.
  const [pending, free] = [true, false].map((is) =>
    candidates.filter(({ isPending }) => isPending === is),
  ) as [Candidate[], Candidate[]];
  const passing = free.length === 0 ? [] : await (await loadScreening())(db, trigger, free);
  return [...pending.map(({ assetId }) => assetId), ...passing];
}
