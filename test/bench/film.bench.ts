// bun test/bench/film.bench.ts [clip.mov picture.jpg...]: time and memory of a film of a memory, of these
// files or of test pictures, without the database; prints JSON. The film stays in the folder that is printed.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CANVASES } from '../../src/areas/memories/exports/options.ts';
import { toDocument } from '../../src/areas/memories/exports/film/document.ts';
import { countFrames, FPS, planFilm } from '../../src/areas/memories/exports/film/plan.ts';
import { layOutCaption, layOutTitle } from '../../src/areas/memories/exports/film/texts.ts';
import { makeFilm } from '../../src/areas/studio/exports/film/make-film.ts';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { silentLog } from '../../src/core/log.ts';
import { SOFTWARE } from '../../src/media/encoders.ts';
import { readPictureHeader } from '../../src/media/picture-header.ts';
import { probe } from '../../src/media/probe.ts';
import { round } from './measure.ts';
import { memoryMiB } from './processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'film-'));
const given = process.argv.slice(2).filter((argument) => !/^\d+$/.test(argument));
const [clip, ...pictures] = (given.length > 0 ? given : makeMedia()) as [string, ...string[]];
const face = { x1: 0.55, y1: 0.25, x2: 0.65, y2: 0.4 };

const found = await probe(clip);
const asset = {
  id: '',
  type: 'IMAGE',
  isFavorite: false,
  localTakenAt: '2024-03-12 10:00:00',
  place: 'Lisbon',
  durationMs: null,
  sha256: '',
  picture: '',
  isEdited: false,
  pictureTag: '',
  encodedVideo: null,
  faces: [],
  bestMs: null,
} as const;
const plan = planFilm([
  ...pictures.map((picture, index) => ({
    ...asset,
    id: picture,
    picture,
    faces: index % 2 === 0 ? [] : [face],
  })),
  {
    ...asset,
    id: clip,
    type: 'VIDEO',
    durationMs: found.durationMs ?? 0,
    sha256: 'ab'.repeat(32),
    picture: pictures[0]!,
  },
]);
const items = await Promise.all(
  plan.map(async (item) => {
    const picture =
      item.kind === 'video' ? found.video! : (await readPictureHeader(item.asset.picture))!;
    const title = { title: 'A day at the sea', subtitle: 'March 2024' };
    const isTitle = item.kind === 'title';
    const lines = isTitle
      ? layOutTitle(title, CANVASES.landscape)
      : layOutCaption(['12 March 2024 · Lisbon'], CANVASES.landscape);
    return { item, picture, lines: await lines };
  }),
);
const sources = new Map(
  plan.map(({ asset }) => {
    const { id, type, sha256, picture } = asset;
    return [id, { id, type, sha256, picture, path: id, picturePath: picture }] as const;
  }),
);

/** Most resident memory of our tools so far, in MiB. */
const measureTools = (): number =>
  listProcessTree(process.pid)
    .filter((pid) => pid !== process.pid)
    .reduce((sum, pid) => sum + memoryMiB(pid, 'VmHWM'), 0);
/** Seconds of processor time of our tools that have ended. */
const measureCpu = (): number => {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
};

let peak = 0;
const timer = setInterval(() => {
  peak = Math.max(peak, measureTools());
}, 50);
const from = performance.now();
const film = join(folder, 'film.mp4');
const document = toDocument(items, { format: 'landscape', music: undefined });
const bytes = await makeFilm(
  {
    log: silentLog,
    now: () => new Date(),
    signal: new AbortController().signal,
    restartTimeLimit: () => {},
  },
  {
    film: { document, sources, size: document, studio: join(folder, 'videos') },
    title: 'x',
    work: join(folder, 'work'),
    target: film,
    silence: true,
    onFrames: () => {},
  },
  async () => [SOFTWARE],
);
clearInterval(timer);
const wallSeconds = round((performance.now() - from) / 1000);
const seconds = round(countFrames(plan) / FPS);
const cpuSeconds = round(measureCpu());
const secondsPerSecond = round(seconds / wallSeconds);
const result = { film, seconds, wallSeconds, cpuSeconds, secondsPerSecond, bytes };
console.log(JSON.stringify({ ...result, peakMiB: round(peak, 0) }));

/** Makes a clip with sound, and pictures of the size of a phone's. */
function makeMedia(): string[] {
  const make = (name: string, ...words: string[]) => {
    const path = join(folder, name);
    const command = ['ffmpeg', '-nostdin', '-v', 'error', '-y', ...words, path];
    const { exitCode, stderr } = Bun.spawnSync(command);
    if (exitCode !== 0) throw new Error(stderr.toString());
    return path;
  };
  const source = (filter: string) => ['-f', 'lavfi', '-i', filter];
  const tone = source('sine=frequency=440:duration=12');
  const frames = source('testsrc2=s=1920x1080:r=30:d=12');
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  return [
    make('clip.mp4', ...frames, ...tone, ...coding),
    ...[1, 2, 3, 4, 5].map((at) =>
      make(
        `${at}.jpg`,
        ...source(`testsrc2=s=1440x${at % 2 === 0 ? 1920 : 1080}`),
        '-frames:v',
        '1',
      ),
    ),
  ];
}
