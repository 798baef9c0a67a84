import type { Db } from '../db/client.ts';
import { enqueue } from '../jobs/queue.ts';
import { noteAwayModels } from './analysis.store.ts';
import { canAnalyze } from './capabilities.ts';
import { analyzeAsset } from './jobs.ts';

/** Enqueues the analysis of a picture, if there are models; else it follows when they are installed or return. */
export async function enqueueAnalysis(
  db: Db,
  settings: Parameters<typeof canAnalyze>[0],
  assetId: string,
): Promise<void> {
  if (canAnalyze(settings)) await enqueue(db, analyzeAsset, { assetId });
  else await noteAwayModels(db, []);
}
