import { type FileHandle, open, rm } from 'node:fs/promises';
import { CHANNELS, SAMPLE_RATE } from '../../../../media/film-encoding.ts';

const BYTES = 2 * CHANNELS;
/** Samples that are mixed at once. */
const WINDOW = 10 * SAMPLE_RATE;
const [LOWEST, HIGHEST] = [-32_768, 32_767];

export type SoundPart = {
  /** Sample of the film that it begins with. */
  readonly first: number;
  readonly samples: number;
  /** Raw samples in 16 bits, as many or fewer. */
  readonly path: string;
  /** Writes the file. */
  readonly write: () => Promise<void>;
};

type Mix = { readonly path: string; readonly total: number; readonly signal: AbortSignal };

/**
 * Writes the sum of all parts, `total` samples, into a file. A part is written when it begins and deleted
 * when it ends, so that the disk holds no more than is heard at once.
 */
export async function mixParts(
  parts: readonly SoundPart[],
  { path, total, signal }: Mix,
): Promise<void> {
  const waiting = parts.filter(({ samples }) => samples > 0).toSorted((a, b) => b.first - a.first);
  let active: SoundPart[] = [];
  const file = await open(path, 'w', 0o600);
  try {
    for (let begin = 0; begin < total; begin += WINDOW) {
      signal.throwIfAborted();
      const end = Math.min(total, begin + WINDOW);
      for (let next = waiting.at(-1); next && next.first < end; next = waiting.at(-1)) {
        waiting.pop();
        await next.write();
        active.push(next);
      }
      await writeAll(file, await mixWindow(active, begin, end));
      const over = active.filter(({ first, samples }) => first + samples <= end);
      active = active.filter((part) => !over.includes(part));
      for (const part of over) await rm(part.path, { force: true });
    }
  } finally {
    await file.close();
  }
}

async function mixWindow(
  parts: readonly SoundPart[],
  begin: number,
  end: number,
): Promise<Int16Array> {
  const sum = new Int32Array((end - begin) * CHANNELS);
  for (const { first, samples, path } of parts) {
    const from = Math.max(begin, first);
    const to = Math.min(end, first + samples);
    const slice = Bun.file(path).slice((from - first) * BYTES, (to - first) * BYTES);
    const bytes = (await slice.exists()) ? await slice.arrayBuffer() : new ArrayBuffer(0);
    const heard = new Int16Array(bytes, 0, Math.floor(bytes.byteLength / 2));
    const at = (from - begin) * CHANNELS;
    for (let index = 0; index < heard.length; index += 1) sum[at + index]! += heard[index]!;
  }
  return Int16Array.from(sum, (value) => Math.max(LOWEST, Math.min(HIGHEST, value)));
}

const writeAll = (file: FileHandle, samples: Int16Array): Promise<void> =>
  file.writeFile(new Uint8Array(samples.buffer));
