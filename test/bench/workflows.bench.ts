// bun test/bench/workflows.bench.ts [uploads] [items]: workflows beside uploads, on the binary with its own
// database; a backfill of a seeded library; an expression written to be slow. Prints JSON.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handleContinueBackfill } from '../../src/areas/workflows/backfill/backfill.handlers.ts';
import { compileTextMatch } from '../../src/areas/workflows/methods/text-match.ts';
import { handleAdvanceRuns } from '../../src/areas/workflows/runs/run.handlers.ts';
import { type HandlersByLane, jobs } from '../../src/job-registry.ts';
import { runLane } from '../../src/jobs/run.ts';
import { plainEnvironment, signUp } from '../e2e/server.ts';
import type { Json } from '../support/json.ts';
import { getProgram } from '../support/program.ts';
import { answering, freePort, openLibrary, round, spread } from './measure.ts';
import { cpuMs, sumCpuMs } from './processes.ts';
import { createPhotoUpload } from './photo-upload.ts';
import { dropLibrary, seedLibrary } from './seed.ts';

const uploads = Number(process.argv[2] ?? 800);
const items = Number(process.argv[3] ?? 100_000);
const WORKFLOWS = 50;
const ROUNDS = 4;

const step = (method: string, config: object = {}) => ({ method, config });
const name = (pattern: string) =>
  step('immich-plugin-core#assetFileFilter', { pattern, matchType: 'regex' });
const FAVORITE = step('immich-plugin-core#assetFavorite');

/** Owners have a few that act; most filters of most workflows let nothing pass. */
const toWorkflow = (n: number) => ({
  trigger: n % 2 === 0 ? 'AssetMetadataExtraction' : 'AssetCreate',
  name: `workflow ${n}`,
  steps: [
    [name(`^scan-${n}-[0-9]+`), FAVORITE],
    [step('safelight#cameraFilter', { pattern: `Camera ${n}` }), FAVORITE],
    [step('safelight#sizeFilter', { min: 1_000 + n }), FAVORITE],
    [step('safelight#extensionFilter', { extensions: ['dng', `x${n}`] }), FAVORITE],
    [step('safelight#dimensionsFilter', { min: 20_000 + n }), FAVORITE],
  ][n % 5],
});

const results: Record<string, unknown> = {};
await measureUploads();
await measureBackfill();
measureExpression();
process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);

