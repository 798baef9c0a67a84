import { mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reach } from '../../../../core/fault-points.ts';
import { toRational, toWire, type WireRational, type Rational } from '../../../../core/rational.ts';
import { type Encoder, probeEncoders, SOFTWARE } from '../../../../media/encoders.ts';
import {
  HardwareFailed,
  getTimescale,
  joinFilmParts,
  type JoinedParts,
  buildFilmCoding,
  writeFilmPart,
} from '../../../../media/film-encoding.ts';
import { syncPath } from '../../../../media/file-placement.ts';
import type { JobCtx } from '../../../../jobs/define.ts';
import { RENDERER_VERSION } from '../../render/frame.ts';
import { countFrames } from '../../render/layers.ts';
import { type PlayedFilm, buildSegmentGraph } from '../../render/segment-graph.ts';
import { writeSound } from './sound.ts';
import { availableParallelism } from 'node:os';
import type { Size } from '../../../../media/sizes.ts';
import type { Segment } from '../../render/segments.ts';
import { listPieces } from './pieces.ts';

export type FilmOrder = {
  readonly film: PlayedFilm;
  readonly title: string;
  /** Gets all that is made meanwhile. */
  readonly work: string;
  readonly target: string;
  /** The constant rate factor of software; 20 by default. */
  readonly rateFactor?: number;
  /** Whether a film without any sound gets a silent track; false by default. */
  readonly silence?: boolean;
  /** The date of the film; now by default. */
  readonly createdAt?: Date;
  /** Gets the frames that are made. */
  readonly onFrames: (frames: number) => void;
};

type FilmCtx = Pick<JobCtx, 'log' | 'now' | 'signal' | 'restartTimeLimit'>;

/**
 * Makes a film. What an interrupted run has made is used. Where hardware fails, the film is made again by
 * software. Returns the bytes of the file. Throws MediaError.
 */
export async function makeFilm(
  ctx: FilmCtx,
  order: FilmOrder,
  findEncoders = probeEncoders,
): Promise<number> {
  const [best = SOFTWARE] = await findEncoders();
  try {
    return await makeWith(ctx, order, best);
  } catch (error) {
    if (!(error instanceof HardwareFailed)) throw error;
    ctx.log.warn('a film is made by software, since hardware failed', { error });
    return makeWith(ctx, order, SOFTWARE);
  }
}

