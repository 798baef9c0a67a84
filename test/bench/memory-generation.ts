// The generation of memories: its nightly run in a large library, and its choice of real pictures.
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { textSink } from '../../src/areas/documents/sink.ts';
import { handleGenerateMemories } from '../../src/areas/memories/generation/generate.handlers.ts';
import { openInference } from '../../src/inference/client.ts';
import { readEmbeddings } from '../../src/inference/index.ts';
import type { Inference } from '../../src/inference/types.ts';
import { closeImageChildren } from '../../src/media/image-children.ts';
import { PAGES, renderPage, simulatePhonePhoto } from '../support/document-pages.ts';
import { seed, testDatabase, type TestDatabase } from '../support/harness.ts';
import { MODELS, withModels } from '../support/models.ts';
import { jobCtx } from '../support/processing.ts';
import { addThumbnail, matchAll, saveFeature } from '../support/similar-assets.ts';
import { type OpenLibrary, quantile, round, timed } from './measure.ts';
import type { Library } from './seed.ts';

const FILES = 64;
const FACES = 50_000;

type Target = Pick<TestDatabase, 'db' | 'sql' | 'deps'>;

async function generate(target: Target, ownerId: string, now: Date): Promise<void> {
  // Safe: the rest of a test database is closing it.
  const ctx = jobCtx(target as TestDatabase, { now: () => now });
  const effect = await handleGenerateMemories(ctx, { ownerId });
  await target.db.transaction(async (tx) => void (await effect?.(tx)));
}

/**
 * Returns the duration of the first night (four days), of a run without news, and of the following nights,
 * each after a day on which pictures of three months changed. One person is on 50,000 pictures.
 */
export async function measureNights(library: Library, open: OpenLibrary) {
  const { sql } = open;
  await prepareNights(library, open);
  const at = (day: number) => new Date(Date.UTC(2026, 10, day, 0, 10));
  const run = (day: number) => timed(() => generate(open, library.userId, at(day)));
  const firstMs = await run(21);
  const againMs = await run(21);
  const steady: number[] = [];
  for (let day = 22; day < 36; day++) {
    await changePictures(open);
    steady.push(await run(day));
  }
  const kinds = await sql<{ type: string; count: number }[]>`
    select type, count(*)::int as count from memory where key like '% 2026-%'
    group by type order by type`;
  await closeImageChildren();
  return {
    firstMs,
    againMs,
    steadyMs: { p50: quantile(steady, 0.5), max: Math.max(...steady) },
    rssMiB: round(process.memoryUsage.rss() / 1024 ** 2, 0),
    made: Object.fromEntries(kinds.map(({ type, count }) => [type, count])),
  };
}

/** Adds what the memories of a large library need: thumbnails, a person, a home and journeys. */
async function prepareNights(library: Library, open: OpenLibrary): Promise<void> {
  await writeThumbnails(join(open.deps.paths.derived, 'bench'));
  await addFaces(open, library.userId);
  await addJourneys(open);
}

/**
 * Each fourth month begins with five days in Rome and was otherwise spent at home. The positions of the
 * others are random: journeys of three months are the worst case.
 */
async function addJourneys({ sql }: OpenLibrary): Promise<void> {
  await sql.unsafe(`alter table asset_exif disable trigger user;
    update asset_exif set latitude = case when is_away then 41.9 else 52.5 end,
      longitude = case when is_away then 12.5 else 13.4 end,
      city = case when is_away then 'Rome' else 'Berlin' end
    from (select id, extract(day from local_taken_at) <= 5 as is_away
      from asset where extract(month from local_month) in (4, 8, 12)) asset
    where asset.id = asset_exif.asset_id;
    alter table asset_exif enable trigger user`);
  await sql.unsafe('vacuum analyze asset_exif');
}

async function changePictures({ sql }: OpenLibrary): Promise<void> {
  await sql`
    update asset set is_favorite = not is_favorite where id in (
      select picked.id from unnest(array['2019-05-01', '2024-06-01', '2025-12-01']::date[]) month (month)
      cross join lateral (select id from asset where local_month = month.month limit 20) picked)`;
}

async function writeThumbnails(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  // As large as those of photos: the decoder takes as long.
  const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const;
  const create = { width: 333, height: 250, channels: 3, background: 'grey', noise } as const;
  for (let n = 0; n < FILES; n++) {
    await sharp(await sharp({ create }).png().toBuffer())
      .blur(0.7)
      .webp({ effort: 0 })
      .toFile(join(folder, `thumbnail-${n}.webp`));
  }
}

async function addFaces({ sql }: OpenLibrary, ownerId: string): Promise<void> {
  const [person] = await sql<{ id: string }[]>`
    insert into person (owner_id, name, birth_date) values (${ownerId}, 'Ann', '1990-11-22')
    returning id`;
  await sql.unsafe('alter table face disable trigger user');
  await sql.unsafe(`insert into face (owner_id, asset_id, person_id, x1, y1, x2, y2, image_width, image_height, source,
      source_revision, clustered_at, local_month)
    select '${ownerId}', id, '${person!.id}', 0.1, 0.1, 0.3, 0.4, 1000, 800, 'machine-learning', '', now(),
      local_month from asset limit ${FACES}`);
  await sql.unsafe(`alter table face enable trigger user;
    insert into person_count (owner_id, person_id, faces) values ('${ownerId}', '${person!.id}', ${FACES});
    analyze face; analyze person`);
}

