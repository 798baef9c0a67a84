import type { Pixels } from '../types.ts';

export function greyToRgb(grey: Uint8Array): Uint8Array {
  const rgb = new Uint8Array(grey.length * 3);
  for (let at = 0; at < grey.length; at++) rgb.fill(grey[at]!, at * 3, at * 3 + 3);
  return rgb;
}

type Normalise = { readonly mean?: readonly number[]; readonly std?: readonly number[] };

/** Returns (value - mean) / std in HWC order. */
export function toChannelsLast({ data }: Pixels, normalise: Normalise = {}): Float32Array {
  const values = new Float32Array(data.length);
  const [first, second] = [createLookupTable(normalise, 0), createLookupTable(normalise, 1)];
  const third = createLookupTable(normalise, 2);
  for (let at = 0; at < data.length; at += 3) {
    values[at] = first[data[at]!]!;
    values[at + 1] = second[data[at + 1]!]!;
    values[at + 2] = third[data[at + 2]!]!;
  }
  return values;
}

/** Returns the same in CHW order. */
export function toChannelsFirst(
  { data }: Pixels,
  { isBgr = false, ...normalise }: Normalise & { readonly isBgr?: boolean } = {},
): Float32Array {
  const plane = data.length / 3;
  const values = new Float32Array(data.length);
  for (let channel = 0; channel < 3; channel++) {
    const scale = createLookupTable(normalise, channel);
    let from = isBgr ? 2 - channel : channel;
    const end = (channel + 1) * plane;
    for (let to = channel * plane; to < end; to++, from += 3) values[to] = scale[data[from]!]!;
  }
  return values;
}

/** Returns the normalized value of each of the 256 bytes. */
function createLookupTable({ mean, std }: Normalise, channel: number): Float32Array {
  const [m, s] = [mean?.[channel] ?? 0, std?.[channel] ?? 1];
  return Float32Array.from({ length: 256 }, (_, value) => (value - m) / s);
}
