import { CHANNELS, SAMPLE_RATE } from '../../../media/film-encoding.ts';
import type { Samples } from '../../../media/sound.ts';

/** Samples that are mixed at once. */
const WINDOW = SAMPLE_RATE / 2;
const [LOWEST, HIGHEST] = [-32_768, 32_767];

export type SoundPart = {
  /** Sample of the film that it begins with. */
  readonly first: number;
  readonly samples: number;
  /** Opens its samples in 16 bits, without so many at its start; there may be fewer than `samples`. */
  readonly open: (skip: number) => Promise<Samples>;
};

export type MixSpan = {
  /** Samples of the film. */
  readonly from: number;
  readonly to: number;
  readonly signal: AbortSignal;
};

/**
 * Yields the sum of all parts from one sample of the film to another, window by window. A part is open while
 * it is heard.
 */
export async function* mixParts(
  parts: readonly SoundPart[],
  { from, to, signal }: MixSpan,
): AsyncGenerator<Int16Array> {
  const waiting = parts
    .filter(({ first, samples }) => samples > 0 && first + samples > from)
    .toSorted((a, b) => b.first - a.first);
  let active: OpenPart[] = [];
  try {
    for (let begin = from; begin < to; begin += WINDOW) {
      signal.throwIfAborted();
      const end = Math.min(to, begin + WINDOW);
      for (let next = waiting.at(-1); next && next.first < end; next = waiting.at(-1)) {
        waiting.pop();
        const opened = await next.open(Math.max(0, begin - next.first));
        active.push({ ...next, opened });
      }
      yield await mixWindow(active, begin, end);
      const over = active.filter(({ first, samples }) => first + samples <= end);
      active = active.filter((part) => !over.includes(part));
      for (const { opened } of over) await opened.close();
    }
  } finally {
    await Promise.all(active.map(({ opened }) => opened.close()));
  }
}

type OpenPart = SoundPart & { readonly opened: Samples };

async function mixWindow(
  parts: readonly OpenPart[],
  begin: number,
  end: number,
): Promise<Int16Array> {
  const sum = new Int32Array((end - begin) * CHANNELS);
  for (const { first, samples, opened } of parts) {
    const from = Math.max(begin, first);
    const to = Math.min(end, first + samples);
    const heard = await opened.read((to - from) * CHANNELS);
    const at = (from - begin) * CHANNELS;
    heard.forEach((sample, index) => {
      sum[at + index] = (sum[at + index] ?? 0) + sample;
    });
  }
  return Int16Array.from(sum, (value) => Math.max(LOWEST, Math.min(HIGHEST, value)));
}
