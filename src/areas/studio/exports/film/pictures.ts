import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { reach } from '../../../../core/fault-points.ts';
import { type Rational, toRational, toWire } from '../../../../core/rational.ts';
import type { Encoder } from '../../../../media/encoders.ts';
import { buildFilmCoding, writeFilmPart } from '../../../../media/film-encoding.ts';
import type { Size } from '../../../../media/sizes.ts';
import { buildSegmentGraph, type PlayedFilm } from '../../render/segment-graph.ts';
import type { Segment } from '../../render/segments.ts';
import { listPieces } from './pieces.ts';

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

export type PictureWork = {
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
export async function writePictures(work: PictureWork): Promise<string[]> {
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
