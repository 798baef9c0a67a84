// Small frames of a video, measured for the detection of scenes.

/** Size of the samples: RGB, three bytes per pixel. */
export const SAMPLE = { width: 128, height: 72 } as const;
const PIXELS = SAMPLE.width * SAMPLE.height;
export const SAMPLE_BYTES = PIXELS * 3;

export type Sample = {
  readonly atMs: number;
  /** Sharpness and exposure together, 0 to 1. */
  readonly quality: number;
  /** Histogram of 64 colours; the sum is 1. */
  readonly colours: Float32Array;
};

export function toSample(rgb: Uint8Array, atMs: number): Sample {
  const light = new Float32Array(PIXELS);
  const colours = new Float32Array(64);
  for (let at = 0; at < PIXELS; at++) {
    const [red, green, blue] = [rgb[at * 3]!, rgb[at * 3 + 1]!, rgb[at * 3 + 2]!];
    light[at] = 0.299 * red + 0.587 * green + 0.114 * blue;
    const bin = ((red >> 6) << 4) | ((green >> 6) << 2) | (blue >> 6);
    colours[bin]! += 1 / PIXELS;
  }
  return { atMs, quality: computeSharpness(light) * computeExposure(light), colours };
}

/** The variance of the Laplacian; so much makes half of the mark. */
const HALF_SHARP = 150;

function computeSharpness(light: Float32Array): number {
  const { width, height } = SAMPLE;
  let [sum, squares, count] = [0, 0, 0];
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x;
      const edge =
        4 * light[at]! - light[at - 1]! - light[at + 1]! - light[at - width]! - light[at + width]!;
      sum += edge;
      squares += edge * edge;
      count += 1;
    }
  }
  const variance = squares / count - (sum / count) ** 2;
  return variance / (variance + HALF_SHARP);
}

/** Neither black nor white, nor all of one light. */
function computeExposure(light: Float32Array): number {
  let [sum, clipped] = [0, 0];
  for (const value of light) {
    sum += value;
    if (value < 8 || value > 247) clipped += 1;
  }
  const mean = sum / PIXELS;
  const middle = Math.min(1, Math.max(0, mean - 10) / 50, Math.max(0, 250 - mean) / 40);
  return middle * (1 - clipped / PIXELS) ** 0.5;
}

/** 0: the same colours; 1: none in common. */
export function computeDistance(a: Sample, b: Sample): number {
  let sum = 0;
  for (let bin = 0; bin < 64; bin++) sum += Math.abs(a.colours[bin]! - b.colours[bin]!);
  return sum / 2;
}
