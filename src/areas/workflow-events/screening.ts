import type { Db } from '../../db/client.ts';
import type { WorkflowTrigger } from '../../db/tables/workflows.ts';
import * as store from './screening.store.ts';

// Most workflows do nothing for most assets. Whether their first filters let a new asset pass is decided at the
// event, so that nothing is written and no job runs where it is certain that none does.

/** Returns those of the assets for which a workflow may have something to do, or to record. */
export type Screening = (
  db: Db,
  trigger: WorkflowTrigger,
  candidates: readonly store.Candidate[],
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
export async function screenAssets(
  db: Db,
  trigger: WorkflowTrigger,
  assetIds: readonly string[],
): Promise<readonly string[]> {
  if (!loadScreening || !SCREENED.includes(trigger)) return assetIds;
  const candidates = await store.listCandidates(db, trigger, assetIds);
  // An earlier event or run of an asset may change what the filters see.
  const [pending, free] = [true, false].map((is) =>
    candidates.filter(({ isPending }) => isPending === is),
  ) as [store.Candidate[], store.Candidate[]];
  const passing = free.length === 0 ? [] : await (await loadScreening())(db, trigger, free);
  return [...pending.map(({ assetId }) => assetId), ...passing];
}
