// bun test/bench/video-streams.bench.ts [seconds]: how soon a video that is streamed shows its first frame, how soon after
// a seek, and how fast it is transcoded, through the API on the database of the server in TEST_POSTGRES. The first frame
// is there when the initialisation and the first segment are. Last, what is left of a hundred streams, half of which
// nobody has ended. Prints JSON.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULTS } from '../../src/areas/system-config/index.ts';
import { countRunning, stopVideoStreams } from '../../src/areas/video-streams/sessions.ts';
import { makeClip } from '../fixtures/clips.ts';
import { configWith } from '../support/config.ts';
import { call, seed, testApp } from '../support/harness.ts';
import { addFile, openMediaLibrary } from '../support/processing.ts';
import { openStream, type StreamPlayer } from '../support/video-streams.ts';
import { quantile, round, timed } from './measure.ts';

const [seconds = 40] = process.argv.slice(2).map(Number);
const ROUNDS = 8;

const { database, folder, close } = await openMediaLibrary();
const app = testApp(database);
const me = await seed(database).user(['all'], { isAdmin: true });
const realtime = { ...DEFAULTS.ffmpeg.realtime, enabled: true, resolutions: [720 as const] };
await call(app, 'PUT /system-config', { as: me, body: configWith({ ffmpeg: { realtime } }) });

const pictures = (size: string) => [
  '-f',
  'lavfi',
  '-i',
  `testsrc2=size=${size}:rate=30:duration=${seconds}`,
];
const SOUND = ['-f', 'lavfi', '-i', `sine=440:duration=${seconds}`, '-c:a', 'aac'];
// A key frame each second, as phones have.
const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-g', '30'];
const X265 = 'log-level=error:open-gop=0:keyint=30';
const HEVC = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', X265];
const ORIGINALS: Readonly<Record<string, readonly string[]>> = {
  '1080p30 H.264': [...pictures('1920x1080'), ...SOUND, ...H264],
  '4K30 HEVC': [...pictures('3840x2160'), ...SOUND, ...HEVC, '-pix_fmt', 'yuv420p'],
};

const read = async (response: Promise<Response>) => (await response).arrayBuffer();
const toFigures = (values: readonly number[]) => ({
  first: values[0],
  p50: quantile(values, 0.5),
  p95: quantile(values, 0.95),
});

async function measureVariant(id: string, variant: number) {
  const play = async (number: number) => {
    const player = await openStream(app, id, { as: me });
    await player.choose(variant);
    await read(player.readInit(number));
    await read(player.readSegment(number));
    return player;
  };
  const [starts, seeks]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    starts.push(await timed(() => play(0)));
    await stopVideoStreams(database.deps);
    const player = await play(0);
    const last = player.durations.length - 1;
    const number = 1 + Math.floor(((round + 0.5) / ROUNDS) * last);
    seeks.push(await timed(() => read(player.readSegment(number))));
    await stopVideoStreams(database.deps);
  }
  const player = await openStream(app, id, { as: me });
  await player.choose(variant);
  const wholeMs = await timed(async () => {
    for (const number of player.durations.keys()) await read(player.readSegment(number));
  });
  await stopVideoStreams(database.deps);
  const timesRealTime = round((seconds * 1000) / wholeMs);
  return { firstFrameMs: toFigures(starts), seekMs: toFigures(seeks), timesRealTime };
}

const ids: string[] = [];
for (const [original, args] of Object.entries(ORIGINALS)) {
  const path = makeClip(join(folder, `${original}.mp4`), args);
  const id = await addFile(database, path, { ownerId: me.id });
  ids.push(id);
  for (const [variant, name] of ['720p', 'passed through'].entries())
    console.log(
      JSON.stringify({ original, variant: name, ...(await measureVariant(id, variant)) }),
    );
}

const OPENED = 100;
/** Longer than what nobody reads from goes on. */
const FORGOTTEN_MS = 35_000;

async function countLeft() {
  const opened: StreamPlayer[] = [];
  const statuses: Record<number, number> = {};
  for (let n = 0; n < OPENED; n++) {
    const player = await openStream(app, ids[n % ids.length]!, { as: me });
    await player.choose(n % 3 === 0 ? 0 : 1);
    const { status } = await player.readSegment(n % player.durations.length);
    statuses[status] = (statuses[status] ?? 0) + 1;
    opened.push(player);
  }
  for (const [n, player] of opened.entries()) if (n % 2 === 0) await player.end();
  const mostRunning = countRunning(database.deps);
  await Bun.sleep(FORGOTTEN_MS);
  return { statuses, mostRunning, running: countRunning(database.deps), ...countOwn() };
}

/** The children of this process that encode, and its segments that are not in the store. */
function countOwn() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = pids.filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      return (
        stat.includes('(ffmpeg)') && Number(stat.split(') ')[1]?.split(' ')[1]) === process.pid
      );
    } catch {
      return false;
    }
  });
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  const segments = links.filter((link) => link.includes('.m4s'));
  return { encoders: children.length, segmentsKept: segments.length };
}

console.log(JSON.stringify({ opened: OPENED, ...(await countLeft()) }));
await stopVideoStreams(database.deps);
console.log(JSON.stringify({ closed: countOwn() }));
await close();
