// Photos that nobody tuned the search to, and what models see in them: those of Debian's tuxpaint-stamps-default (names
// of files say what they show) and of SAFELIGHT_TEST_MEDIA where they are. Both are kept in .cache/search-quality.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { textSink } from '../../src/areas/documents/sink.ts';
import { objectLabelSink, sceneSink, tagLabelSink } from '../../src/areas/search/labels/sink.ts';
import { handleIndexText } from '../../src/areas/search/match/text-index.handlers.ts';
import type { Deps } from '../../src/core/context.ts';
import {
  getCapabilities,
  getInference,
  getVectorIndex,
  saveEmbeddings,
} from '../../src/inference/index.ts';
import { computeLayout } from '../../src/inference/run/layout.ts';
import type { Analysis, Pixels, TaskResults } from '../../src/inference/types.ts';
import type { TestDatabase } from '../support/harness.ts';
import { MODELS } from '../support/models.ts';
import { jobCtx } from '../support/processing.ts';

const PACKAGE = 'tuxpaint-stamps-default';
const CACHE = join(import.meta.dir, '../../.cache/search-quality');
const STAMPS = join(CACHE, 'usr/share/tuxpaint/stamps');
const SUBJECTS =
  'animals food plants household clothes hobbies sports vehicles town naturalforces space'.split(
    ' ',
  );
/** Drawings are no photos. */
const DRAWINGS = /cartoon|toys|_mirror|plastic/;
/** Analyses that a run keeps at once: one that is cut short begins there again. */
const BATCH = 40;

if (!MODELS) throw new Error('There are no models: safelight models pull');
/** A CLIP model among the models is measured instead of the default one. */
export const MODEL = getCapabilities({ dataDir: CACHE, modelsDir: MODELS }).embedding!.modelId;

/** Fetches the photos once. */
async function fetchStamps(): Promise<void> {
  if (existsSync(STAMPS)) return;
  mkdirSync(CACHE, { recursive: true });
  await run(['apt-get', 'download', PACKAGE]);
  const file = readdirSync(CACHE).find((name) => name.startsWith(PACKAGE))!;
  await run(['dpkg', '-x', file, '.']);
}

async function run(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { cwd: CACHE, stdio: ['ignore', 'ignore', 'inherit'] });
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`);
}

export type Picture = { readonly name: string; readonly path: string; readonly isStamp: boolean };

export async function listPictures(): Promise<Picture[]> {
  await fetchStamps();
  const stamps = SUBJECTS.flatMap((subject) => [
    ...new Bun.Glob(`${subject}/**/*.png`).scanSync({ cwd: STAMPS }),
  ])
    .filter((name) => !DRAWINGS.test(name) && existsSync(toDescription(name)))
    .map((name) => ({ name, path: join(STAMPS, name), isStamp: true }));
  const media = process.env['SAFELIGHT_TEST_MEDIA'];
  const photos = media
    ? [...new Bun.Glob('**/*.{jpg,JPG,png}').scanSync({ cwd: media })].map((name) => ({
        name: `media/${name}`,
        path: join(media, name),
        isStamp: false,
      }))
    : [];
  return [...stamps, ...photos].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const toDescription = (stamp: string) => join(STAMPS, stamp.replace(/\.png$/, '.txt'));

/** Cut out objects lie on grey paper. */
async function decode({ path, isStamp }: Picture): Promise<Pixels> {
  const paper = { background: '#e8e8e4' };
  const fitted = sharp(path, { failOn: 'none', limitInputPixels: false })
    .autoOrient()
    .resize(1000, 1000, { fit: 'inside' });
  const margin = { top: 60, bottom: 60, left: 60, right: 60 };
  const whole = isStamp ? fitted.flatten(paper).extend({ ...margin, ...paper }) : fitted;
  const raw = whole.removeAlpha().toColourspace('srgb').raw();
  const { data, info } = await raw.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8Array(data) };
}

export type Seen = Pick<TaskResults, 'labels' | 'objects' | 'text'> &
  Pick<Analysis, 'colours' | 'layout'> & { readonly vector: number[] };

/** Analyses each picture once: results are kept beside the photos. */
export async function analyzeAll(
  deps: Deps,
  pictures: readonly Picture[],
): Promise<Record<string, Seen>> {
  const file = join(CACHE, `analysis-${MODEL}.json`);
  const seen: Record<string, Seen> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const missing = pictures.filter(({ name }) => !seen[name]?.layout);
  for (const [at, picture] of missing.entries()) {
    const known = seen[picture.name];
    const pixels = await decode(picture);
    // Analysed before there were scenes.
    seen[picture.name] = known
      ? { ...known, layout: computeLayout(pixels) }
      : await analyze(deps, pixels);
    if (at % BATCH === BATCH - 1 || at === missing.length - 1)
      writeFileSync(file, JSON.stringify(seen));
  }
  return seen;
}

async function analyze(deps: Deps, pixels: Pixels): Promise<Seen> {
  const tasks = ['embedding', 'objects', 'labels', 'text'] as const;
  const { results, colours, layout } = await getInference(deps).analyze(pixels, tasks);
  const { labels = [], objects = [], text = [], embedding = new Float32Array() } = results;
  return { labels, objects, text, colours, layout, vector: [...embedding] };
}

type Asset = {
  readonly assetId: string;
  readonly ownerId: string;
  readonly type: 'IMAGE' | 'VIDEO';
};

/** Saves what models see in an asset, as their sinks do. */
export async function saveSeen({ db }: TestDatabase, subject: Asset, seen: Seen): Promise<void> {
  const model = { modelId: 'measured', dimension: 0 };
  const { labels, vector, ...more } = seen;
  const asset = { ...subject, picture: { width: 1000, height: 1000 }, ...more };
  await db.transaction(async (tx) => {
    await tagLabelSink.store(tx, asset, labels, model);
    await objectLabelSink.store(tx, asset, seen.objects, model);
    await sceneSink.store(tx, asset, labels, model);
    await textSink.store(tx, asset, seen.text, model);
    const embedding = {
      kind: 'asset',
      subjectId: subject.assetId,
      vector: Float32Array.from(vector),
    } as const;
    if (vector.some((value) => value !== 0)) await saveEmbeddings(tx, MODEL, [embedding]);
  });
}

/** Makes what has been saved found. */
export async function indexAll(database: TestDatabase, deps: Deps): Promise<void> {
  for (;;) {
    const effect = await handleIndexText(jobCtx({ ...database, deps }), {});
    if (!effect) break;
    await database.db.transaction(async (tx) => void (await effect(tx)));
  }
  await getVectorIndex(deps).refresh(MODEL);
}
