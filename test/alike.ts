import { handleMatch } from '../src/areas/duplicates/match.handlers.ts';
import { duplicateSink } from '../src/areas/duplicates/sink.ts';
import { saveEmbeddings } from '../src/inference/index.ts';
import { type NewAsset, seed, type TestDatabase } from './harness.ts';
import { jobCtx } from './processing.ts';

const MODEL = { modelId: 'feature', dimension: 4 };

const unit = (vector: readonly number[]) => {
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (value) => value / length);
};

/** As the inference leaves it: the vector, and what keeps it. */
export async function measure(
  { db }: Pick<TestDatabase, 'db'>,
  { assetId, ownerId }: { readonly assetId: string; readonly ownerId: string },
  vector: readonly number[],
): Promise<void> {
  const asset = { assetId, ownerId, type: 'IMAGE' as const, picture: { width: 1, height: 1 } };
  await db.transaction(async (tx) => {
    const feature = unit(vector);
    await saveEmbeddings(tx, MODEL.modelId, [
      { kind: 'asset', subjectId: assetId, vector: feature },
    ]);
    await duplicateSink.store(tx, asset, feature, MODEL);
  });
}

/** Pictures of which the model says how alike they are. */
export async function addAlike(
  database: TestDatabase,
  vector: readonly number[],
  values: NewAsset,
): Promise<string> {
  const id = await seed(database).asset(values);
  await measure(database, { assetId: id, ownerId: values.ownerId }, vector);
  return id;
}

/** Compares everything that was measured, page by page. */
export async function matchAll(database: TestDatabase): Promise<void> {
  for (;;) {
    const effect = await handleMatch(jobCtx(database), {});
    if (!effect) return;
    await database.db.transaction(async (tx) => void (await effect(tx)));
  }
}
