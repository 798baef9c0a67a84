import { broken } from './errors.ts';
import { type AudioStream, SAFE_INPUT } from './probe.ts';
import { type WatchEnd, watchProcess } from './process-stat.ts';
import { explainEnd, requireWorkingTool, spawnTool, type ToolLimits } from './tool-process.ts';

export type SoundOptions = {
  readonly audio: AudioStream;
  readonly fromMs: number;
  /** No more is decoded: this is what may come to lie in memory. */
  readonly maxMs: number;
  readonly rate: number;
  readonly signal?: AbortSignal | undefined;
};

export type Samples = {
  /** The next samples, 16 bits each; fewer at the end of the sound or of what may be decoded. */
  read(count: number): Promise<Int16Array>;
  /** Ends the decoder. */
  close(): Promise<void>;
};

const LIMITS = { cpuSeconds: 300, memoryBytes: 2 * 1024 ** 3, nice: 15 };
const TIMEOUT_MS = 10 * 60_000;
const BYTES = 2;

/**
 * Decodes the sound of a video to one channel while it is read. Samples keep their time in the
 * video, also after gaps. `read` throws MediaError when nothing can be decoded.
 */
export function openSound(path: string, options: SoundOptions): Samples {
  const { audio, fromMs, maxMs, rate, signal } = options;
  const seconds = (ms: number) => (ms / 1000).toFixed(3);
  const input = ['-ss', seconds(fromMs), '-vn', '-sn', '-dn', '-threads', '1', ...SAFE_INPUT];
  const filter = `aresample=${rate}:async=1:first_pts=0`;
  const output = ['-t', seconds(maxMs), '-ac', '1', '-c:a', 'pcm_s16le', '-f', 's16le', 'pipe:1'];
  const command = ['ffmpeg', '-nostdin', '-v', 'error', ...input]
    .concat(['-i', `file:${path}`, '-map', `0:${audio.index}`, '-af', filter])
    .concat(output);
  return openSamples(command, { limits: LIMITS, timeoutMs: TIMEOUT_MS, signal });
}

type Decoder = {
  readonly limits: ToolLimits;
  /** See watchProcess. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Runs an ffmpeg that writes samples of 16 bits to its output, no faster than they are read. `read` throws
 * MediaError when nothing can be decoded.
 */
export function openSamples(
  command: readonly string[],
  { limits, timeoutMs, signal }: Decoder,
): Samples {
  signal?.throwIfAborted();
  const child = spawnTool(command, limits, { stdin: 'ignore', stderr: 'ignore' });
  let cause: WatchEnd | undefined;
  const kill = () => child.kill();
  const end = (reason: WatchEnd) => {
    cause ??= reason;
    kill();
  };
  // Between reads it waits for us.
  const whole = watchProcess(child.stat, end, { limitMs: timeoutMs, stallMs: Infinity });
  signal?.addEventListener('abort', kill, { once: true });

  const reader = child.stdout.getReader();
  let rest: Uint8Array = new Uint8Array(0);
  let total = 0;

  async function check(): Promise<void> {
    const code = await child.exited;
    signal?.throwIfAborted();
    const explained = explainEnd(child, 'ffmpeg', { cause });
    if (explained) throw explained;
    // Damage further on ends the sound there; what was before it has been heard.
    if (code === 0 || total > 0) return;
    await requireWorkingTool('ffmpeg');
    throw broken(`ffmpeg: exit ${code}, no sound`);
  }

  return {
    async read(count) {
      const bytes = new Uint8Array(count * BYTES);
      let filled = 0;
      while (filled < bytes.length) {
        if (rest.length === 0) {
          const watch = watchProcess(child.stat, end);
          const { value, done } = await reader.read().finally(() => watch.stop());
          if (done) {
            await check();
            break;
          }
          rest = value;
        }
        const part = rest.subarray(0, bytes.length - filled);
        bytes.set(part, filled);
        filled += part.length;
        rest = rest.subarray(part.length);
      }
      total += filled;
      return new Int16Array(bytes.buffer, 0, Math.floor(filled / BYTES));
    },
    async close() {
      whole.stop();
      signal?.removeEventListener('abort', kill);
      kill();
      await reader.cancel().catch(() => undefined);
      await child.exited;
    },
  };
}
