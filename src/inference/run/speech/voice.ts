import { SAMPLE_RATE } from './mel.ts';

// Voice activity detection by loudness. Whisper transcribes even silence and noise into its most
// frequent phrases, so they are kept away from it: unlike noise, speech varies in level.

/** Samples per step of 20 ms. */
const STEP = SAMPLE_RATE / 50;
/** Minimum level of speech in dB relative to full scale. */
const MIN_DB = -58;
/** Minimum level above the noise floor, in dB. */
const ABOVE_FLOOR_DB = 5;
/** Quantile of the step levels that counts as the noise floor. */
const FLOOR_SHARE = 0.1;
/** Shorter runs of loud steps are clicks. */
const MIN_RUN_STEPS = 3;
/** Windows with fewer loud steps contain no speech. */
const MIN_LOUD_STEPS = 12;
/** Lead-in before the first loud step, for its consonant. */
const LEAD_MS = 200;

export type VoiceRange = {
  /** Start of the first sound in ms, minus a lead-in; undefined without speech. */
  readonly startMs: number | undefined;
  /** Returns whether the range contains a sound as long as a syllable. */
  sounds(fromMs: number, toMs: number): boolean;
};

const MS_PER_STEP = (STEP / SAMPLE_RATE) * 1000;

/** Detects speech in a window of 16-bit samples of some seconds. */
export function detectVoice(samples: Int16Array): VoiceRange {
  const levels = computeLevels(samples);
  const least = Math.max(MIN_DB, computeNoiseFloor(levels) + ABOVE_FLOOR_DB);
  const isLoud = findLoudSteps(levels, least);
  const loud = isLoud.reduce((sum, one) => sum + one, 0);
  const first = loud < MIN_LOUD_STEPS ? -1 : isLoud.indexOf(1);
  return {
    startMs: first < 0 ? undefined : Math.max(0, first * MS_PER_STEP - LEAD_MS),
    sounds(fromMs, toMs) {
      if (first < 0) return false;
      const steps = isLoud.subarray(
        Math.floor(fromMs / MS_PER_STEP),
        Math.ceil(toMs / MS_PER_STEP),
      );
      return steps.reduce((sum, one) => sum + one, 0) >= MIN_RUN_STEPS;
    },
  };
}

/** Returns the level of each step in dB relative to full scale. */
function computeLevels(samples: Int16Array): Float32Array {
  return Float32Array.from({ length: Math.floor(samples.length / STEP) }, (_, step) => {
    let sum = 0;
    for (const sample of samples.subarray(step * STEP, (step + 1) * STEP)) sum += sample ** 2;
    return 10 * Math.log10(sum / STEP / 32768 ** 2 + 1e-12);
  });
}

const computeNoiseFloor = (levels: Float32Array) =>
  levels.toSorted()[Math.floor(levels.length * FLOOR_SHARE)] ?? MIN_DB;

function findLoudSteps(levels: Float32Array, least: number): Uint8Array {
  const loud = new Uint8Array(levels.length);
  for (let from = 0; from < levels.length;) {
    let to = from;
    while ((levels[to] ?? -Infinity) >= least) to += 1;
    if (to - from >= MIN_RUN_STEPS) loud.fill(1, from, to);
    from = to + 1;
  }
  return loud;
}
