/** A speed is measured over this time, in ms: a shorter one jumps, a longer one is out of date. */
const WINDOW_MS = 10_000;
const LEAST_MS = 1000;

export type Speedometer = {
  /** Takes the number of bytes that are through at a time; fewer than before begin another measurement. */
  add(bytes: number, atMs: number): void;
  /** Returns bytes per second; undefined until enough is known. */
  get(): number | undefined;
};

export function createSpeedometer(): Speedometer {
  let samples: { bytes: number; atMs: number }[] = [];
  return {
    add(bytes, atMs) {
      const last = samples.at(-1);
      if (last && bytes < last.bytes) samples = [];
      samples.push({ bytes, atMs });
      samples = samples.filter((sample) => atMs - sample.atMs <= WINDOW_MS);
    },
    get() {
      const [first, last] = [samples[0], samples.at(-1)];
      if (!first || !last || last.atMs - first.atMs < LEAST_MS) return undefined;
      return ((last.bytes - first.bytes) / (last.atMs - first.atMs)) * 1000;
    },
  };
}
