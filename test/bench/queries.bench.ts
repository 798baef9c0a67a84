// bun test/bench/queries.bench.ts: what is found by plain words. The default models look at the real
// photos of SAFELIGHT_TEST_MEDIA, as the server would; then people ask for what they see on them. Prints
// where the first photo that they meant comes, hit@1 and hit@3, as JSON. On a database of the server in
// TEST_POSTGRES.
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { textSink } from '../../src/areas/documents/sink.ts';
import { duplicateSink } from '../../src/areas/duplicates/sink.ts';
import { facesSink } from '../../src/areas/faces/sink.ts';
import { petsSink } from '../../src/areas/pets/sink.ts';
import { handleIndexText } from '../../src/areas/search/match/text-index.handlers.ts';
import { getExifTool } from '../../src/areas/assets/processing/media-tools.ts';
import { dataPaths, derivedName } from '../../src/core/paths.ts';
import { closeInference } from '../../src/inference/client.ts';
import { embeddingSink, featureSink } from '../../src/inference/embeddings.sink.ts';
import { analysisHandlers } from '../../src/inference/handlers.ts';
import { getCapabilities, getVectorIndex } from '../../src/inference/index.ts';
import { renderImage } from '../../src/media/images.ts';
import {
  call,
  seed,
  type TestDatabase,
  type TestUser,
  testApp,
  testDatabase,
} from '../support/harness.ts';
import { MODELS, withModels } from '../support/models.ts';
import { derivedPath, jobCtx } from '../support/processing.ts';
import { MEDIA } from '../support/requirements.ts';

/** A query and the photos of which any should be found, by the ends of their paths. */
type Query = readonly [text: string, ...expected: string[]];

const CHARTS = ['DSC_0011.JPG', 'GOPR8511.JPG', 'P1010006.JPG', '_DSC8830.JPG', '_MG_0633.JPG'];
const PHONE_CHARTS = ['IMG_3580.JPG', 'IMG_3581.JPG', 'IMG_3582.JPG', 'IMG_3583.JPG'];
const LABORATORY = ['faces/portrait.jpg', 'portrait-orientation-6.jpg'];

/** By what is seen. Of dogs, cars and beaches there is none: nobody asks for them. */
const SEEN: readonly Query[] = [
  ['cat', 'empty_gps.jpg'],
  ['a cat asleep on an armchair', 'empty_gps.jpg'],
  ['pet', 'empty_gps.jpg'],
  ['flower', 'cyclamen_persicum.jpg', 'orychophragmus_violaceus.jpg', 'polemonium_reptans.jpg'],
  ['pink flower', 'cyclamen_persicum.jpg'],
  ['purple flowers', 'orychophragmus_violaceus.jpg', 'polemonium_reptans.jpg'],
  ['cactus', 'notocactus_minimus.jpg'],
  ['bird', 'prairie_falcon.jpg'],
  ['a bird of prey in flight', 'prairie_falcon.jpg'],
  ['mountains', 'denali.webp', '16bit-HDR-P3-nclx.jxl', 'thompson-springs.jpg'],
  ['a valley in the alps', '16bit-HDR-P3-nclx.jxl'],
  ['desert', 'mongolels.jpg', 'thompson-springs.jpg'],
  ['sand dunes', 'mongolels.jpg'],
  ['cliff', 'el_torcal_rocks.jpg', 'thompson-springs.jpg', 'prairie_falcon.jpg'],
  ['rocks under a blue sky', 'el_torcal_rocks.jpg', 'thompson-springs.jpg'],
  ['forest', 'silver_fir.jpg', 'wood_anemones.jpg', '8bit-sRGB.avif'],
  ['fir tree', 'picasa.jpg', 'silver_fir.jpg'],
  ['meadow', 'tanners_ridge.jpg', 'wood_anemones.jpg'],
  ['castle', '10bit-HDR-P3-nclx.avif'],
  ['flag', '10bit-HDR-P3-nclx.avif'],
  ['winter at the river', '8bit-sRGB.avif'],
  ['people', ...LABORATORY, 'craft-beer.jpg', '10bit-HDR-P3-nclx.avif'],
  ['old photo of two scientists', ...LABORATORY],
  ['night', 'japanese-shop.jpg'],
  ['a shop in the evening', 'japanese-shop.jpg'],
  ['beer', 'craft-beer.jpg'],
  ['a woman behind the bar', 'craft-beer.jpg'],
  ['drinks', 'craft-beer.jpg'],
  ['book', 'book-beside-flowers.jpg', 'handwritten-notes.jpg'],
  ['notebook and pen', 'handwritten-notes.jpg'],
  ['document', 'handwritten-notes.jpg', 'book-beside-flowers.jpg', 'density_plot.png'],
  ['vase', 'jxl/8bit-sRGB.jxl'],
  ['engine', 'heic/IMG_2682.heic'],
  ['diagram', 'density_plot.png'],
  ['colour chart', ...CHARTS, ...PHONE_CHARTS],
];

/** By what is written on them. */
const READ: readonly Query[] = [
  ['wavefunction', 'density_plot.png'],
  ['quantum square', 'density_plot.png'],
  ['IPA', 'craft-beer.jpg'],
  ['dost', 'book-beside-flowers.jpg'],
  ['colorchecker', ...CHARTS, ...PHONE_CHARTS],
  ['embedded', 'portrait-orientation-6.jpg'],
];

