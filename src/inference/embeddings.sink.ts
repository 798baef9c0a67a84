import type { Db } from '../db/client.ts';
import { type AnalyzedAsset, defineSink } from './tasks.ts';
import type { Capability } from './types.ts';
import { saveEmbeddings } from './vectors/store.ts';

async function save(
  db: Db,
  { assetId }: AnalyzedAsset,
  vector: Float32Array,
  { modelId }: Capability,
): Promise<void> {
  // A zero vector: nothing was recognized.
  if (vector.every((value) => value === 0)) return;
  await saveEmbeddings(db, modelId, [{ kind: 'asset', subjectId: assetId, vector }]);
}

/** Stores embeddings for the semantic search. */
export const embeddingSink = defineSink({ task: 'embedding', store: save });

/** Stores features for duplicate detection. */
export const featureSink = defineSink({ task: 'feature', store: save });
