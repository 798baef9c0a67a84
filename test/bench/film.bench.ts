// bun test/bench/film.bench.ts [clip.mov picture.jpg...]: time and memory of a film of a memory, of these
// files or of test pictures, without the database; prints JSON. The film stays in the folder that is printed.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FILM, planMove } from '../../src/areas/memories/exports/film/camera.ts';
import { joinFilm } from '../../src/areas/memories/exports/film/join-film.ts';
import { countFrames, FPS, planFilm } from '../../src/areas/memories/exports/film/plan.ts';
import type { Layer } from '../../src/areas/memories/exports/film/layer.ts';
import { SOFTWARE } from '../../src/media/encoders.ts';
import { renderSegment } from '../../src/areas/memories/exports/film/segment.ts';
import { renderSound } from '../../src/areas/memories/exports/film/sound.ts';
import { drawCaption, drawTitle } from '../../src/areas/memories/exports/film/texts.ts';
import { listProcessTree } from '../../src/core/process-memory.ts';
import { readPictureHeader } from '../../src/media/picture-header.ts';
import { probe } from '../../src/media/probe.ts';
import { round } from './measure.ts';
import { memoryMiB } from './processes.ts';

const { signal } = new AbortController();
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
  ...pictures.map((picture) => ({ ...asset, picture })),
  { ...asset, type: 'VIDEO', durationMs: found.durationMs ?? 0, picture: pictures[0]! },
]);

/** Most resident memory of our tools so far, in MiB. */
const measureTools = (): number =>
  listProcessTree(process.pid)
    .filter((pid) => pid !== process.pid)
    .reduce((sum, pid) => sum + memoryMiB(pid, 'VmHWM'), 0);

let peak = 0;
const timer = setInterval(() => {
  peak = Math.max(peak, measureTools());
}, 50);

const from = performance.now();
const parts: { kind: string; seconds: number; wallMs: number; peakMiB: number }[] = [];
const names: string[] = [];
let most = 0;
for (const [index, item] of plan.entries()) {
  const isVideo = item.kind === 'video';
  const path = isVideo ? clip : item.asset.picture;
  const size = isVideo ? found.video! : (await readPictureHeader(path))!;
  const texts =
    item.kind === 'title'
      ? await drawTitle(folder, { title: 'A day at the sea', subtitle: 'March 2024' }, signal)
      : await drawCaption(folder, `caption-${index}`, ['12 March 2024 · Lisbon'], signal);
  const move = planMove(size, index % 2 === 0 ? [face] : [], false);
  const probed = isVideo ? found : undefined;
  const layer: Layer = {
    item,
    frame: FILM,
    path,
    size,
    toFilmColors: 'null',
    probe: probed,
    move,
    texts,
  };
  const name = `part-${index}`;
  const previous = names.at(-1);
  const isLast = index === plan.length - 1;
  const options = { folder, name, previous, isLast, encoder: SOFTWARE, signal };
  peak = 0;
  const started = performance.now();
  await renderSegment(layer, options);
  await renderSound(layer, options);
  const wallMs = round(performance.now() - started, 0);
  most = Math.max(most, peak);
  const seconds = round(item.frames / FPS);
  parts.push({ kind: item.kind, seconds, wallMs, peakMiB: round(peak, 0) });
  names.push(name);
}
peak = 0;
const film = join(folder, 'film.mp4');
await joinFilm(film, { folder, names, title: 'x', createdAt: new Date(), signal });
clearInterval(timer);
const wallSeconds = round((performance.now() - from) / 1000);
const seconds = round(countFrames(plan) / FPS);
const bytes = Bun.file(film).size;
const result = {
  film,
  seconds,
  wallSeconds,
  secondsPerSecond: round(seconds / wallSeconds),
  bytes,
};
console.log(JSON.stringify({ ...result, peakMiB: round(most, 0), parts }));

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
