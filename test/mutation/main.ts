// Changes the product in many places, one at a time, and counts what the tests catch:
//   bun test/mutation/main.ts [--seed=1] [--count=120] [--from=1] [--workers=1] [--in=DIR]
// The committed sources are changed in copies, below DIR or .cache/mutation. What has been judged of a commit is kept
// there, and a run that was broken off goes on behind it. The last line has the share.
import { $ } from 'bun';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startTestCluster } from '../run/environment.ts';
import type { Change } from './changes.ts';
import { drawChanges } from './draw.ts';
import { isTyped, judge, type Verdict } from './judge.ts';

type Judged = Change & Verdict & { readonly commit: string; readonly number: number };

const ROOT = join(import.meta.dir, '../..');
const flag = { type: 'string' } as const;
const options = { seed: flag, count: flag, from: flag, workers: flag, in: flag };
const { values } = parseArgs({ options });
const { seed = '1', count = '120', from = '1', workers = '1' } = values;
const cache = join(ROOT, '.cache/mutation');
const folder = values.in ?? cache;
const kept = join(cache, `seed-${seed}.jsonl`);
mkdirSync(cache, { recursive: true });
$.cwd(ROOT);
const { exitCode } = await $`git diff --quiet HEAD`.nothrow();
if (exitCode !== 0) throw new Error('Commit first: the commit is judged, without later changes.');
const commit = (await $`git rev-parse HEAD`.text()).trim();

const cluster = await startTestCluster();
const places = await Promise.all(Array.from({ length: Number(workers) }, (_, at) => copy(at)));
if (!(await isTyped(places[0]!))) throw new Error('The types have errors without a change.');
const changes = drawChanges(places[0]!.root, Number(seed), Number(count));
const lines = existsSync(kept) ? readFileSync(kept, 'utf8').trim().split('\n') : [];
const judged = lines
  .map((line): Judged => JSON.parse(line))
  .filter((result) => result.commit === commit && result.number <= changes.length);
const pending = changes
  .map((change, at) => ({ commit, number: at + 1, ...change }))
  .filter(({ number }) => number >= Number(from) && !judged.some((it) => it.number === number));

let isEnding = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (isEnding = true));
const work = async (place: (typeof places)[number]) => {
  for (let next = pending.shift(); next; next = pending.shift()) {
    const began = performance.now();
    const result = { ...next, ...(await judge(next, place)) };
    // Tests that are ended from outside have failed by that.
    if (isEnding) return;
    const seconds = Math.round((performance.now() - began) / 1000);
    appendFileSync(kept, `${JSON.stringify({ ...result, seconds })}\n`);
    judged.push(result);
    console.log(`${format(result)}  ${result.by}  (${seconds} s)`);
  }
};
await Promise.all(places.map(work));
await cluster.stop();
await $`rm -rf ${places.map(({ root }) => root)}`;

const select = (outcome: Verdict['outcome']) => judged.filter((it) => it.outcome === outcome);
const [caught, survived, rest] = [select('caught'), select('survived'), select('not judged')];
console.log(`\n${[...rest, ...survived].map(format).join('\n')}`);
const share = Math.round((caught.length / judged.length) * 100);
console.log(`caught ${caught.length} of ${judged.length} (${share} %), ${rest.length} not judged`);

/** Copies the commit, with the media and models that tests would make again. Some tests run programs as another user. */
async function copy(at: number) {
  const root = join(folder, String(at));
  await $`rm -rf ${root} && mkdir -p ${root}/.cache && chmod 755 ${folder} ${root}`;
  await $`git archive HEAD | tar -x -C ${root}`;
  // Confined processes cannot follow a link out of the project.
  await $`/bin/cp -al node_modules ${root}`;
  await $`cp -r .cache/fixtures .cache/models ${root}/.cache`.nothrow().quiet();
  return { root, databaseUrl: cluster.url };
}

function format({ number, outcome, file, line, before, after, leftOut }: Judged): string {
  const [old, now] = [before, after].map((text) => text.replaceAll(/\s+/g, ' ').slice(0, 120));
  const note = leftOut > 0 ? `  (${leftOut} files of tests need the binary: left out)` : '';
  return `${number} ${outcome} ${file}:${line}  ${old} → ${now}${note}`;
}
