import {
  add,
  divide,
  multiply,
  rational,
  type Rational,
  toRational,
  toSeconds,
} from '../../../core/rational.ts';
import { requireValue } from '../../../core/required.ts';
import type { StudioSound } from '../../../db/tables/studio.ts';
import { MediaError } from '../../../media/errors.ts';
import { CHANNELS, SAMPLE_RATE } from '../../../media/film-encoding.ts';
import { loadVideoIndex } from '../../../media/frame-times.ts';
import { FFMPEG, probe, SAFE_INPUT } from '../../../media/probe.ts';
import { openSamples, type Samples } from '../../../media/sound.ts';
import { getIndexPath, getSource } from '../render/layer-inputs.ts';
import type { Source } from '../render/sources.ts';
import { countFrames, getSpeed } from '../render/layers.ts';
import type { PlayedFilm } from '../render/segment-graph.ts';
import { mixParts, type SoundPart } from './mix.ts';
import { openMusic, type SampleSpan } from './music.ts';

export type SoundWork = {
  readonly film: Omit<PlayedFilm, 'size'>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Added to the niceness of decoders. */
  readonly nice: number;
  readonly onDamaged: (assetId: string, reason: string) => void;
};

export type Mix = {
  readonly windows: AsyncGenerator<Int16Array>;
  /** Samples of all windows, for each channel. */
  readonly samples: number;
};

/**
 * Returns the mix of all sounds of a film from a time to its end: films are played and exported with the same.
 * Undefined: no item has any from there on, and there is no music. Throws MediaError.
 */
export async function openMix(work: SoundWork, start: Rational): Promise<Mix | undefined> {
  const { film, signal } = work;
  const { document } = film;
  const frames = rational(BigInt(countFrames(document)));
  const to = toSamples(divide(frames, toRational(document.frameRate)));
  const from = toSamples(start);
  const streams = createStreamFinder(signal);
  const parts: (SoundPart & { readonly heard: Heard })[] = [];
  const clips = document.clips.filter(({ still }) => !still);
  for (const part of [...clips, ...(document.sounds ?? [])]) {
    const source = getSource(film.sources, part.assetId);
    const first = toSamples(toRational(part.start));
    const end = Math.min(to, toSamples(add(toRational(part.start), toRational(part.duration))));
    if (source.type !== 'VIDEO' || part.volume === 0 || end <= from || end <= first) continue;
    const heard = { part, source, samples: end - first };
    parts.push({
      first,
      samples: heard.samples,
      heard,
      open: async (skip) => openPart(work, heard, await streams.find(source), skip),
    });
  }
  /** Finds the sounds of items that touch a span. */
  const findSounds = async (span: SampleSpan) => {
    const sounds: SampleSpan[] = [];
    for (const { first, samples, heard } of parts) {
      if (first >= span.to || first + samples <= span.from) continue;
      if ((await streams.find(heard.source)) === undefined) continue;
      sounds.push({ from: first, to: first + samples });
    }
    return sounds;
  };
  const mix = (mixed: readonly SoundPart[]): Mix => ({
    windows: mixParts(mixed, { from, to, signal }),
    samples: to - from,
  });
  const { music } = document;
  if (music && from < to) {
    const open = async (skip: number) => openMusic({ music, samples: to, skip, findSounds });
    return mix([...parts, { first: 0, samples: to, open }]);
  }
  for (const { heard } of parts)
    if ((await streams.find(heard.source)) !== undefined) return mix(parts);
  return undefined;
}

const toSamples = (time: Parameters<typeof toSeconds>[0]): number =>
  Math.round(toSeconds(time) * SAMPLE_RATE);

type Heard = { readonly part: StudioSound; readonly source: Source; readonly samples: number };

/** Finds the sounds of files, each once. */
function createStreamFinder(signal: AbortSignal) {
  const found = new Map<string, Promise<number | undefined>>();
  return {
    find({ path }: Source): Promise<number | undefined> {
      const known = found.get(path) ?? probe(path, { signal }).then(({ audio }) => audio?.index);
      found.set(path, known);
      return known;
    },
  };
}

const MIB = 1024 ** 2;
/** Decoders need what is before a sample, and some files have no index. */
const LEAD_SECONDS = 5;
const SILENCE: Samples = { read: async () => new Int16Array(0), close: async () => {} };

/** Opens the sound of a part without its first samples; less for a damaged track. */
async function openPart(
  { film, signal, timeoutMs, nice, onDamaged }: SoundWork,
  { part, source, samples }: Heard,
  stream: number | undefined,
  skip: number,
): Promise<Samples> {
  if (stream === undefined) return SILENCE;
  const memory = getIndexPath({ studio: film.studio }, source);
  const { timeBase, times, startSeconds } = await loadVideoIndex(source.path, { memory, signal });
  const firstUnits = BigInt(requireValue(times[0], 'frame of a video'));
  const firstPicture = multiply(rational(firstUnits), timeBase);
  const skipped = multiply(rational(BigInt(skip), BigInt(SAMPLE_RATE)), getSpeed(part));
  const begin = add(add(firstPicture, toRational(part.sourceIn)), skipped);
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
    buildFilters(part, toSamples(begin), { skip, samples }).join(','),
    ...`-ac ${CHANNELS} -ar ${SAMPLE_RATE} -f s16le pipe:1`.split(' '),
  ];
  const memoryLimits = { memoryBytes: 4096 * MIB, dataBytes: 600 * MIB };
  const limits = { cpuSeconds: timeoutMs / 1000, nice, ...memoryLimits };
  const opened = openSamples(command, { limits, timeoutMs, signal });
  return {
    close: () => opened.close(),
    read: (count) =>
      opened.read(count).catch((error: unknown) => {
        // A film without the sound of a damaged track is better than none.
        if (!(error instanceof MediaError) || error.kind !== 'broken') throw error;
        onDamaged(part.assetId, error.message);
        return new Int16Array(0);
      }),
  };
}

const NONE = { numerator: 0, denominator: 1 };

type PartSpan = { readonly skip: number; readonly samples: number };

/** Returns the filters to the samples of a part without the first `skip`, from sample `first` of the file on. */
function buildFilters(part: StudioSound, first: number, { skip, samples }: PartSpan): string[] {
  const { fadeIn = NONE, fadeOut = NONE, volume = 1, duration } = part;
  const fadedIn = toSamples(toRational(fadeIn));
  const fadedOut = toSamples(toRational(fadeOut));
  const begin = toSamples(toRational(duration)) - fadedOut;
  return [
    // At its own rate: what is left out at the start is not counted right while the rate changes.
    `aresample=${SAMPLE_RATE}`,
    // Silence where the sound begins late, and for what is missing in between.
    `aresample=${SAMPLE_RATE}:async=1:first_pts=${first}`,
    'aformat=sample_fmts=fltp:channel_layouts=stereo',
    'asetpts=N/SR/TB',
    ...changeTempo(toSeconds(getSpeed(part))),
    `apad=whole_len=${samples - skip}`,
    `atrim=end_sample=${samples - skip}`,
    // Fades count from the start of the part.
    `asetpts=N/SR/TB+${skip}/SR/TB`,
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
