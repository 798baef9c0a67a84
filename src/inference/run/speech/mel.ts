import { openFourier } from './fourier.ts';

// Log-mel spectrograms as Whisper's input: 80 or more bins, 100 frames a second. Our own, because
// no library for Bun computes OpenAI's exact variant.

export const SAMPLE_RATE = 16_000;
/** Whisper always looks at half a minute. */
export const WINDOW_SAMPLES = 30 * SAMPLE_RATE;
const HOP = 160;
const LENGTH = 400;
const FREQUENCIES = LENGTH / 2 + 1;
export const FRAMES = WINDOW_SAMPLES / HOP;

/** Row by row from the lowest pitch, `FRAMES` numbers each. Samples are -1 … 1, 30 seconds at most. */
export type LogMel = (samples: Float32Array) => Float32Array;

/** Quieter than this by so many tenfolds than the loudest place is silence. */
const RANGE = 8;
const LEAST_LOG = -10;

/** As OpenAI computes it: Hann window, power, Slaney's scale, logarithm, and a fixed range. */
export function openLogMel(bins: number): LogMel {
  const fourier = openFourier(LENGTH);
  const filters = melFilters(bins);
  const hann = Float64Array.from(
    { length: LENGTH },
    (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / LENGTH),
  );
  const input = new Float64Array(LENGTH);
  const power = new Float64Array(FREQUENCIES);

  return (samples) => {
    const mel = new Float32Array(bins * FRAMES).fill(LEAST_LOG);
    // Behind the last sample everything is silent.
    const sounding = Math.min(FRAMES, Math.ceil((samples.length + LENGTH / 2) / HOP));
    let loudest = LEAST_LOG;
    for (let frame = 0; frame < sounding; frame++) {
      for (let at = 0; at < LENGTH; at++) {
        input[at] = sampleAt(samples, frame * HOP - LENGTH / 2 + at) * hann[at]!;
      }
      fourier(input, power);
      for (let bin = 0; bin < bins; bin++) {
        const { from, weights } = filters[bin]!;
        let sum = 0;
        for (let at = 0; at < weights.length; at++) sum += weights[at]! * power[from + at]!;
        const value = Math.max(LEAST_LOG, Math.log10(sum));
        mel[bin * FRAMES + frame] = value;
        if (value > loudest) loudest = value;
      }
    }
    const least = loudest - RANGE;
    for (let at = 0; at < mel.length; at++) mel[at] = (Math.max(mel[at]!, least) + 4) / 4;
    return mel;
  };
}

/** Outside of the half minute it is mirrored; what is missing in it is silence. */
function sampleAt(samples: Float32Array, at: number): number {
  const place = at < 0 ? -at : at < WINDOW_SAMPLES ? at : 2 * (WINDOW_SAMPLES - 1) - at;
  return samples[place] ?? 0;
}

export type MelFilter = { readonly from: number; readonly weights: Float64Array };

/** Triangles that overlap, each of the same area: wider for higher pitches. */
export function melFilters(bins: number): MelFilter[] {
  const top = toMel(SAMPLE_RATE / 2);
  const edges = Array.from({ length: bins + 2 }, (_, at) => toHertz((top * at) / (bins + 1)));
  return Array.from({ length: bins }, (_, bin) => {
    const [low, middle, high] = [edges[bin]!, edges[bin + 1]!, edges[bin + 2]!];
    const all = Array.from({ length: FREQUENCIES }, (_each, k) => {
      const hertz = (k * SAMPLE_RATE) / LENGTH;
      const weight = Math.min((hertz - low) / (middle - low), (high - hertz) / (high - middle));
      return Math.max(0, weight) * (2 / (high - low));
    });
    const from = all.findIndex((weight) => weight > 0);
    const end = all.findLastIndex((weight) => weight > 0) + 1;
    return {
      from: Math.max(0, from),
      weights: Float64Array.from(all.slice(Math.max(0, from), end)),
    };
  });
}

// Slaney's scale: even steps up to 1000 Hz, equal ratios above.
const STEP = 200 / 3;
const BREAK_HERTZ = 1000;
const BREAK_MEL = BREAK_HERTZ / STEP;
const RATIO = Math.log(6.4) / 27;

const toMel = (hertz: number) =>
  hertz < BREAK_HERTZ ? hertz / STEP : BREAK_MEL + Math.log(hertz / BREAK_HERTZ) / RATIO;
const toHertz = (mel: number) =>
  mel < BREAK_MEL ? mel * STEP : BREAK_HERTZ * Math.exp((mel - BREAK_MEL) * RATIO);