async function measureUploads(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'safelight-workflows-'));
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = ['--data', join(folder, 'data'), '--host', '127.0.0.1', '--port', `${port}`];
  const child = Bun.spawn([...getProgram(), 'serve', ...options], {
    env: plainEnvironment(),
    stdout: 'ignore',
    stderr: 'ignore',
  });
  await answering(`${url}/api`);
  const { apiKey } = await signUp(url);
  const send = async (method: string, path: string, body?: object): Promise<Json> => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? undefined : response.json();
  };
  const upload = await createPhotoUpload(`${url}/api`, apiKey);
  const isBusy = async (): Promise<boolean> =>
    Object.values<{ jobCounts: Record<string, number> }>(await send('GET', '/jobs')).some(
      ({ jobCounts: { active = 0, waiting = 0, delayed = 0 } }) => active + waiting + delayed > 0,
    );
  const ingest = async (count: number) => {
    const before = sumCpuMs(cpuMs(child.pid));
    const from = performance.now();
    let left = count;
    const work = async () => {
      while (left-- > 0) await upload();
    };
    await Promise.all([work(), work(), work(), work()]);
    while (await isBusy()) await Bun.sleep(200);
    return { ms: performance.now() - from, cpu: sumCpuMs(cpuMs(child.pid)) - before };
  };

  await ingest(20);
  const per = Math.ceil(uploads / ROUNDS);
  const sums = { without: { ms: 0, cpu: 0 }, with: { ms: 0, cpu: 0 } };
  const ids: string[] = [];
  for (let n = 0; n < WORKFLOWS; n++)
    ids.push((await send('POST', '/workflows', toWorkflow(n))).id);
  for (let n = 0; n < ROUNDS * 2; n++) {
    // In the order without, with, with, without: what grows meanwhile weighs on both.
    const state = n % 4 === 0 || n % 4 === 3 ? 'without' : 'with';
    for (const id of ids) await send('PUT', `/workflows/${id}`, { enabled: state === 'with' });
    const { ms, cpu } = await ingest(per);
    sums[state].ms += ms;
    sums[state].cpu += cpu;
  }
  const total = per * ROUNDS;
  results['ingest of 12 MP photos'] = {
    photos: total,
    perSecond: round((total / sums.without.ms) * 1000),
    perSecondWithWorkflows: round((total / sums.with.ms) * 1000),
    cpuMs: round(sums.without.cpu / total),
    cpuMsWithWorkflows: round(sums.with.cpu / total),
    moreTimePercent: round((sums.with.ms / sums.without.ms - 1) * 100),
    moreCpuPercent: round((sums.with.cpu / sums.without.cpu - 1) * 100),
  };

  const steps = [step('immich-plugin-core#assetTypeFilter', { allowedTypes: ['IMAGE'] }), FAVORITE];
  await send('POST', '/workflows', { trigger: 'AssetMetadataExtraction', steps });
  const times: number[] = [];
  for (let n = 0; n < 100; n++) {
    const id = await upload();
    const from = performance.now();
    while (!(await send('GET', `/assets/${id}`)).isFavorite) await Bun.sleep(5);
    times.push(performance.now() - from);
  }
  results['upload answered to action done, ms'] = spread(times);
  child.kill('SIGTERM');
  await child.exited;
  await rm(folder, { recursive: true, force: true });
}

/** Measures the library alone: no other process, one lane. One item of a hundred matches. */
async function measureBackfill(): Promise<void> {
  const library = await seedLibrary('bench_workflows', items);
  const { db, deps, request, close } = openLibrary(library);
  const steps = [
    name('01\\.JPG$'),
    step('safelight#groupFilter', {
      combine: 'any',
      filters: [
        { method: 'safelight#cameraFilter', config: { pattern: 'iPhone' } },
        { method: 'safelight#sizeFilter', config: { min: 1 } },
      ],
    }),
    FAVORITE,
  ];
  const { id } = await request('POST /workflows', { trigger: 'AssetCreate', steps });
  await request(`POST /workflows/${id}/backfills`);
  const from = performance.now();
  const lane = runLane({
    deps: { ...deps, db },
    lane: 'background',
    jobs,
    worker: 'bench',
    concurrency: 2,
    batch: 16,
    handlers: {
      'workflows.backfill': handleContinueBackfill,
      'workflows.advanceBackfilled': handleAdvanceRuns,
    } as unknown as HandlersByLane<'background'>,
  });
  let latest;
  do {
    await Bun.sleep(20);
    lane.wake();
    [latest] = await request(`GET /workflows/${id}/backfills`);
  } while (latest.status === 'running');
  const seconds = (performance.now() - from) / 1000;
  await lane.stop(1000);
  const { evaluated, matched, status, total } = latest;
  results['backfill'] = {
    status,
    total,
    evaluated,
    matched,
    perSecond: round(evaluated / seconds, 0),
  };
  await close();
  await dropLibrary('bench_workflows');
}

function measureExpression(): void {
  const patterns = ['^(a+)+$', '(.?){190}z', '([a-z]*)*!', '(x+x+)+y'];
  const texts = [`${'a'.repeat(254)}!`, 'lorem ipsum '.repeat(10_000)];
  results['slow expressions, ms'] = Object.fromEntries(
    patterns.map((pattern) => {
      const matches = compileTextMatch({ pattern, matchType: 'regex' });
      const times = texts.map((text) => {
        matches(text);
        const from = performance.now();
        matches(text);
        return round(performance.now() - from);
      });
      return [pattern, Math.max(...times)];
    }),
  );
}
