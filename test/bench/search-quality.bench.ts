// make bench ARGS=search-quality: how well the search finds pictures that nobody tuned it to, by kind of query. The
// pictures are the photos of Debian's tuxpaint-stamps-default (names of files say what they show, their descriptions
// say it in other languages) and those of SAFELIGHT_TEST_MEDIA where they are. Prints JSON.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import type { App } from '../../src/app.ts';
import { textSink } from '../../src/areas/documents/sink.ts';
import { objectLabelSink, sceneSink, tagLabelSink } from '../../src/areas/search/labels/sink.ts';
import { handleIndexText } from '../../src/areas/search/match/text-index.handlers.ts';
import {
  getCapabilities,
  getInference,
  getVectorIndex,
  saveEmbeddings,
} from '../../src/inference/index.ts';
import type { Analysis, TaskResults } from '../../src/inference/types.ts';
import { computeLayout } from '../../src/inference/run/layout.ts';
import { closeInference } from '../../src/inference/client.ts';
import { call, seed, testApp, testDatabase, type TestUser } from '../support/harness.ts';
import { MODELS, withModels } from '../support/models.ts';
import { jobCtx } from '../support/processing.ts';
import queries from './search-quality.json' with { type: 'json' };

const PACKAGE = 'tuxpaint-stamps-default';
const CACHE = join(import.meta.dir, '../../.cache/search-quality');
const STAMPS = join(CACHE, 'usr/share/tuxpaint/stamps');
const SUBJECTS =
  'animals food plants household clothes hobbies sports vehicles town naturalforces space'.split(
    ' ',
  );
