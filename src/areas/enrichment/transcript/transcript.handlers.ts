import { lockAsset } from '../../../inference/subject.store.ts';
import { findVideoSubject, type VideoSubject } from '../video.store.ts';
import {
  getCapabilities,
  detectVoice,
  type TranscribedWindow,
  InferenceCrashed,
  getInference,
  ModelMissing,
  SAMPLE_RATE,
  WINDOW_SAMPLES,
} from '../../../inference/index.ts';
import type { Db } from '../../../db/client.ts';
import { type JobHandler, type JobCtx, JobTimeoutError } from '../../../jobs/define.ts';
import { isVerdict } from '../../../jobs/machine-faults.ts';
import { enqueue } from '../../../jobs/queue.ts';
import { MediaError } from '../../../media/errors.ts';
import { findOriginal } from '../../assets/index.ts';
import { probe } from '../../../media/probe.ts';
import { openSound, type Samples } from '../../../media/sound.ts';
import { saveTextPart } from '../../search/index.ts';
import { transcribeVideo } from '../../enrichment-queue/index.ts';
import { type Enrichment, findEnrichment } from '../store.ts';
import {
  finishTranscription,
  resetTranscription,
  type TranscribedPiece,
  saveTranscribedPiece,
} from './transcript.store.ts';

/** Silent windows that are skipped in one run. */
const MAX_WINDOWS = 20;
const WINDOW_MS = (WINDOW_SAMPLES / SAMPLE_RATE) * 1000;

/**
 * Transcribes one window of speech and enqueues the next job: a crash loses no more, and urgent
 * jobs run in between. Does nothing without a model.
 */
export const handleTranscribe: JobHandler<typeof transcribeVideo> = async (
  ctx,
  { assetId, force },
) => {
  const model = getCapabilities(ctx.settings).speech?.modelId;
  if (!model) return undefined;
  const video = await findVideoSubject(ctx.db, assetId);
  const known = await findEnrichment(ctx.db, assetId);
  if (!video || !known) return undefined;
  if (force) {
    return async (tx) => {
      await resetTranscription(tx, assetId);
      await enqueue(tx, transcribeVideo, { assetId });
    };
  }
  // A transcript that was given up is tried again.
  if (known.heardBy === model && known.speechError === null) return undefined;
  const fromMs = known.hearingBy === model ? known.heardMs : 0;
  const start = { model, fromMs, language: fromMs > 0 ? (known.language ?? undefined) : undefined };
  const saveFailed = (tx: Db, reason: string) =>
    savePiece(tx, assetId, known, { ...toLastPiece(start, fromMs), error: reason });
  ctx.onFailed(async (tx, error) => {
    if (error instanceof JobTimeoutError || error instanceof MediaError)
      await saveFailed(tx, error.message);
  });
  try {
    const piece = await transcribeNextPiece(ctx, video, start);
    return (tx) => savePiece(tx, assetId, known, piece);
  } catch (error) {
    if (error instanceof ModelMissing) return undefined;
    if (!(error instanceof MediaError) || !(await isVerdict(ctx, error))) throw error;
    ctx.log.warn('cannot decode the sound of a video', { assetId, reason: error.message });
    return (tx) => saveFailed(tx, error.message);
  }
};

type PieceStart = Pick<TranscribedPiece, 'model' | 'fromMs' | 'language'>;

const toLastPiece = (start: PieceStart, toMs: number): TranscribedPiece => ({
  ...start,
  toMs,
  lines: [],
  isEnd: true,
  error: undefined,
});

