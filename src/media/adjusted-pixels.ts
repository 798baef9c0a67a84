// Light and colour of an edited picture. The page draws its preview with these functions and the decoder's child
// renders with them, so that both show the same.

import { type Adjustments, hasTones } from './adjustments.ts';

/** Weights of red, green and blue in the luminance (ITU-R BT.709). */
const LUMINANCE = [0.2126, 0.7152, 0.0722] as const;
/** The strongest exposure doubles the light twice, in stops. */
const MAX_STOPS = 2;
const MAX_WARMTH_STOPS = 0.6;
const MAX_TINT_STOPS = 0.4;

/** From sRGB to light, both from 0 to 1 (IEC 61966-2-1). */
const toLight = (value: number): number =>
  value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;

const fromLight = (light: number): number =>
  light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055;

/**
 * The gains of red, green and blue in light: warm pictures have more red and less blue, a tint above 0 is
 * magenta. The luminance of grey stays.
 */
function computeWhiteBalance({ warmth, tint }: Adjustments): readonly [number, number, number] {
  const warm = (warmth / 100) * MAX_WARMTH_STOPS;
  const magenta = (tint / 100) * MAX_TINT_STOPS;
  const gains = [2 ** (warm + magenta / 2), 2 ** -magenta, 2 ** (magenta / 2 - warm)] as const;
  const luminance = gains[0] * LUMINANCE[0] + gains[1] * LUMINANCE[1] + gains[2] * LUMINANCE[2];
  return [gains[0] / luminance, gains[1] / luminance, gains[2] / luminance];
}

/**
 * Brighter pictures keep their white: light is compressed toward it (the extended curve of Reinhard et al.,
 * "Photographic Tone Reproduction for Digital Images", 2002, equation 4). Darker ones are scaled.
 */
function expose(light: number, gain: number): number {
  const exposed = light * gain;
  return gain <= 1 ? exposed : (exposed * (1 + exposed / gain ** 2)) / (1 + exposed);
}

/** Strength of a curve at 100 in the direction that lightens shadows or darkens highlights, and in the other. */
const RECOVERY = 1.5;
const DEEPENING = 0.9;
const CONTRAST = 0.8;

/** Curves over sRGB values from 0 to 1. Each rises everywhere, and leaves black and white where they are. */
function applyCurves(value: number, { shadows, highlights, contrast }: Adjustments): number {
  const dark = (shadows / 100) * (shadows > 0 ? RECOVERY : DEEPENING);
  const lifted = value + dark * value * (1 - value) ** 3;
  const bright = (highlights / 100) * (highlights < 0 ? RECOVERY : DEEPENING);
  const toned = lifted + bright * (1 - lifted) * lifted ** 3;
  const steep = toned * toned * (3 - 2 * toned);
  return toned + (contrast / 100) * CONTRAST * (steep - toned);
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value));

/** For each value of red, green and blue from 0 to 255: the value before saturation, from 0 to 255, not rounded. */
function createToneTables(
  adjustments: Adjustments,
): readonly [Float64Array, Float64Array, Float64Array] {
  const gain = 2 ** ((adjustments.exposure / 100) * MAX_STOPS);
  const create = (balance: number) =>
    Float64Array.from({ length: 256 }, (_, value) => {
      const light = expose(toLight(value / 255) * balance, gain);
      return applyCurves(clamp(fromLight(light)), adjustments) * 255;
    });
  const [red, green, blue] = computeWhiteBalance(adjustments);
  return [create(red), create(green), create(blue)];
}

/** Pixels in sRGB, row by row; the fourth channel is opacity, which stays as it is. */
export type PixelData = Uint8Array | Uint8ClampedArray;

/** Changes light and colour of pixels in place. Takes time by the number of pixels, and 6 kB. */
export function adjustPixels(data: PixelData, channels: 3 | 4, adjustments: Adjustments): void {
  if (!hasTones(adjustments)) return;
  const [reds, greens, blues] = createToneTables(adjustments);
  const factor = 1 + adjustments.saturation / 100;
  for (let at = 0; at < data.length; at += channels) {
    const red = reds[data[at]!]!;
    const green = greens[data[at + 1]!]!;
    const blue = blues[data[at + 2]!]!;
    const grey = red * LUMINANCE[0] + green * LUMINANCE[1] + blue * LUMINANCE[2];
    data[at] = toByte(grey + (red - grey) * factor);
    data[at + 1] = toByte(grey + (green - grey) * factor);
    data[at + 2] = toByte(grey + (blue - grey) * factor);
  }
}

const toByte = (value: number): number =>
  value <= 0 ? 0 : value >= 255 ? 255 : Math.floor(value + 0.5);
