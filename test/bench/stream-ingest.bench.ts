// bun test/bench/stream-ingest.bench.ts [photos]: how much slower photos are taken in while somebody watches a video that
// is transcoded, on the binary with its own database. The player reads as a browser does: half a minute ahead of what it
// shows. `share` is the part of the processor that the encoder takes; what is slower than that is a loss. Prints JSON.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeClip } from '../fixtures/clips.ts';
import { plainEnvironment, signUp } from '../e2e/server.ts';
import type { Json } from '../support/json.ts';
import { getProgram } from '../support/program.ts';
import { listVideoProcesses } from '../support/streams.ts';
import { openStream } from '../support/video-streams.ts';
import { answering, freePort, round } from './measure.ts';
import { createPhotoUpload, uploadFile } from './photo-upload.ts';
import { getCpuMs } from './processes.ts';

const photos = Number(process.argv[2] ?? 100);
/** Without and with in turns that are mirrored: what grows meanwhile weighs on both. */
const ORDER = [false, true, true, false, false, true, true, false];
/** Longer than any part of the measurement. */
const VIDEO_SECONDS = 240;
const BUFFER_SECONDS = 30;

const folder = mkdtempSync(join(tmpdir(), 'safelight-stream-ingest-'));
const url = `http://127.0.0.1:${freePort()}`;
const options = [
  '--data',
  join(folder, 'data'),
  '--host',
  '127.0.0.1',
  '--port',
  new URL(url).port,
];
const child = Bun.spawn([...getProgram(), 'serve', ...options], {
  env: { ...plainEnvironment(), SAFELIGHT_LOG_LEVEL: 'error' },
  stdout: 'ignore',
  stderr: 'inherit',
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
  return response.json();
};

const isBusy = async (): Promise<boolean> =>
  Object.values<{ jobCounts: Record<string, number> }>(await send('GET', '/jobs')).some(
    ({ jobCounts: { active = 0, waiting = 0, delayed = 0 } }) => active + waiting + delayed > 0,
  );
const waitForJobs = async () => {
  while (await isBusy()) await Bun.sleep(100);
};

/** Adds a video that no other one is the same as: what was encoded of it is not kept. */
async function addVideo(): Promise<string> {
  const source = `testsrc2=size=1920x1080:rate=30:duration=${VIDEO_SECONDS}`;
  const sound = ['-f', 'lavfi', '-i', `sine=440:duration=${VIDEO_SECONDS}`];
  const coding = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 30 -c:a aac'.split(' ');
  const path = makeClip(join(folder, 'a.mp4'), ['-f', 'lavfi', '-i', source, ...sound, ...coding]);
  // Bytes behind the last box are not read.
  const bytes = Buffer.concat([
    await Bun.file(path).bytes(),
    crypto.getRandomValues(Buffer.alloc(8)),
  ]);
  const id = await uploadFile(`${url}/api`, apiKey, bytes, 'a.mp4');
  await waitForJobs();
  return id;
}

/** Watches a video from its start. Returns what stops that, and tells when it began, and how late segments came. */
function watch(id: string) {
  let isWatching = true;
  const waited = { startMs: 0, lateMs: 0 };
  const handle = (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    return fetch(new Request(`${url}${pathname}${search}`, request));
  };
  const watching = (async () => {
    let from = performance.now();
    const player = await openStream({ handle }, id, { as: { key: apiKey } });
    let seconds = 0;
    for (const [number, duration] of player.durations.entries()) {
      while (isWatching && from + (seconds - BUFFER_SECONDS) * 1000 > performance.now())
        await Bun.sleep(50);
      if (!isWatching) break;
      await (await player.readSegment(number)).arrayBuffer();
      const lateMs = performance.now() - (from + seconds * 1000);
      if (number === 0) {
        waited.startMs = lateMs;
        from += lateMs;
      } else waited.lateMs = Math.max(waited.lateMs, lateMs);
      seconds += duration;
    }
    await player.end();
  })();
  return async () => {
    isWatching = false;
    await watching;
    return waited;
  };
}

const upload = await createPhotoUpload(`${url}/api`, apiKey);

async function ingest(): Promise<number> {
  const from = performance.now();
  let left = photos;
  const work = async () => {
    while (left-- > 0) await upload();
  };
  await Promise.all([work(), work(), work(), work()]);
  await waitForJobs();
  return performance.now() - from;
}

/** Follows the encoders of the server. Returns what stops that, and tells the processor time that they took in ms. */
function followEncoders(): () => number {
  const times = new Map<number, number>();
  const look = () => {
    for (const pid of listVideoProcesses(child.pid))
      times.set(pid, Math.max(times.get(pid) ?? 0, getCpuMs(pid)));
  };
  const timer = setInterval(look, 200);
  return () => {
    clearInterval(timer);
    look();
    return times.values().reduce((sum, ms) => sum + ms, 0);
  };
}

try {
  const config = await send('GET', '/system-config');
  config.ffmpeg.realtime = { ...config.ffmpeg.realtime, enabled: true, resolutions: [720] };
  await send('PUT', '/system-config', config);
  const ids: string[] = [];
  for (const isWatched of ORDER) if (isWatched) ids.push(await addVideo());
  await ingest();
  const rounds: unknown[] = [];
  const sums = { alone: 0, beside: 0, encoder: 0 };
  const waits: { startMs: number; lateMs: number }[] = [];
  for (const isWatched of ORDER) {
    const id = isWatched ? ids.pop() : undefined;
    const stop = id === undefined ? undefined : watch(id);
    const getEncoderMs = followEncoders();
    const ms = await ingest();
    const encoderMs = getEncoderMs();
    rounds.push({ isWatched, ms: round(ms), encoderMs });
    sums[isWatched ? 'beside' : 'alone'] += ms;
    if (!stop) continue;
    sums.encoder += encoderMs;
    waits.push(await stop());
  }
  const rate = (ms: number) => round(((ORDER.length / 2) * photos * 1000) / ms);
  const share = sums.encoder / (sums.beside * availableParallelism());
  const slower = 1 - sums.alone / sums.beside;
  console.log(
    JSON.stringify({
      photosPerSecond: rate(sums.alone),
      photosPerSecondBesideStream: rate(sums.beside),
      slowerPercent: round(slower * 100, 1),
      sharePercent: round(share * 100, 1),
      startMs: waits.map(({ startMs }) => round(startMs)),
      segmentsLateMs: waits.map(({ lateMs }) => round(lateMs)),
      rounds,
    }),
  );
} finally {
  child.kill('SIGTERM');
  await child.exited;
  rmSync(folder, { recursive: true, force: true });
}
