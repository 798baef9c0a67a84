/**
 * ICC profiles: recognizes sRGB and Display P3, and builds those that files name but do not embed. Our own,
 * because sharp and Bun.Image expose the raw profile only.
 */

const XYZ_TAGS = ['rXYZ', 'gXYZ', 'bXYZ'] as const;
const CURVE_TAGS = ['rTRC', 'gTRC', 'bTRC'] as const;

type Xyz = readonly [x: number, y: number, z: number];
type Primaries = readonly [red: Xyz, green: Xyz, blue: Xyz];

/** Primaries adapted to D50, as profiles store them. */
const SRGB: Primaries = [
  [0.4361, 0.2225, 0.0139],
  [0.3851, 0.7169, 0.0971],
  [0.1431, 0.0606, 0.7141],
];
const DISPLAY_P3: Primaries = [
  [0.5151, 0.2412, -0.0011],
  [0.292, 0.6922, 0.0419],
  [0.1571, 0.0666, 0.7841],
];
const ADOBE: Primaries = [
  [0.60974, 0.31111, 0.01947],
  [0.20528, 0.62567, 0.06087],
  [0.14919, 0.06322, 0.74457],
];
const BT_2020: Primaries = [
  [0.67348, 0.27904, -0.00194],
  [0.16567, 0.67535, 0.02998],
  [0.12505, 0.04561, 0.79686],
];
const ADOBE_GAMMA = 563 / 256;

/** Colours as ITU-T H.273 counts them. */
export type NamedColor = {
  readonly primaries: number;
  readonly transfer: number;
  /** The exponent of the curve, where the file names that and no transfer. */
  readonly gamma?: number;
  /** A profile of colours does not fit a picture without. */
  readonly isGrey?: boolean;
};

/** Those of NamedColor that are not shown as sRGB. */
const PRIMARIES = new Map([
  [9, BT_2020],
  [12, DISPLAY_P3],
]);
const GAMMAS = new Map([
  [4, 2.2],
  [5, 2.8],
  [8, 1],
]);

/** Returns the profile of colours that are no brighter than white; undefined for those that are shown as sRGB. */
export function toProfile(color: NamedColor): Uint8Array | undefined {
  const found = PRIMARIES.get(color.primaries) ?? SRGB;
  const power = color.gamma ?? GAMMAS.get(color.transfer);
  if (power === undefined && (found === SRGB || color.isGrey)) return undefined;
  return buildProfile(color.isGrey ? undefined : found, power);
}

/** Half grey of sRGB and Display P3 in linear light; a plain 2.2 gamma lies within the tolerance, and looks the same. */
const HALF = 0.214;
const TOLERANCE = 0.004;
const CURVE_TOLERANCE = 0.006;

/**
 * By its numbers and not its name, which every vendor writes as it likes. A profile in doubt counts
 * as neither, so it is converted and nothing is lost but time.
 */
export function profileKind(icc: Uint8Array): 'srgb' | 'display-p3' | undefined {
  try {
    const view = new DataView(icc.buffer, icc.byteOffset, icc.byteLength);
    if (text(view, 16) !== 'RGB ' || text(view, 20) !== 'XYZ ') return undefined;
    const tags = tagTable(view);
    if (tags.has('A2B0')) return undefined;
    const curves = CURVE_TAGS.map((name) => readHalf(view, getTag(tags, name)));
    if (!curves.every((half) => Math.abs(half - HALF) < CURVE_TOLERANCE)) return undefined;
    const primaries = XYZ_TAGS.map((name) => xyzAt(view, getTag(tags, name)));
    if (areNear(primaries, SRGB)) return 'srgb';
    return areNear(primaries, DISPLAY_P3) ? 'display-p3' : undefined;
  } catch {
    return undefined;
  }
}

const areNear = (primaries: readonly Xyz[], known: Primaries): boolean =>
  primaries.every((xyz, channel) =>
    xyz.every(
      (value, axis) => Math.abs(value - (known[channel]?.[axis] ?? Number.NaN)) < TOLERANCE,
    ),
  );

const text = (view: DataView, at: number) =>
  String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(at + index)));

function tagTable(view: DataView): Map<string, number> {
  const count = Math.min(view.getUint32(128), 100);
  return new Map(
    Array.from({ length: count }, (_, index) => 132 + index * 12).map((at) => [
      text(view, at),
      view.getUint32(at + 4),
    ]),
  );
}