/** Drawings are no photos. */
const DRAWINGS = /cartoon|toys|_mirror|plastic/;
const LANGUAGES = ['de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt_BR', 'zh_CN'];
const ARTICLE = /^(?:un[eoa]?|u[mn]a?|e[ei]ne?|le|la|il|de|het|o|a|l['’])\s+/i;

if (!MODELS) throw new Error('There are no models: safelight models pull');
/** A CLIP model among the models is measured instead of the default one. */
const MODEL = getCapabilities({ dataDir: CACHE, modelsDir: MODELS }).embedding!.modelId;

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

type Picture = { readonly name: string; readonly path: string; readonly isStamp: boolean };

function listPictures(): Picture[] {
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

const toDescription = (stamp: string) => join(STAMPS, stamp.replace(/\.png$/, '.txt'));

/** Cut out objects lie on grey paper. */
async function decode({ path, isStamp }: Picture) {
  const paper = { background: '#e8e8e4' };
  const fitted = sharp(path, { failOn: 'none' }).autoOrient().resize(1000, 1000, { fit: 'inside' });
  const margin = { top: 60, bottom: 60, left: 60, right: 60 };
  const whole = isStamp ? fitted.flatten(paper).extend({ ...margin, ...paper }) : fitted;
  const raw = whole.removeAlpha().toColourspace('srgb').raw();
  const { data, info } = await raw.toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8Array(data) };
}

type Seen = Pick<TaskResults, 'labels' | 'objects' | 'text'> &
  Pick<Analysis, 'colours' | 'layout'> & { readonly vector: number[] };

/** Analyses each picture once: results are kept beside the photos. */
async function analyzeAll(pictures: readonly Picture[]): Promise<Record<string, Seen>> {
  const file = join(CACHE, `analysis-${MODEL}.json`);
  const seen: Record<string, Seen> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  for (const picture of pictures) {
    const known = seen[picture.name];
    // Analysed before there were scenes.
    if (known && !known.layout)
      seen[picture.name] = { ...known, layout: computeLayout(await decode(picture)) };
    if (known) continue;
    const tasks = ['embedding', 'objects', 'labels', 'text'] as const;
    const { results, colours, layout } = await getInference(deps).analyze(
      await decode(picture),
      tasks,
    );
    const { labels = [], objects = [], text = [], embedding = new Float32Array() } = results;
    seen[picture.name] = { labels, objects, text, colours, layout, vector: [...embedding] };
  }
  writeFileSync(file, JSON.stringify(seen));
  return seen;
}

/** Adds the pictures to a library, under names that say nothing. Returns their names by id. */
async function fill(owner: TestUser, pictures: readonly Picture[]): Promise<Map<string, string>> {
  const seen = await analyzeAll(pictures);
  const names = new Map<string, string>();
  const model = { modelId: 'measured', dimension: 0 };
  for (const [at, { name }] of pictures.entries()) {
    const { labels, objects, text, colours, layout, vector } = seen[name]!;
    const id = await seed(database).asset({ ownerId: owner.id, fileName: `IMG_${at}.jpg` });
    names.set(id, name);
    const picture = { width: 1000, height: 1000 };
    const analysed = { picture, colours, layout, objects, text };
    const asset = { assetId: id, ownerId: owner.id, type: 'IMAGE', ...analysed } as const;
    await database.db.transaction(async (tx) => {
      await tagLabelSink.store(tx, asset, labels, model);
      await objectLabelSink.store(tx, asset, objects, model);
      await sceneSink.store(tx, asset, labels, model);
      await textSink.store(tx, asset, text, model);
      const embedding = {
        kind: 'asset',
        subjectId: id,
        vector: Float32Array.from(vector),
      } as const;
      if (vector.some((value) => value !== 0)) await saveEmbeddings(tx, MODEL, [embedding]);
    });
  }
  for (;;) {
    const effect = await handleIndexText(jobCtx({ ...database, deps }), {});
    if (!effect) break;
    await database.db.transaction(async (tx) => void (await effect(tx)));
  }
  await getVectorIndex(deps).refresh(MODEL);
  return names;
}

type Query = {
  readonly kind: string;
  readonly query: string;
  readonly files: RegExp | undefined;
  /** That of the page of the person who asks. */
  readonly language: string;
};

/** The stamp that is named as the query is: of those that show a bear or a cub, the bear. */
function findNamesake(stamps: readonly Picture[], query: string): Picture | undefined {
  const wanted = query.replaceAll(' ', '');
  const toName = ({ name }: Picture) => name.replace(/^.*\/|\.png$/g, '').replaceAll(/[\d_-]/g, '');
  return (
    stamps.find((stamp) => toName(stamp) === wanted) ??
    stamps.find((stamp) => toName(stamp).includes(wanted)) ??
    stamps[0]
  );
}

/** The same object in other languages, as the descriptions name what is on one stamp. */
const translateAll = (pictures: readonly Picture[], all: readonly Query[]): Query[] =>
  all
    .filter(({ kind }) => kind === 'object')
    .flatMap(({ query: inEnglish, files }) => {
      const stamps = pictures.filter(({ name, isStamp }) => isStamp && files!.test(name));
      const stamp = findNamesake(stamps, inEnglish);
      if (!stamp) return [];
      const lines = readFileSync(toDescription(stamp.name), 'utf8').split('\n');
      return LANGUAGES.flatMap((language) => {
        const line = lines.find((one) => one.startsWith(`${language}.utf8=`));
        const query = line
          ?.slice(line.indexOf('=') + 1)
          .replace(/[.。!]\s*$/, '')
          .trim()
          .replace(ARTICLE, '');
        return query
          ? [{ kind: language, query, files, language: language.replace('_', '-') }]
          : [];
      });
    });

type Sums = {
  queries: number;
  hit1: number;
  hit3: number;
  reciprocal: number;
  precision: number;
  empty: number;
};

async function measure(
  route: 'smart' | 'ask',
  me: TestUser,
  all: readonly Query[],
  names: Map<string, string>,
) {
  const kinds = new Map<string, Sums>();
  const missed: string[] = [];
  for (const { kind, query, files, language } of all) {
    const body = { query, language, size: 1000 };
    const reply = await call(app, `POST /search/${route}`, { as: me, body });
    if (reply.status !== 200) throw new Error(`${query}: ${JSON.stringify(reply.body)}`);
    const found: string[] = reply.body.assets.items.map(({ id }: { id: string }) => names.get(id)!);
    const sums = kinds.get(kind) ?? {
      queries: 0,
      hit1: 0,
      hit3: 0,
      reciprocal: 0,
      precision: 0,
      empty: 0,
    };
    const first = files ? found.findIndex((name) => files.test(name)) : -1;
    const right = files ? found.filter((name) => files.test(name)).length : 0;
    sums.queries++;
    sums.hit1 += Number(first === 0);
    sums.hit3 += Number(first >= 0 && first < 3);
    sums.reciprocal += first < 0 ? 0 : 1 / (first + 1);
    sums.precision += found.length === 0 ? 0 : right / found.length;
    sums.empty += Number(found.length === 0);
    kinds.set(kind, sums);
    const isMissed = files ? first < 0 || first > 2 : found.length > 0;
    if (isMissed) missed.push(`${kind} "${query}": ${found.slice(0, 3).join(', ') || 'nothing'}`);
  }
  const share = (part: number, { queries }: Sums) => Number((part / queries).toFixed(2));
  const rows = [...kinds].map(([kind, sums]) => ({
    kind,
    queries: sums.queries,
    hit1: share(sums.hit1, sums),
    hit3: share(sums.hit3, sums),
    mrr: share(sums.reciprocal, sums),
    precision: share(sums.precision, sums),
    empty: share(sums.empty, sums),
  }));
  return { route, rows, missed };
}

const database = await testDatabase();
const deps = {
  ...database.deps,
  settings: { ...database.deps.settings, ...withModels(database.deps.paths.root) },
};
const app: App = testApp({ ...database, deps });
await fetchStamps();
const pictures = listPictures();
const me = await seed(database).user();
const names = await fill(me, pictures);
const inEnglish: Query[] = queries.map(({ kind, query, files }) => ({
  kind,
  query,
  files: files === null ? undefined : new RegExp(files),
  language: 'en',
}));
const all = [...inEnglish, ...translateAll(pictures, inEnglish)];
for (const route of ['smart', 'ask'] as const) {
  const { rows, missed } = await measure(route, me, all, names);
  console.log(JSON.stringify({ route, model: MODEL, pictures: pictures.length }));
  for (const row of rows) console.log(JSON.stringify(row));
  if (route === 'smart') for (const one of missed) console.log(`missed ${one}`);
}
await closeInference();
await getVectorIndex(deps).close();
await database.close();
