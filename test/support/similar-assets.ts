import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'drizzle-orm';
import sharp from 'sharp';
import { handleMatch } from '../../src/areas/duplicates/match.handlers.ts';
import { duplicateSink } from '../../src/areas/duplicates/sink.ts';
import { derivedName } from '../../src/core/paths.ts';
import { saveEmbeddings } from '../../src/inference/index.ts';
import { type NewAsset, seed, type TestDatabase } from './harness.ts';
import { jobCtx } from './processing.ts';

const MODEL = { modelId: 'feature', dimension: 4 };

const normalize = (values: Iterable<number>) => {
  const vector = [...values];
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (value) => value / length);
};

/** As the inference leaves it: the vector, and what keeps it. */
export async function saveFeature(
  { db }: Pick<TestDatabase, 'db'>,
  { assetId, ownerId }: { readonly assetId: string; readonly ownerId: string },
  vector: Iterable<number>,
  model = MODEL,
): Promise<void> {
  const asset = { assetId, ownerId, type: 'IMAGE' as const, picture: { width: 1, height: 1 } };
  await db.transaction(async (tx) => {
    const feature = normalize(vector);
    await saveEmbeddings(tx, model.modelId, [
      { kind: 'asset', subjectId: assetId, vector: feature },
    ]);
    await duplicateSink.store(tx, asset, feature, model);
  });
}

/** Pictures of which the model says how alike they are. */
export async function addAssetWithFeature(
  database: TestDatabase,
  vector: readonly number[],
  values: NewAsset,
): Promise<string> {
  const id = await seed(database).asset(values);
  await saveFeature(database, { assetId: id, ownerId: values.ownerId }, vector);
  return id;
}

/** Its thumbnail, as rendering leaves it. */
export async function addThumbnail(
  { db, deps }: Pick<TestDatabase, 'db' | 'deps'>,
  assetId: string,
  picture: Uint8Array,
): Promise<void> {
  const bytes = await sharp(picture)
    .resize(250, 250, { fit: 'outside', withoutEnlargement: true })
    .webp()
    .toBuffer();
  const name = derivedName(assetId, 'thumbnail', 'webp');
  const path = join(deps.paths.derived, name);
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(path, bytes);
  await db.execute(sql`
    insert into asset_file (asset_id, kind, name, mime_type, size, tag)
    values (${assetId}, 'thumbnail', ${name}, 'image/webp', ${bytes.length}, ${assetId})
    on conflict (asset_id, kind) do update set tag = excluded.tag`);
}

/** Compares everything that was measured, page by page. */
export async function matchAll(database: TestDatabase): Promise<void> {
  for (;;) {
    const effect = await handleMatch(jobCtx(database), {});
    if (!effect) return;
    await database.db.transaction(async (tx) => void (await effect(tx)));
  }
}
