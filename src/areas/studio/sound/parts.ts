import { join } from 'node:path';
import {
  add,
  divide,
  multiply,
  rational,
  toRational,
  toSeconds,
} from '../../../../core/rational.ts';
import type { StudioSound } from '../../../../db/tables/studio.ts';
import { MediaError } from '../../../../media/errors.ts';
import { CHANNELS, runFilmTool, SAMPLE_RATE } from '../../../../media/film-encoding.ts';
import { loadVideoIndex } from '../../../../media/frame-times.ts';
import { FFMPEG, probe, SAFE_INPUT } from '../../../../media/probe.ts';
import { getIndexPath } from '../../render/layer-inputs.ts';
import { getSpeed } from '../../render/layers.ts';
import type { Source } from '../../render/layer-inputs.ts';
import type { PlayedFilm } from '../../render/segment-graph.ts';
import { mixParts, type SoundPart } from './mix.ts';
import { countFrames } from './pieces.ts';

export type SoundWork = {
  readonly film: PlayedFilm;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly onDamaged: (assetId: string, reason: string) => void;
};

const FILE = 'sound.pcm';

/**
 * Writes the mix of all sounds of a film as raw samples, as long as its pictures, and returns the name of the file;
 * undefined: none of its items has any. Throws MediaError.
 */
export async function writeSound(work: SoundWork): Promise<string | undefined> {
  const { film, folder, signal } = work;
  const { document } = film;
  const frames = rational(BigInt(countFrames(document)));
  const total = toSamples(divide(frames, toRational(document.frameRate)));
  const heard = await listHeard(film, signal);
  if (heard.length === 0) return undefined;
  const parts = heard.map((one, index): SoundPart => {
    const first = toSamples(toRational(one.part.start));
    const end = toSamples(add(toRational(one.part.start), toRational(one.part.duration)));
    const path = join(folder, `sound-${index}.pcm`);
    const samples = Math.max(0, Math.min(end, total) - first);
    return { first, samples, path, write: () => writePart(work, one, { path, samples }) };
  });
  await mixParts(parts, { path: join(folder, FILE), total, signal });
  return FILE;
}

const toSamples = (time: Parameters<typeof toSeconds>[0]): number =>
  Math.round(toSeconds(time) * SAMPLE_RATE);

type Heard = {
  readonly part: StudioSound;
  readonly source: Source;
  /** Of the file. */
  readonly stream: number;
};

/** Returns the parts of a film whose file has a sound. */
async function listHeard(
  { document: { clips, sounds = [] }, sources }: PlayedFilm,
  signal: AbortSignal,
): Promise<Heard[]> {
  const streams = new Map<string, number | undefined>();
  const heard: Heard[] = [];
  for (const part of [...clips, ...sounds]) {
    const source = sources.get(part.assetId)!;
    if (source.type !== 'VIDEO' || part.volume === 0) continue;
    if (!streams.has(part.assetId))
      streams.set(part.assetId, (await probe(source.path, { signal })).audio?.index);
    const stream = streams.get(part.assetId);
    if (stream !== undefined) heard.push({ part, source, stream });
  }
  return heard;
}

/** Decoders need what is before a sample, and some files have no index. */
const LEAD_SECONDS = 5;

type Target = { readonly path: string; readonly samples: number };

/** Writes the sound of a part, as it is mixed; less for a damaged track. */
async function writePart(
  { film, folder, signal, timeoutMs, onDamaged }: SoundWork,
  { part, source, stream }: Heard,
  { path, samples }: Target,
): Promise<void> {
  const memory = getIndexPath({ studio: film.studio }, source);
  const { timeBase, times, startSeconds } = await loadVideoIndex(source.path, { memory, signal });
  const firstPicture = multiply(rational(BigInt(times[0]!)), timeBase);
  const begin = add(firstPicture, toRational(part.sourceIn));
  const seek = Math.max(0, toSeconds(begin) - startSeconds - LEAD_SECONDS);
  const command = [
    ...FFMPEG,
    '-copyts',
    '-noaccurate_seek',
    '-ss',
    seek.toFixed(6),
    ...SAFE_INPUT,
    '-i',
    `file:${source.path}`,
    '-map',
    `0:${stream}`,
    '-af',
    buildFilters(part, toSamples(begin), samples).join(','),
    ...`-ac ${CHANNELS} -ar ${SAMPLE_RATE} -f s16le`.split(' '),
    `file:${path}`,
  ];
  const limits = { timeoutMs, cpuSeconds: timeoutMs / 1000 };
  const inputs = [source.path];
  await runFilmTool(command, { folder, inputs, signal, limits }).catch((error: unknown) => {
    // A film without the sound of a damaged track is better than none.
    if (!(error instanceof MediaError) || error.kind !== 'broken') throw error;
    onDamaged(part.assetId, error.message);
  });
}

const NONE = { numerator: 0, denominator: 1 };

/** Returns the filters to the samples of a part, from sample `first` of the file on. */
function buildFilters(part: StudioSound, first: number, samples: number): string[] {
  const { fadeIn = NONE, fadeOut = NONE, volume = 1, duration } = part;
  const fadedIn = toSamples(toRational(fadeIn));
  const fadedOut = toSamples(toRational(fadeOut));
  const begin = toSamples(toRational(duration)) - fadedOut;
  return [
    // Silence where the sound begins late, and for what is missing in between.
    `aresample=${SAMPLE_RATE}:async=1:first_pts=${first}`,
    'aformat=sample_fmts=fltp:channel_layouts=stereo',
    'asetpts=N/SR/TB',
    ...changeTempo(toSeconds(getSpeed(part))),
    `apad=whole_len=${samples}`,
    `atrim=end_sample=${samples}`,
    ...(volume === 1 ? [] : [`volume=${volume}`]),
    ...(fadedIn > 0 ? [`afade=t=in:ss=0:ns=${fadedIn}`] : []),
    ...(fadedOut > 0 ? [`afade=t=out:ss=${begin}:ns=${fadedOut}`] : []),
  ];
}

/** Beyond these, one filter leaves out samples, or takes no such tempo. */
const [SLOWEST, FASTEST] = [0.5, 2];

function changeTempo(speed: number): string[] {
  const filters: string[] = [];
  let left = speed;
  for (; left < SLOWEST; left /= SLOWEST) filters.push(`atempo=${SLOWEST}`);
  for (; left > FASTEST; left /= FASTEST) filters.push(`atempo=${FASTEST}`);
  return left === 1 ? filters : [...filters, `atempo=${left}`];
}
