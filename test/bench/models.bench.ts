// bun test/bench/models.bench.ts [folder of pictures]: milliseconds and memory of each model, in a
// process of its own, and pictures per second of the whole. With the pictures of SAFELIGHT_TEST_MEDIA
// where they are. Prints JSON.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { silentLog } from '../../src/core/log.ts';
import { dataPaths } from '../../src/core/paths.ts';
import { openInference } from '../../src/inference/client.ts';
import type { Inference } from '../../src/inference/types.ts';
import { MODELS, withModels } from '../support/models.ts';
import { getCpuMs } from './processes.ts';

const ROUNDS = 15;
const PREVIEW = 1440;
const ALL = ['faces', 'embedding', 'objects', 'labels', 'text', 'feature'] as const;

if (!MODELS) throw new Error('There are no models: safelight models pull');
const folder = mkdtempSync(join(tmpdir(), 'safelight-models-bench-'));
/** Models see no other pictures. */
const { derived } = dataPaths(folder);
mkdirSync(derived, { recursive: true });

/** Photos as the server keeps them: 1440 pixels on the short side. */
async function previews(): Promise<string[]> {
  const source = process.argv[2] ?? process.env['SAFELIGHT_TEST_MEDIA'];
  const files = source
    ? [...new Bun.Glob('**/*.{jpg,JPG,png}').scanSync({ cwd: source, absolute: true })].slice(0, 40)
    : [];
  const made: string[] = [];
  for (const [index, file] of files.entries()) {
    const path = join(derived, `${index}.jpg`);
    const picture = sharp(file, { failOn: 'none' }).autoOrient();
    const resized = picture.resize(PREVIEW, PREVIEW, { fit: 'outside', withoutEnlargement: true });
    const isMade = await resized
      .jpeg()
      .toFile(path)
      .then(
        () => true,
        () => false,
      );
    if (isMade) made.push(path);
  }
  if (made.length > 0) return made;
  const path = join(derived, 'grey.jpg');
  await sharp({ create: { width: 1920, height: PREVIEW, channels: 3, background: '#777' } }).toFile(
    path,
  );
  return [path];
}

async function measured(work: (round: number) => Promise<unknown>) {
  await work(0);
  const cpu = cpuMs();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const from = performance.now();
    await work(round);
    times.push(performance.now() - from);
  }
  const ms = Math.round(times.toSorted((a, b) => a - b)[ROUNDS >> 1]! * 10) / 10;
  return { ms, cpuMs: Math.round((cpuMs() - cpu) / ROUNDS) };
}

/** Returns the time of our children together: on a busy machine it says more than the clock. */
function cpuMs(): number {
  const tasks = readdirSync('/proc/self/task');
  const pids = tasks.flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return pids.reduce((sum, pid) => sum + getCpuMs(Number(pid)), 0);
}

const MB = (bytes: number) => Math.round(bytes / 1e6);

async function inChild<T>(work: (inference: Inference) => Promise<T>): Promise<T & { mb: number }> {
  const inference = openInference({ settings: withModels(folder), log: silentLog });
  try {
    const result = await work(inference);
    return { ...result, mb: MB(inference.memory()) };
  } finally {
    await inference.close();
  }
}

const pictures = await previews();
const getPicture = (round: number) => ({ path: pictures[round % pictures.length]! });
const results: Record<string, unknown> = {
  cores: availableParallelism(),
  pictures: pictures.length,
};
try {
  for (const task of ALL) {
    results[task] = await inChild((inference) =>
      measured((round) => inference.analyze(getPicture(round), [task])),
    );
  }
  results['query'] = await inChild(async (inference) => {
    const from = performance.now();
    await inference.embedQuery('a dog on the beach');
    return {
      coldMs: Math.round(performance.now() - from),
      ...(await measured((round) => inference.embedQuery(`${round} dogs on the beach`))),
    };
  });
  results['everything'] = await inChild(async (inference) => {
    await inference.analyze(getPicture(0), ALL);
    const cpu = cpuMs();
    const from = performance.now();
    await Promise.all(pictures.map((path) => inference.analyze({ path }, ALL)));
    const seconds = (performance.now() - from) / 1000;
    return {
      picturesPerSecond: Math.round((pictures.length / seconds) * 100) / 100,
      cpuMsPerPicture: Math.round((cpuMs() - cpu) / pictures.length),
    };
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(JSON.stringify(results, undefined, 2));
