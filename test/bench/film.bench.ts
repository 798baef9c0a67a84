// bun test/bench/film.bench.ts [clip.mov] [picture.jpg]...: time and memory of a film of a memory, without
// the database; prints JSON. The film stays in the folder that is printed.
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
import { readPictureHeader } from '../../src/media/picture-header.ts';
import { probe } from '../../src/media/probe.ts';
import { round } from './measure.ts';
import { listProcessTree, memoryMiB } from './processes.ts';

const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), 'film-'));
const [clip, ...pictures] = process.argv.slice(2) as [string, ...string[]];
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
