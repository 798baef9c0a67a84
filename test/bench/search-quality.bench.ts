// make bench ARGS=search-quality: how well the search finds pictures that nobody tuned it to, by kind of query. The
// pictures are the photos of Debian's tuxpaint-stamps-default (names of files say what they show, their descriptions
// say it in other languages) and those of SAFELIGHT_TEST_MEDIA where they are. Prints JSON.
import { readFileSync } from 'node:fs';
import type { App } from '../../src/app.ts';
import { closeInference } from '../../src/inference/client.ts';
import { getVectorIndex } from '../../src/inference/index.ts';
import { call, seed, testApp, testDatabase, type TestUser } from '../support/harness.ts';
import { withModels } from '../support/models.ts';
import {
  analyzeAll,
  indexAll,
  listPictures,
  MODEL,
  type Picture,
  saveSeen,
  toDescription,
} from './search-photos.ts';
import queries from './search-quality.json' with { type: 'json' };

const LANGUAGES = ['de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt_BR', 'zh_CN'];
const ARTICLE = /^(?:un[eoa]?|u[mn]a?|e[ei]ne?|le|la|il|de|het|o|a|l['’])\s+/i;

/** Adds the pictures to a library, under names that say nothing. Returns their names by id. */
async function fill(owner: TestUser, pictures: readonly Picture[]): Promise<Map<string, string>> {
  const seen = await analyzeAll(deps, pictures);
  const names = new Map<string, string>();
  for (const [at, { name }] of pictures.entries()) {
    const id = await seed(database).asset({ ownerId: owner.id, fileName: `IMG_${at}.jpg` });
    names.set(id, name);
    const asset = { assetId: id, ownerId: owner.id, type: 'IMAGE' } as const;
    await saveSeen(database, asset, seen[name]!);
  }
  await indexAll(database, deps);
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
const pictures = await listPictures();
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