/** Returns how a choice of real pictures, among them copies and documents, differs from a random one. */
export async function measureChoice(media: string) {
  if (!MODELS) throw new Error('There are no models: safelight models pull');
  await using database = await testDatabase();
  const { id: ownerId } = await seed(database).user();
  const pictures = await addPictures(database, ownerId, media);
  await matchAll(database);
  await generate(database, ownerId, new Date('2026-11-21T00:10:00Z'));
  const rows = await database.sql<{ id: string }[]>`select asset_id::text as id from memory_asset`;
  const chosen = new Set(rows.map(({ id }) => id));
  const names = pictures.filter(({ id }) => chosen.has(id)).map(({ name }) => name);
  const read = await database.sql<{ id: string }[]>`
    select asset_id::text as id from document where asset_id = any(${[...chosen]})`;
  const withText = new Set(read.map(({ id }) => id));
  const others = pictures.map(({ id }) => id);
  const similarity = (ids: readonly string[]) => computeSimilarity(database, ids);
  const random: number[] = [];
  for (let n = 0; n < 20; n++) {
    const sample = others.toSorted(() => Math.random() - 0.5).slice(0, chosen.size);
    random.push(await similarity(sample));
  }
  await closeImageChildren();
  return {
    pictures: pictures.length,
    chosen: names.length,
    duplicates: names.length - new Set(names).size,
    documents: names.filter((name) => DOCUMENTS.has(name)).length,
    withSigns: pictures.filter(({ id }) => withText.has(id)).map(({ name }) => name),
    similarity: await similarity([...chosen]),
    randomSimilarity: round(random.reduce((a, b) => a + b, 0) / random.length, 3),
  };
}

type Added = { readonly id: string; readonly name: string };

/** Pages among the pictures, and rendered ones as a hurried photo shows them. */
const RENDERED = PAGES.filter(({ name }) => name !== 'sign');
const DOCUMENTS = new Set([
  'text/book-beside-flowers.jpg',
  'text/handwritten-notes.jpg',
  ...RENDERED.map(({ name }) => name),
]);

async function* readPictures(media: string): AsyncGenerator<{ name: string; whole: Buffer }> {
  const files = [...new Bun.Glob('**/*.{jpg,JPG,webp}').scanSync({ cwd: media })].toSorted();
  for (const name of files) {
    const whole = await sharp(join(media, name), { failOn: 'none' })
      .autoOrient()
      .resize(1440, 1440, { fit: 'inside', withoutEnlargement: true })
      .jpeg()
      .toBuffer()
      .catch(() => undefined);
    if (whole) yield { name, whole };
  }
  for (const page of RENDERED) {
    yield { name: page.name, whole: await simulatePhonePhoto(await renderPage(page)) };
  }
}

/** Adds each picture as it is, smaller, and of less quality, all on one local day. */
async function addPictures(
  database: TestDatabase,
  ownerId: string,
  media: string,
): Promise<Added[]> {
  const { paths, log } = database.deps;
  const inference = openInference({ settings: withModels(paths.root), log });
  const added: Added[] = [];
  try {
    for await (const { name, whole } of readPictures(media)) {
      const copies = [
        whole,
        await sharp(whole).resize(800, 800, { fit: 'inside' }).jpeg().toBuffer(),
        await sharp(whole).jpeg({ quality: 40 }).toBuffer(),
      ];
      for (const copy of copies) {
        const takenAt = new Date(Date.UTC(2020, 10, 21, 0, added.length * 3));
        const id = await seed(database).asset({
          ownerId,
          takenAt,
          localTakenAt: takenAt.toISOString().slice(0, -1),
          fileName: basename(name),
          createdAt: new Date(0),
        });
        await addThumbnail(database, id, copy);
        await analyze(database, inference, { id, ownerId, copy });
        added.push({ id, name });
      }
    }
  } finally {
    await inference.close();
  }
  await database.sql`insert into analysis_model (task, model_id) values ('feature', 'feature')`;
  return added;
}

type Copy = { readonly id: string; readonly ownerId: string; readonly copy: Buffer };

async function analyze(
  database: TestDatabase,
  inference: Inference,
  { id, ownerId, copy }: Copy,
): Promise<void> {
  const path = join(database.deps.paths.derived, 'bench', `${id}.jpg`);
  await Bun.write(path, copy);
  const { results } = await inference.analyze({ path }, ['feature', 'text']);
  const model = { modelId: 'feature', dimension: results.feature!.length };
  await saveFeature(database, { assetId: id, ownerId }, results.feature!, model);
  const asset = { assetId: id, ownerId, type: 'IMAGE', picture: { width: 1, height: 1 } } as const;
  await database.db.transaction(async (tx) => {
    await textSink.store(tx, asset, results.text!, { modelId: 'text', dimension: 0 });
  });
}

/** Returns the mean cosine of all pairs. */
async function computeSimilarity(database: TestDatabase, ids: readonly string[]): Promise<number> {
  const stored = await readEmbeddings(database.db, 'feature', ids);
  let [sum, pairs] = [0, 0];
  for (const [n, { vector }] of stored.entries()) {
    for (const { vector: other } of stored.slice(n + 1)) {
      sum += vector.reduce((dot, value, at) => dot + value * other[at]!, 0);
      pairs += 1;
    }
  }
  return round(sum / pairs, 3);
}
