import { mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { reach } from '../../../../core/fault-points.ts';
import { toRational, toWire, type WireRational } from '../../../../core/rational.ts';
import { type Encoder, probeEncoders, SOFTWARE } from '../../../../media/encoders.ts';
import {
  HardwareFailed,
  getTimescale,
  joinFilmParts,
  type JoinedParts,
} from '../../../../media/film-encoding.ts';
import { syncPath } from '../../../../media/file-placement.ts';
import type { JobCtx } from '../../../../jobs/define.ts';
import { RENDERER_VERSION } from '../../render/frame.ts';
import { countFrames } from '../../render/layers.ts';
import type { PlayedFilm } from '../../render/segment-graph.ts';
import { writePictures } from './pictures.ts';
import { writeSound } from './sound.ts';

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
