import { readMetadata } from '../../src/areas/assets/jobs.ts';
import { enqueueInRun, finishCounting, startRun } from '../../src/jobs/runs.ts';
import { seed, type TestDatabase } from './harness.ts';

/** Adds a run about assets of a new account. */
export async function addRun(
  database: TestDatabase,
  assets = 1,
): Promise<{ id: string; assetIds: string[] }> {
  const { id: ownerId } = await seed(database).user();
  const assetIds = [];
  for (let i = 0; i < assets; i++) assetIds.push(await seed(database).asset({ ownerId }));
  const run = { name: 'test', queue: 'metadataExtraction', trigger: 'system' } as const;
  const id = await startRun(database.db, run);
  const payloads = assetIds.map((assetId) => ({ assetId }));
  await enqueueInRun(database.db, id, readMetadata, payloads);
  await finishCounting(database.db, id);
  return { id, assetIds };
}
