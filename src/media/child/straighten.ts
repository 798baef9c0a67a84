import { computeStraightenedSize } from '../straighten.ts';
import type { Pixels } from './raw-pixels.ts';

/** Positions between two pixels that weights are computed for. */
const PHASES = 256;

/** The weights of four pixels in a row, for each phase: cubic convolution with a = -1/2 (Keys, 1981). */
const WEIGHTS = createWeights();

function createWeights(): Float64Array {
  const weights = new Float64Array((PHASES + 1) * 4);
  for (let phase = 0; phase <= PHASES; phase++) {
    const t = phase / PHASES;
    weights[phase * 4] = -0.5 * t ** 3 + t ** 2 - 0.5 * t;
    weights[phase * 4 + 1] = 1.5 * t ** 3 - 2.5 * t ** 2 + 1;
    weights[phase * 4 + 2] = -1.5 * t ** 3 + 2 * t ** 2 + 0.5 * t;
    weights[phase * 4 + 3] = 0.5 * t ** 3 - 0.5 * t ** 2;
  }
  return weights;
}

/**
 * Turns a picture clockwise by an angle in degrees, and keeps the largest upright part with its ratio. libvips
 * turns by any angle too, but with linear interpolation only, which blurs. Needs memory for both pictures.
 */
export function straightenPixels(from: Pixels, degrees: number): Pixels {
  const { width, height } = computeStraightenedSize(from, degrees);
  const data = new Uint8Array(width * height * from.channels);
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  for (let row = 0, to = 0; row < height; row++) {
    const y = row + 0.5 - height / 2;
    for (let column = 0; column < width; column++, to += from.channels) {
      const x = column + 0.5 - width / 2;
      const sourceX = x * cos + y * sin + from.width / 2 - 0.5;
      const sourceY = y * cos - x * sin + from.height / 2 - 0.5;
      samplePixel(from, sourceX, sourceY, data, to);
    }
  }
  return { data, width, height, channels: from.channels };
}

/** Reused for each pixel: red, green, blue, opacity. */
const sum = new Float64Array(4);

/** Colours count by their opacity; what lies outside is the pixel at the edge. */
function samplePixel(from: Pixels, x: number, y: number, data: Uint8Array, to: number): void {
  const { channels } = from;
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const acrossPhase = Math.round((x - left) * PHASES) * 4;
  const downPhase = Math.round((y - top) * PHASES) * 4;
  sum.fill(0);
  for (let down = 0; down < 4; down++) {
    const row = clampIndex(top + down - 1, from.height) * from.width;
    const rowWeight = WEIGHTS[downPhase + down]!;
    for (let across = 0; across < 4; across++) {
      const at = (row + clampIndex(left + across - 1, from.width)) * channels;
      const opacity = channels === 4 ? from.data[at + 3]! : 255;
      const weight = rowWeight * WEIGHTS[acrossPhase + across]! * opacity;
      sum[0]! += from.data[at]! * weight;
      sum[1]! += from.data[at + 1]! * weight;
      sum[2]! += from.data[at + 2]! * weight;
      sum[3]! += weight;
    }
  }
  const opacity = sum[3]!;
  for (let channel = 0; channel < 3; channel++) {
    data[to + channel] = opacity > 0 ? toByte(sum[channel]! / opacity) : 0;
  }
  if (channels === 4) data[to + 3] = toByte(opacity);
}

const clampIndex = (index: number, count: number): number =>
  index < 0 ? 0 : index >= count ? count - 1 : index;

const toByte = (value: number): number =>
  value <= 0 ? 0 : value >= 255 ? 255 : Math.floor(value + 0.5);