async function transcribeNextPiece(
  ctx: JobCtx,
  { assetId, sha256, isBroken }: VideoSubject,
  start: PieceStart,
): Promise<TranscribedPiece> {
  const { fromMs } = start;
  if (isBroken) return { ...toLastPiece(start, fromMs), error: 'The video cannot be read' };
  // Missing bytes say nothing about the file: a mount may be offline.
  await using original = await findOriginal(ctx, sha256);
  if (!original) throw new Error(`The original of ${assetId} is not on the disk`);
  const { signal } = ctx;
  const { audio } = await probe(original.path, { signal });
  if (!audio) return toLastPiece(start, fromMs);
  const maxMs = (MAX_WINDOWS + 1) * WINDOW_MS;
  const sound = openSound(original.path, {
    audio,
    fromMs,
    maxMs: maxMs,
    rate: SAMPLE_RATE,
    signal,
  });
  let next: SpeechWindow;
  try {
    next = await findNextSpeech(sound, fromMs);
  } finally {
    await sound.close();
  }
  const { samples, atMs, isEnd } = next;
  if (!samples) return { ...toLastPiece(start, atMs), isEnd };
  const transcribed = await transcribeChunk(ctx, assetId, samples, start.language);
  const lengthMs = (samples.length / SAMPLE_RATE) * 1000;
  const at = (ms: number) => Math.round(atMs + ms);
  return {
    ...start,
    toMs: at(transcribed.transcribedMs),
    lines: transcribed.lines.map((line) => ({
      ...line,
      startMs: at(line.startMs),
      endMs: at(line.endMs),
    })),
    language: transcribed.language,
    isEnd: isEnd && transcribed.transcribedMs >= lengthMs,
    error: undefined,
  };
}

type SpeechWindow = {
  /** Undefined: no speech before `atMs`. */
  readonly samples: Int16Array | undefined;
  readonly atMs: number;
  /** End of the sound. */
  readonly isEnd: boolean;
};

/** Starts the window at the first sound, where timestamps are most accurate. */
async function findNextSpeech(sound: Samples, fromMs: number): Promise<SpeechWindow> {
  let atMs = fromMs;
  for (let windows = 0; windows < MAX_WINDOWS; windows++) {
    const samples = await sound.read(WINDOW_SAMPLES);
    const { startMs } = detectVoice(samples);
    if (startMs !== undefined) {
      const skipped = Math.round((startMs / 1000) * SAMPLE_RATE);
      const isShort = samples.length < WINDOW_SAMPLES;
      const more = isShort ? new Int16Array(0) : await sound.read(skipped);
      const all = new Int16Array(samples.length - skipped + more.length);
      all.set(samples.subarray(skipped));
      all.set(more, samples.length - skipped);
      return { samples: all, atMs: atMs + startMs, isEnd: all.length < WINDOW_SAMPLES };
    }
    atMs += Math.round((samples.length / SAMPLE_RATE) * 1000);
    if (samples.length < WINDOW_SAMPLES) return { samples: undefined, atMs, isEnd: true };
  }
  return { samples: undefined, atMs, isEnd: false };
}

/** Skips a window that crashes inference on the last attempt, so that the rest is transcribed. */
async function transcribeChunk(
  ctx: JobCtx,
  assetId: string,
  samples: Int16Array,
  language: string | undefined,
): Promise<TranscribedWindow> {
  try {
    return await getInference(ctx).transcribe(samples, { language, signal: ctx.signal });
  } catch (error) {
    if (!(error instanceof InferenceCrashed && ctx.isLastAttempt)) throw error;
    ctx.log.warn('transcription failed for a 30 s chunk', { assetId, error });
    return { language, lines: [], transcribedMs: (samples.length / SAMPLE_RATE) * 1000 };
  }
}

async function savePiece(
  tx: Db,
  assetId: string,
  before: Enrichment,
  piece: TranscribedPiece,
): Promise<void> {
  await lockAsset(tx, assetId);
  if (!(await findVideoSubject(tx, assetId))) return;
  const current = await findEnrichment(tx, assetId);
  // Restarted meanwhile: its own job follows.
  const isSame =
    current?.heardBy === before.heardBy &&
    current.hearingBy === before.hearingBy &&
    current.heardMs === before.heardMs;
  if (!isSame) return;
  await saveTranscribedPiece(tx, assetId, piece);
  if (piece.isEnd)
    await saveTextPart(tx, assetId, 'spoken', await finishTranscription(tx, assetId));
  else await enqueue(tx, transcribeVideo, { assetId });
}
