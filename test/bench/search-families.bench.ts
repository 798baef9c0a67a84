// make bench ARGS=search-families: how well sentences find the photos of a family, by language. Half of them are seen by
// those who make the rules of the search; of the others nothing but figures is printed, for a rule that is made for a
// sentence proves nothing about the next one. --unseen-misses prints theirs: to whoever mends expectations, before there
// are rules. Prints JSON, and the misses of the seen half.
import { closeInference } from '../../src/inference/client.ts';
import { getVectorIndex } from '../../src/inference/index.ts';
import { call, testApp, testDatabase } from '../support/harness.ts';
import { withModels } from '../support/models.ts';
import { quantile, round } from './measure.ts';
import { cpuMs, databaseCpuMs, sumCpuMs } from './processes.ts';
import { fillLibrary } from './search-families-library.ts';
import { type Condition, listWorld, matches, NOW } from './search-families-world.ts';
import { MODEL } from './search-photos.ts';
import seenHalf from './search-families.json' with { type: 'json' };
import unseenHalf from './search-families-unseen.json' with { type: 'json' };

type Sentence = {
  readonly language: string;
  readonly kind: string;
  readonly query: string;
  /** Null: nothing is to be found. */
  readonly expected: Condition | null;
};
type Outcome = Sentence & {
  readonly names: readonly string[];
  /** Of each of `names`. */
  readonly right: readonly boolean[];
  /** How many there are to be found. */
  readonly wanted: number;
  /** The chips, and the text that is left. */
  readonly read: readonly string[];
  readonly ms: number;
};

const TEN = 10;
/** Are counted apart: the rules are made for the others. */
const APART = ['ru'];

const database = await testDatabase();
const deps = {
  ...database.deps,
  now: () => NOW,
  settings: { ...database.deps.settings, ...withModels(database.deps.paths.root) },
};
const app = testApp({ ...database, deps });
const world = await listWorld();
const { owner, photos } = await fillLibrary(database, app, deps, world);
const databaseName = (await database.sql`select current_database() as name`)[0]!['name'] as string;

async function ask(sentence: Sentence): Promise<Outcome> {
  const { query, language, expected } = sentence;
  const wanted = expected ? world.filter((photo) => matches(photo, expected)).length : 0;
  if (expected && wanted === 0) throw new Error(`No photo is meant by "${query}"`);
  const from = performance.now();
  const reply = await call(app, 'POST /search/ask', { as: owner, body: { query, language } });
  const ms = performance.now() - from;
  if (reply.status !== 200) throw new Error(`${query}: ${JSON.stringify(reply.body)}`);
  const found = reply.body.assets.items.map(({ id }: { id: string }) => photos.get(id)!);
  const right = found.map(
    (photo: (typeof world)[number]) => !!expected && matches(photo, expected),
  );
  const names = found.map(({ picture }: (typeof world)[number]) => picture.name);
  const { chips, text } = reply.body.interpretation;
  const read = chips.map(
    ({ field, label }: { field: string; label: string }) => `${field}=${label}`,
  );
  if (text !== null) read.push(`text=${text}`);
  return { ...sentence, names, right, wanted, read, ms };
}

const share = (part: number, whole: number) => (whole === 0 ? null : round(part / whole));
const count = (outcomes: readonly Outcome[], is: (outcome: Outcome) => boolean) =>
  outcomes.filter(is).length;
const mean = (outcomes: readonly Outcome[], toShare: (outcome: Outcome) => number) =>
  share(
    outcomes.reduce((sum, outcome) => sum + toShare(outcome), 0),
    outcomes.length,
  );

/** Precision and recall are those of the first ten. */
function summarize(outcomes: readonly Outcome[]) {
  const there = outcomes.filter(({ expected }) => expected !== null);
  const absent = outcomes.filter(({ expected }) => expected === null);
  const countRight = ({ right }: Outcome) => right.slice(0, TEN).filter(Boolean).length;
  return {
    queries: there.length,
    hit1: share(
      count(there, ({ right }) => right[0] === true),
      there.length,
    ),
    hit3: share(count(there, isHit), there.length),
    precision: mean(there, (one) => countRight(one) / Math.max(1, Math.min(TEN, one.names.length))),
    recall: mean(there, (one) => countRight(one) / Math.min(TEN, one.wanted)),
    empty: count(there, ({ names }) => names.length === 0),
    absent: absent.length,
    absentFound: count(absent, ({ names }) => names.length > 0),
  };
}

const isHit = ({ right }: Outcome) => right.slice(0, 3).includes(true);
const isMissed = (one: Outcome) => (one.expected ? !isHit(one) : one.names.length > 0);

function printGroups(half: string, outcomes: readonly Outcome[], by: 'language' | 'kind'): void {
  for (const [value, group] of Map.groupBy(outcomes, (outcome) => outcome[by]))
    console.log(JSON.stringify({ half, [by]: value, ...summarize(group) }));
}

const printMisses = (outcomes: readonly Outcome[]) =>
  outcomes.filter(isMissed).forEach(({ language, query, read, names }) => {
    const found = names.slice(0, 3).join(', ') || 'nothing';
    console.log(`missed ${language} "${query}" [${read.join(', ')}]: ${found}`);
  });

async function measure(half: string, sentences: readonly Sentence[], showsMisses: boolean) {
  const [own, inDatabase] = [sumCpuMs(cpuMs(process.pid)), databaseCpuMs(databaseName)];
  const outcomes: Outcome[] = [];
  for (const sentence of sentences) outcomes.push(await ask(sentence));
  const toCpu = (ms: number) => round(ms / sentences.length);
  const cpu = {
    cpuMs: toCpu(sumCpuMs(cpuMs(process.pid)) - own),
    databaseCpuMs: toCpu(databaseCpuMs(databaseName) - inDatabase),
  };
  const times = outcomes.map(({ ms }) => ms);
  const main = outcomes.filter(({ language }) => !APART.includes(language));
  const p = { p50Ms: quantile(times, 0.5), p95Ms: quantile(times, 0.95) };
  console.log(JSON.stringify({ half, language: 'all', ...summarize(main), ...cpu, ...p }));
  printGroups(half, outcomes, 'language');
  if (!showsMisses) return;
  printGroups(half, main, 'kind');
  printMisses(outcomes);
}

const placed = world.filter(({ place }) => place !== undefined).length;
const withPeople = world.filter(({ people }) => people.length > 0).length;
console.log(JSON.stringify({ model: MODEL, photos: world.length, placed, withPeople }));
// Loads the models.
await ask({ language: 'en', kind: '', query: 'a first question', expected: null });
await measure('seen', seenHalf as readonly Sentence[], true);
const showsUnseen = process.argv.includes('--unseen-misses');
await measure('unseen', unseenHalf as readonly Sentence[], showsUnseen);
await closeInference();
await getVectorIndex(deps).close();
await database.close();
