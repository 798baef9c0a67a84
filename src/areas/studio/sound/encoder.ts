import { setTimeout } from 'node:timers/promises';
import { CHANNELS, SAMPLE_RATE } from '../../../media/film-encoding.ts';
import { broken } from '../../../media/errors.ts';
import { FFMPEG } from '../../../media/probe.ts';
import {
  explainEnd,
  isPipeError,
  requireWorkingTool,
  spawnTool,
} from '../../../media/tool-process.ts';

/** Opus is for all browsers but older versions of Safari, whose MediaSource takes AAC. */
export const SOUND_FORMATS = ['webm', 'mp4'] as const;
export type SoundFormat = (typeof SOUND_FORMATS)[number];

const CODING: Readonly<Record<SoundFormat, string>> = {
  webm: '-c:a libopus -b:a 128k -f webm -cluster_time_limit 500',
  mp4: '-c:a aac -b:a 160k -f mp4 -movflags +frag_keyframe+empty_moov+default_base_moof -frag_duration 500000',
};

const MIB = 1024 ** 2;
const LIMITS = { memoryBytes: 1024 * MIB, dataBytes: 200 * MIB, nice: 5 };
/** A second of encoding takes far less. */
const CPU_SHARE = 0.5;
const LEAST_CPU_SECONDS = 30;
/** So much is sent ahead of its time; the rest in real time, since most films are not heard to their end. */
const AHEAD_SECONDS = 10;

type Encoding = {
  readonly format: SoundFormat;
  /** Samples of the whole mix. */
  readonly samples: number;
  readonly signal: AbortSignal;
};

/** Encodes a mix while it is made. Ends both, whether it is read to its end or not. */
export async function* encodeMix(
  mix: AsyncGenerator<Int16Array>,
  { format, samples, signal }: Encoding,
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const seconds = samples / SAMPLE_RATE;
  const raw = `-f s16le -ar ${SAMPLE_RATE} -ac ${CHANNELS}`;
  const command = [
    ...FFMPEG,
    ...`-protocol_whitelist pipe -probesize 32 ${raw} -i pipe:0`.split(' '),
    ...`${CODING[format]} -flush_packets 1 pipe:1`.split(' '),
  ];
  const cpuSeconds = LEAST_CPU_SECONDS + CPU_SHARE * seconds;
  const child = spawnTool(command, { ...LIMITS, cpuSeconds }, { stdin: 'pipe', stderr: 'ignore' });
  const ending = new AbortController();
  const stopped = AbortSignal.any([signal, ending.signal]);
  const kill = () => child.kill();
  stopped.addEventListener('abort', kill, { once: true });
  let failure: Error | undefined;
  const feeding = feed(mix, child.stdin, stopped).catch((error: unknown) => {
    failure = error as Error;
    kill();
  });
  try {
    for await (const bytes of child.stdout) yield bytes;
    signal.throwIfAborted();
    const code = await child.exited;
    failure ??= explainEnd(child, 'ffmpeg');
    if (failure) throw failure;
    if (code !== 0) {
      await requireWorkingTool('ffmpeg');
      throw broken(`ffmpeg: exit ${code}`);
    }
  } finally {
    ending.abort();
    await feeding;
    await child.exited;
  }
}

type Input = ReturnType<typeof spawnTool>['stdin'];

async function feed(
  mix: AsyncGenerator<Int16Array>,
  input: Input,
  signal: AbortSignal,
): Promise<void> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => stop(), { once: true });
  const start = performance.now();
  let fed = 0;
  try {
    for await (const window of mix) {
      const ahead = fed / SAMPLE_RATE - (performance.now() - start) / 1000 - AHEAD_SECONDS;
      if (ahead > 0) await setTimeout(ahead * 1000, undefined, { signal });
      signal.throwIfAborted();
      await write(input, window, stopped);
      fed += window.length / CHANNELS;
    }
    // Newer versions of ffmpeg do not end before their input does.
    input.end();
  } catch (error) {
    if (!signal.aborted && !isPipeError(error)) throw error;
  }
}

/** A child that was killed never takes what is left. */
async function write(input: Input, { buffer }: Int16Array, stopped: Promise<unknown>) {
  input.write(new Uint8Array(buffer));
  await Promise.race([input.flush(), stopped]);
}
