// bun test/bench/ingest.bench.ts [photos]: start, memory, and a folder of 12 MP photos taken in by the
// binary with its own database, beside the same files through plain libvips.
//
// The two do not make the same. A 12 MP photo becomes a preview of 2016 × 1512 at quality 80 and a
// thumbnail of 333 × 250 here, and one of 1440 × 1080 and one of 250 × 188 at quality 75 there: half the
// pixels; so it is measured with our sizes too. Vipsthumbnail decodes each file twice, for it makes one size at
// a time; we decode it once, and also receive, digest, sync and record it.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { photoLikeJpeg } from '../fixtures/index.ts';
import { DATES, FORM_TYPE, filePart, createForm } from '../support/forms.ts';
import { plainEnvironment, safelight, signUp } from '../e2e/server.ts';
import { cpuMs, pssMiB, sumCpuMs } from './processes.ts';

const count = Number(process.argv[2] ?? 300);
const PORT = 22_845;
const URL = `http://127.0.0.1:${PORT}`;
const folder = await mkdtemp(join(tmpdir(), 'safelight-ingest-'));
const results: Record<string, number> = {};

async function start() {
  const at = performance.now();
  const child = Bun.spawn(
    [
      ...safelight(),
      'serve',
      '--data',
      join(folder, 'data'),
      '--host',
      '127.0.0.1',
      '--port',
      `${PORT}`,
    ],
    { env: plainEnvironment(), stdout: 'ignore', stderr: 'ignore' },
  );
  for (;;) {
    try {
      await (await fetch(`${URL}/api/server/ping`)).json();
      return { child, ms: performance.now() - at };
    } catch {
      await Bun.sleep(2);
    }
  }
}

const stop = async (child: Bun.Subprocess) => {
  child.kill('SIGTERM');
  await child.exited;
};

const fresh = await start();
results['start, fresh folder, ms'] = fresh.ms;
const { apiKey } = await signUp(URL);
await stop(fresh.child);

const again = await start();
results['start, existing folder, ms'] = again.ms;
const { pid } = again.child;
await Bun.sleep(5000);
results['PSS idle, MiB'] = pssMiB(pid);

const base = await photoLikeJpeg();
results['bytes per photo, MB'] = base.length / 1e6;
/** A comment after the first marker: every file is another one, its picture the same. */
const photo = () => {
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 18]), randomBytes(16)]);
  return Buffer.concat([base.subarray(0, 2), comment, base.subarray(2)]);
};

let peak = 0;
const sampler = setInterval(() => {
  peak = Math.max(peak, pssMiB(pid));
}, 250);
const before = cpuMs(pid);
const begun = performance.now();

let left = count;
const upload = async () => {
  while (left-- > 0) {
    const reply = await fetch(`${URL}/api/assets`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': FORM_TYPE },
      body: createForm([...DATES, filePart(photo())]) as Uint8Array<ArrayBuffer>,
    });
    if (reply.status !== 201) throw new Error(`not created: ${await reply.text()}`);
    await reply.arrayBuffer();
  }
};
await Promise.all([upload(), upload(), upload(), upload()]);
results['accepted, photos/s'] = count / seconds(begun);

// Seldom: the answers are counted among the work.
while (await isBusy()) await Bun.sleep(500);
results['all jobs drained, photos/s'] = count / seconds(begun);
clearInterval(sampler);
const after = cpuMs(pid);
results['PSS peak, MiB'] = Math.max(peak, pssMiB(pid));
results['CPU ms per photo'] = (sumCpuMs(after) - sumCpuMs(before)) / count;
for (const name of Object.keys(after)) {
  const ms = ((after[name] ?? 0) - (before[name] ?? 0)) / count;
  if (ms >= 0.1) results[`  of it in ${name}, ms`] = ms;
}
await Bun.sleep(10_000);
results['PSS 10 s after, MiB'] = pssMiB(pid);
await Bun.sleep(65_000);
results['PSS 75 s after, MiB'] = pssMiB(pid);
await stop(again.child);

const binary = safelight()[0]!;
results['binary, MB'] = (await stat(binary)).size / 1e6;

// The same pictures through libvips alone: no upload, no digests, no metadata, no database.
const files = await Promise.all(
  Array.from({ length: 20 }, async (_, index) => {
    const path = join(folder, `${index}.jpg`);
    await Bun.write(path, photo());
    return path;
  }),
);
results['plain vipsthumbnail, CPU ms per photo'] = measureVips(
  'vipsthumbnail "$@" -s 1440 -o %s-p.jpg && vipsthumbnail "$@" -s 250 -o %s-t.webp',
);
results['vipsthumbnail of our sizes, CPU ms per photo'] = measureVips(
  'vipsthumbnail "$@" -s 2016 -o %s-p.jpg[Q=80] && vipsthumbnail "$@" -s 333 -o %s-t.webp[Q=80]',
);

await rm(folder, { recursive: true, force: true });
const rounded = Object.entries(results).map(([name, value]) => [name, Math.round(value * 10) / 10]);
process.stdout.write(`${JSON.stringify(Object.fromEntries(rounded), null, 2)}\n`);

/** CPU of a shell script over the files, in ms per file. */
function measureVips(script: string): number {
  const env = { ...process.env, VIPS_CONCURRENCY: '1' };
  const { resourceUsage } = Bun.spawnSync(['sh', '-c', script, 'x', ...files], { env });
  return Number(resourceUsage.cpuTime.total) / 1000 / files.length;
}

async function isBusy(): Promise<boolean> {
  const reply = await fetch(`${URL}/api/jobs`, { headers: { 'x-api-key': apiKey } });
  const queues = (await reply.json()) as Record<string, { jobCounts: Record<string, number> }>;
  return Object.values(queues).some(
    ({ jobCounts }) =>
      (jobCounts['active'] ?? 0) + (jobCounts['waiting'] ?? 0) + (jobCounts['delayed'] ?? 0) > 0,
  );
}

function seconds(from: number): number {
  return (performance.now() - from) / 1000;
}