const DEPTH = 10;
const PICTURES = '**/*.{jpg,JPG,png,heic,HEIC,avif,webp,jxl}';

function skip(why: string): never {
  console.log(JSON.stringify({ skipped: why }));
  process.exit(0);
}

if (!MODELS) skip('the default models are not installed and cannot be fetched');
if (!MEDIA || !existsSync(MEDIA)) skip('SAFELIGHT_TEST_MEDIA names no folder of real photos');

const database = await testDatabase();
const settings = withModels(database.deps.settings.dataDir);
const library: TestDatabase = { ...database, deps: { ...database.deps, settings } };
const scratch = await mkdtemp(join(tmpdir(), 'safelight-queries-'));
const files = [...new Bun.Glob(PICTURES).scanSync({ cwd: MEDIA })].toSorted();
const wanted = [...SEEN, ...READ].flatMap(([, ...expected]) => expected);
const missing = wanted.find((end) => !files.some((file) => file.endsWith(end)));
if (missing) skip(`${missing} is not among the photos of SAFELIGHT_TEST_MEDIA: they are others`);

/** As an upload leaves it. Names that say what is on them would be found by these. */
async function addPhoto(owner: TestUser, file: string, at: number): Promise<string> {
  const fileName = `IMG_${1000 + at}${file.slice(file.lastIndexOf('.'))}`;
  const { preview } = await renderImage(join(MEDIA!, file), {
    fileName: basename(file),
    tempDir: scratch,
    exiftool: getExifTool(dataPaths(scratch), { processes: 1 }),
  });
  const { width, height } = preview;
  const id = await seed(library).asset({ ownerId: owner.id, fileName, width, height });
  const name = derivedName(id, 'preview', 'jpg');
  const path = derivedPath(library, name);
  await mkdir(dirname(path), { recursive: true });
  await Bun.write(path, preview.bytes);
  await library.sql`
    insert into asset_file values (${id}, 'preview', ${name}, 'image/jpeg', 1, 't')`;
  return id;
}

const SINKS = [facesSink, embeddingSink, petsSink, textSink, featureSink, duplicateSink];
const { 'inference.analyze': analyze } = analysisHandlers(SINKS);

/** All that a job does, in its transaction. */
async function run(work: Promise<Awaited<ReturnType<typeof analyze>>>): Promise<boolean> {
  const effect = await work;
  if (effect) await library.db.transaction(async (tx) => void (await effect(tx)));
  return effect !== undefined;
}

async function ranked(owner: TestUser, route: 'ask' | 'metadata', body: object): Promise<string[]> {
  const reply = await call(testApp(library), `POST /search/${route}`, { as: owner, body });
  if (reply.status !== 200) throw new Error(`${route}: ${JSON.stringify(reply.body)}`);
  return reply.body.assets.items.map((item: { id: string }) => item.id);
}

try {
  const owner = await seed(library).user();
  const names = new Map<string, string>();
  for (const [at, file] of files.entries()) names.set(await addPhoto(owner, file, at), file);
  const started = performance.now();
  for (const assetId of names.keys()) await run(analyze(jobCtx(library), { assetId }));
  const analysisSeconds = Math.round((performance.now() - started) / 1000);
  while (await run(handleIndexText(jobCtx(library), {}))) {
    // Until no asset waits for its words.
  }
  const tell = async (kind: 'seen' | 'read', [text, ...expected]: Query) => {
    const ids =
      kind === 'seen'
        ? await ranked(owner, 'ask', { query: text, size: DEPTH })
        : await ranked(owner, 'metadata', { ocr: text, size: DEPTH });
    const found = ids.map((id) => names.get(id)!);
    const place = found.findIndex((file) => expected.some((end) => file.endsWith(end)));
    const rank = place < 0 ? null : place + 1;
    console.log(JSON.stringify({ kind, query: text, rank, first: found.slice(0, 3) }));
    return { kind, rank };
  };
  const answers: Awaited<ReturnType<typeof tell>>[] = [];
  for (const query of SEEN) answers.push(await tell('seen', query));
  for (const query of READ) answers.push(await tell('read', query));
  const within = (kind: 'seen' | 'read', k: number) => {
    const of = answers.filter((answer) => answer.kind === kind);
    const hits = of.filter(({ rank }) => rank !== null && rank <= k).length;
    return Math.round((1000 * hits) / of.length) / 10;
  };
  const scores = (kind: 'seen' | 'read', queries: readonly Query[]) => ({
    queries: queries.length,
    'hit@1 %': within(kind, 1),
    'hit@3 %': within(kind, 3),
  });
  console.log(
    JSON.stringify({
      photos: files.length,
      model: getCapabilities(settings).embedding?.modelId,
      analysisSeconds,
      seen: scores('seen', SEEN),
      read: scores('read', READ),
    }),
  );
} finally {
  await closeInference();
  await getVectorIndex(library.deps).close();
  await database.close();
  await rm(scratch, { recursive: true, force: true });
}
process.exit(0);
