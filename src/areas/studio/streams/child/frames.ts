import type { Rational } from '../../../../core/rational.ts';
import { broken } from '../../../../media/errors.ts';
import { FFMPEG } from '../../../../media/probe.ts';
import { explainEnd, getLastLine, spawnTool } from '../../../../media/tool-process.ts';
import { buildSegmentGraph, type SegmentGraph } from '../../render/segment-graph.ts';
import { getPlayingRate, listSegments, type Segment } from '../../render/segments.ts';
import type { Film } from '../messages.ts';

const MIB = 1024 ** 2;
const LIMITS = { memoryBytes: 6144 * MIB, dataBytes: 1200 * MIB, nice: 5 };
/** From sRGB to bt601, as browsers expect it; colours lie as in H.264, whatever picture a frame was made from. */
export const TO_VIDEO = 'zscale=m=170m:r=tv:c=left,format=yuv420p';
/** The next segment is started so many seconds before the end of one. */
const LEAD_SECONDS = 2;

type Started = {
  readonly segment: Segment;
  readonly frames: AsyncGenerator<Uint8Array>;
  readonly first: Promise<IteratorResult<Uint8Array>>;
};

/**
 * Yields the frames of a film from a time to its end or until the signal, in I420 (bt601), 1/rate seconds apart.
 * Each is valid until the next but one. Throws MediaError.
 */
export async function* readFrames(
  film: Film,
  from: Rational,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const rate = getPlayingRate(film.document);
  const lead = LEAD_SECONDS * Math.ceil(Number(rate.numerator) / Number(rate.denominator));
  const segments = listSegments(film.document, from, rate);
  const begin = (): Started | undefined => {
    const { value } = segments.next();
    if (!value) return undefined;
    const frames = readSegment(film, value, rate, signal);
    const first = frames.next();
    // It is awaited when its turn comes.
    first.catch(() => {});
    return { segment: value, frames, first };
  };
  let current = begin();
  let following: Started | undefined;
  try {
    for (; current; [current, following] = [following, undefined]) {
      let left = current.segment.frames;
      for (let next = await current.first; !next.done; next = await current.frames.next()) {
        left -= 1;
        if (left < lead) following ??= begin();
        yield next.value;
      }
    }
  } finally {
    await Promise.allSettled([
      current?.frames.return(undefined),
      following?.frames.return(undefined),
    ]);
  }
}

async function* readSegment(
  film: Film,
  segment: Segment,
  rate: Rational,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const command = await buildCommand(film, segment, rate, signal);
  yield* runSegment(film, segment, command, signal);
}

async function buildCommand(
  film: Film,
  segment: Segment,
  rate: Rational,
  signal: AbortSignal,
): Promise<Pick<SegmentGraph, 'files'> & { readonly command: readonly string[] }> {
  const { folder } = film;
  const { files, input, graph } = await buildSegmentGraph(film, segment, rate, { folder, signal });
  const command = [
    ...FFMPEG,
    ...input,
    '-filter_complex',
    `${graph};[played]${TO_VIDEO}[sent]`,
    '-map',
    '[sent]',
    '-f',
    'rawvideo',
    'pipe:1',
  ];
  return { files, command };
}

async function* runSegment(
  { folder, size }: Film,
  { frames }: Segment,
  { command, files }: Awaited<ReturnType<typeof buildCommand>>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const limits = { ...LIMITS, files: { read: [folder, ...files] } };
  const child = spawnTool(command, limits, { stdin: 'ignore', stderr: 'pipe', cwd: folder });
  const kill = () => child.kill();
  signal.addEventListener('abort', kill, { once: true });
  const complaint = new Response(child.stderr).text();
  try {
    let seen = 0;
    for await (const frame of splitFrames(child.stdout, (size.width * size.height * 3) / 2)) {
      seen += 1;
      yield frame;
    }
    if (child.failure) throw child.failure;
    if (seen >= frames) return;
    const stderr = await complaint;
    await child.exited;
    const end = explainEnd(child, 'ffmpeg', { stderr });
    throw end ?? broken(`ffmpeg: ${getLastLine(stderr) || 'ended early'}`);
  } finally {
    signal.removeEventListener('abort', kill);
    kill();
  }
}

/** Two buffers take turns: the last frame is shown again and again when nothing comes. */
async function* splitFrames(
  stream: ReadableStream<Uint8Array>,
  bytes: number,
): AsyncGenerator<Uint8Array> {
  let [buffer, other] = [new Uint8Array(bytes), new Uint8Array(bytes)];
  let filled = 0;
  for await (let chunk of stream) {
    while (chunk.length > 0) {
      const part = chunk.subarray(0, bytes - filled);
      buffer.set(part, filled);
      filled += part.length;
      chunk = chunk.subarray(part.length);
      if (filled < bytes) continue;
      yield buffer;
      filled = 0;
      [buffer, other] = [other, buffer];
    }
  }
}
