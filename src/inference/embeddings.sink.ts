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
  // Nothing was recognised: it is like nothing else.
  if (vector.every((value) => value === 0)) return;
  await saveEmbeddings(db, modelId, [{ kind: 'asset', subjectId: assetId, vector }]);
}

/** For search by meaning. */
export const embeddingSink = defineSink({ task: 'embedding', store: save });

/** For near-equal pictures. */
export const featureSink = defineSink({ task: 'feature', store: save });