/** Returns where a tag is. Throws where the profile has none, as DataView does beyond its end. */
function getTag(tags: ReadonlyMap<string, number>, name: string): number {
  const at = tags.get(name);
  if (at === undefined) throw new RangeError(`The profile has no ${name}`);
  return at;
}

const xyzAt = (view: DataView, at: number): Xyz => [
  view.getInt32(at + 8) / 65536,
  view.getInt32(at + 12) / 65536,
  view.getInt32(at + 16) / 65536,
];

/** Returns the value of the curve at 0.5. */
function readHalf(view: DataView, at: number): number {
  if (text(view, at) === 'para') {
    const [kind, gamma] = [view.getUint16(at + 8), view.getInt32(at + 12) / 65536];
    if (kind === 0) return 0.5 ** gamma;
    const [a, b] = [view.getInt32(at + 16) / 65536, view.getInt32(at + 20) / 65536];
    return (a * 0.5 + b) ** gamma;
  }
  const count = view.getUint32(at + 8);
  if (count === 1) return 0.5 ** (view.getUint16(at + 12) / 256);
  return view.getUint16(at + 12 + Math.round((count - 1) / 2) * 2) / 65535;
}

export const adobeRgbProfile = (): Uint8Array => buildProfile(ADOBE, ADOBE_GAMMA);

/** Returns the smallest profile of version 2, of grey without primaries; without a gamma it has the curve of sRGB. */
function buildProfile(primaries: Primaries | undefined, gamma: number | undefined): Uint8Array {
  const curve = gamma === undefined ? SRGB_CURVE : toGammaCurve(gamma);
  const tags = [
    ['desc', description('Colors as named')],
    ['cprt', signed('text', [...Buffer.from('CC0\0')])],
    ['wtpt', xyz([0.9642, 1, 0.8249])],
    ...(primaries ?? []).map((values, at) => [XYZ_TAGS[at] ?? '', xyz(values)] as const),
    ...(primaries ? CURVE_TAGS : ['kTRC']).map((name) => [name, curve] as const),
  ] as const;
  const start = 132 + tags.length * 12;
  const size = start + tags.reduce((sum, [, body]) => sum + body.length, 0);
  const profile = new Uint8Array(size);
  const view = new DataView(profile.buffer);
  view.setUint32(0, size);
  view.setUint32(8, 0x02100000);
  put(profile, 12, primaries ? 'mntrRGB XYZ ' : 'mntrGRAYXYZ ');
  put(profile, 36, 'acsp');
  [0.9642, 1, 0.8249].forEach((value, axis) => view.setInt32(68 + axis * 4, fixed(value)));
  view.setUint32(128, tags.length);
  let at = start;
  tags.forEach(([name, body], index) => {
    put(profile, 132 + index * 12, name);
    view.setUint32(136 + index * 12, at);
    view.setUint32(140 + index * 12, body.length);
    profile.set(body, at);
    at += body.length;
  });
  return profile;
}

const fixed = (value: number) => Math.round(value * 65536);

function put(target: Uint8Array, at: number, ascii: string): void {
  target.set(Buffer.from(ascii, 'latin1'), at);
}

/** A tag body: its type, four zeroes, the data, padded to four bytes. */
function signed(type: string, data: readonly number[]): Uint8Array {
  const body = new Uint8Array(Math.ceil((8 + data.length) / 4) * 4);
  put(body, 0, type);
  body.set(data, 8);
  return body;
}

const xyz = (values: readonly number[]) => signed('XYZ ', values.flatMap(toFixedBytes));

/** In 65,536 parts. */
function toFixedBytes(value: number): number[] {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(fixed(value));
  return [...bytes];
}

/** A curve of one gamma, as a fixed-point number with 8 fractional bits. */
const toGammaCurve = (gamma: number) =>
  signed('curv', [0, 0, 0, 1, ...toFixedBytes(gamma).slice(1, 3)]);

/** IEC 61966-2-1, as the parametric curve of kind 3. */
const SRGB_CURVE = signed('para', [
  0,
  3,
  0,
  0,
  ...[2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(toFixedBytes),
]);

/** The ASCII part, and empty Unicode and Macintosh parts, which version 2 wants present. */
function description(words: string): Uint8Array {
  const body = signed('desc', Array<number>(4 + words.length + 1 + 78).fill(0));
  new DataView(body.buffer).setUint32(8, words.length + 1);
  put(body, 12, words);
  return body;
}