async function makeWith(ctx: FilmCtx, order: FilmOrder, encoder: Encoder): Promise<number> {
  const { film, title, work, target, silence = false, rateFactor = 20, onFrames } = order;
  const { createdAt = ctx.now() } = order;
  const { signal } = ctx;
  const folder = join(work, `${encoder.name}-${RENDERER_VERSION}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const frames = countFrames(film.document);
  const names = await writePictures({
    film,
    folder,
    encoder,
    rateFactor,
    signal,
    onFrames,
    onPiece: ctx.restartTimeLimit,
  });
  const rate = toWire(toRational(film.document.frameRate));
  const timeoutMs = 10 * 60_000 + (frames / (rate.numerator / rate.denominator)) * 1000;
  ctx.restartTimeLimit(2 * timeoutMs);
  const onDamaged = (assetId: string, reason: string) =>
    ctx.log.warn('a film is made without the sound of a video', { assetId, reason });
  const samples = await writeSound({ film, folder, silence, signal, timeoutMs, onDamaged });
  const sound = samples === undefined ? undefined : { name: samples, bitrate: '192k' };
  const parts = { folder, names, sound, rate, title, createdAt, signal, timeoutMs };
  const part = await joinParts(parts);
  reach('export.written');
  const { size } = await stat(part);
  await rename(part, target);
  await syncPath(dirname(target));
  reach('export.renamed');
  return size;
}

type Parts = Omit<JoinedParts, 'coding' | 'limits'> & {
  readonly rate: WireRational;
  readonly timeoutMs: number;
};

/** Joins the parts of a film, whose frames keep the exact times of their rate. */
function joinParts({ rate, timeoutMs, ...parts }: Parts): Promise<string> {
  const timescale = getTimescale(rate);
  // The list counts in microseconds, and frames lie at whole units.
  const units = (timescale * rate.denominator) / rate.numerator;
  const times = `-bsf:v setts=ts=round(N*${units}):duration=${Math.round(units)}`;
  return joinFilmParts({
    ...parts,
    coding: `${times} -video_track_timescale ${timescale}`.split(' '),
    limits: { timeoutMs, cpuSeconds: (2 * timeoutMs) / 1000 },
  });
}

const MIB = 1024 ** 2;
/** A slow box takes so long for a frame of 4K with many layers. */
const FRAME_MS = 5000;
const LIMITS = { memoryBytes: 6144 * MIB, dataBytes: 1200 * MIB };
const START_MS = 5 * 60_000;

/** In short pieces more of them take more time than they save, and each has frames in memory. */
const THREADS = Math.min(4, availableParallelism());
const toSoftware = (rateFactor: number): string[] =>
  `-preset veryfast -crf ${rateFactor} -profile:v high -pix_fmt yuv420p -threads ${THREADS}`.split(
    ' ',
  );
/** Frames are sRGB until here; colours lie as in H.264, whatever picture a frame was made from. */
const TO_VIDEO = 'zscale=m=709:r=tv:c=left:f=bicubic,format=yuv420p';

/** ffmpeg 7 names the colours of its frames in a file, not those of its options. */
const NAME_COLORS = 'setparams=color_primaries=bt709:color_trc=bt709:colorspace=bt709:range=tv';

/** Up to this size a thread per filter costs more time and memory than it saves. */
const SINGLE_THREAD_PIXELS = 1920 * 1088;
const limitThreads = ({ width, height }: Size): string[] =>
  width * height > SINGLE_THREAD_PIXELS ? [] : ['-filter_complex_threads', '1'];

type PictureWork = {
  readonly film: PlayedFilm;
  /** The folder of the parts by this encoder: those that are there are used. */
  readonly folder: string;
  readonly encoder: Encoder;
  /** The constant rate factor of software: less is better, and larger. */
  readonly rateFactor: number;
  readonly signal: AbortSignal;
  /** Gets the frames that are made. */
  readonly onFrames: (frames: number) => void;
  /** Called before each piece with the ms that it takes at most. */
  readonly onPiece: (limitMs: number) => void;
};

/** Encodes the pictures of a film. Returns the names of its parts in order. Throws MediaError, or HardwareFailed. */
async function writePictures(work: PictureWork): Promise<string[]> {
  const { film, folder, onFrames } = work;
  const rate = toRational(film.document.frameRate);
  const names: string[] = [];
  let done = 0;
  for (const piece of listPieces(film.document)) {
    const name = `part-${String(names.length).padStart(6, '0')}.mp4`;
    if (!(await Bun.file(join(folder, name)).exists()))
      await writePiece(work, piece, { name, rate, done });
    reach('export.segment');
    names.push(name);
    done += piece.frames;
    onFrames(done);
  }
  return names;
}

async function writePiece(
  { film, folder, encoder, rateFactor, signal, onFrames, onPiece }: PictureWork,
  piece: Segment,
  { name, rate, done }: { readonly name: string; readonly rate: Rational; readonly done: number },
): Promise<void> {
  const timeoutMs = START_MS + piece.frames * FRAME_MS;
  onPiece(timeoutMs);
  const options = { folder, isForVideo: true, signal };
  const { files, input, graph, isVideo } = await buildSegmentGraph(film, piece, rate, options);
  await writeFilmPart(
    {
      files,
      input: [...limitThreads(film.size), ...input],
      graph: [graph, `[played]${isVideo ? '' : `${TO_VIDEO},`}${NAME_COLORS}[v]`],
    },
    {
      name,
      folder,
      count: piece.frames,
      coding: [
        ...buildFilmCoding(encoder, toWire(rate), toSoftware(rateFactor)),
        ...'-map_metadata -1 -f mp4'.split(' '),
      ],
      encoder,
      signal,
      limits: { ...LIMITS, timeoutMs, cpuSeconds: (2 * timeoutMs) / 1000 },
      onFrames: (frames) => onFrames(done + frames),
    },
  );
}
