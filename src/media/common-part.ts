/** Most patches of a picture. */
export const MAX_PATCHES = 144;
/** Width and height of the picture, in 255 parts of the longer one. */
export const HEADER_BYTES = 2;
/** Position (two of 16 bits), brightness, size and 128 bits. */
export const PATCH_BYTES = 22;
const WORDS = 4;
const UNIT = 256 / 255;

/** Patches that differ in so many bits at most may show the same. */
const MAX_DISTANCE = 26;
/** Each two of the best matches propose a place, and all vote. */
const MAX_MATCHES = 100;
const MAX_PROPOSERS = 40;
/** A square crop of half of a wide picture, with some tolerance. */
const MIN_SCALE = 0.45;
/** Least distance of two that propose a place, in 256 parts of the longest side. */
const MIN_SPAN = 24;
/** Largest distance from the place that is voted for, and of those that count in the end; in the same parts. */
const MAX_ERROR = 3;
const MAX_FINAL_ERROR = 2;
/** Most of its length that a part may reach out of the whole. */
const MAX_OVERHANG = 0.03;

/**
 * Measured on crops, watermarks and borders of real photos, against other photos and photos of one chart by several
 * cameras: other photos have at most 12 patches in one place. Two photos of one thing may have 50; they are less exact
 * in place (`ERROR`, in pixels of the patches) and in brightness (`LIGHT`, of 256), by the median.
 */
const MIN_AGREEING = 14;
const MIN_SHARE = 0.2;
const MAX_MEDIAN_DISTANCE = 22;
const ERROR = 0.65;
const LIGHT = 6;

export type Patches = {
  /** Width of the picture, in the unit of `x`. */
  readonly width: number;
  readonly height: number;
  readonly count: number;
  /** In 256 parts of the longest side. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly light: Uint8Array;
  /** Length of its pixels, of those of the picture. */
  readonly size: Float32Array;
  /** WORDS for each. */
  readonly bits: Uint32Array;
};

/** Returns the patches as they are stored by `describePatches`. */
export function readPatches(bytes: Uint8Array): Patches {
  const count = Math.floor(bytes.length / PATCH_BYTES);
  const [width = 0, height = 0] = bytes;
  const x = new Float32Array(count);
  const y = new Float32Array(count);
  const light = new Uint8Array(count);
  const size = new Float32Array(count);
  const bits = new Uint32Array(count * WORDS);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0, from = HEADER_BYTES; at < count; at++, from += PATCH_BYTES) {
    x[at] = view.getUint16(from, true) / 256;
    y[at] = view.getUint16(from + 2, true) / 256;
    light[at] = bytes[from + 4]!;
    size[at] = bytes[from + 5]! / 32;
    for (let word = 0; word < WORDS; word++) {
      bits[at * WORDS + word] = view.getUint32(from + 6 + 4 * word, true);
    }
  }
  return { width: width * UNIT, height: height * UNIT, count, x, y, light, size, bits };
}

/** A patch of one picture and the most similar one of another. */
type Match = {
  readonly ax: number;
  readonly ay: number;
  readonly bx: number;
  readonly by: number;
  readonly lightA: number;
  readonly lightB: number;
  readonly sizeA: number;
  readonly sizeB: number;
  /** Bits that differ. */
  readonly distance: number;
};

/** Where one picture lies in another: b = a * scale + (x, y). */
type Place = { readonly scale: number; readonly x: number; readonly y: number };

/**
 * Returns how much of the part that two pictures have in common is the same, 0 to 1, where one is a crop of the other,
 * or the other with a border, a text or a logo; null where it is not. Finds no turned, mirrored or stretched ones.
 */
export function measureCommonPart(one: Patches, other: Patches): number | null {
  const [a, b] = isFirst(one, other) ? [one, other] : [other, one];
  const share = measurePart(a, b);
  // Seen from the other side, other patches are the most similar ones.
  return (share === null ? measurePart(b, a) : share) ?? null;
}

/** Returns an order that depends on nothing but the pictures: their ids are of chance. */
function isFirst(one: Patches, other: Patches): boolean {
  if (one.count !== other.count) return one.count > other.count;
  const at = one.bits.findIndex((word, index) => word !== other.bits[index]);
  return at < 0 || one.bits[at]! < other.bits[at]!;
}

/** Returns undefined where hardly any patches are in one place, null where too few or not exactly enough. */
function measurePart(one: Patches, other: Patches): number | null | undefined {
  const matches = listMatches(one, other);
  let place = findPlace(matches);
  if (!place) return undefined;
  for (let round = 0; place && round < 2; round++) place = fitPlace(matches, place);
  if (!place || !(isInside(one, other, place) || isInside(other, one, invert(place)))) return null;
  const agreeing = matches.filter((match) => getError(match, place) <= MAX_FINAL_ERROR);
  // Several sizes of one corner count once.
  const corners = new Set(agreeing.map(({ ax, ay }) => (ax >> 2) * 64 + (ay >> 2)));
  if (corners.size < MIN_AGREEING) return null;
  if (median(agreeing.map(({ distance }) => distance)) > MAX_MEDIAN_DISTANCE) return null;
  const error = median(agreeing.map((match) => getPixelError(match, place)));
  if ((error / ERROR) ** 2 + (measureLight(agreeing) / LIGHT) ** 2 > 1) return null;
  const common = Math.min(countCovered(one, other, place), countCovered(other, one, invert(place)));
  const share = Math.min(1, agreeing.length / common);
  return share >= MIN_SHARE ? share : null;
}

/** Returns whether one picture lies within the other: two of a panorama have a part in common as well. */
function isInside(one: Patches, other: Patches, { scale, x, y }: Place): boolean {
  const slack = MAX_OVERHANG * scale * 256;
  const isWithin = (from: number, length: number, whole: number) =>
    from >= -slack && from + length * scale <= whole + slack;
  return isWithin(x, one.width, other.width) && isWithin(y, one.height, other.height);
}

const invert = ({ scale, x, y }: Place): Place => ({
  scale: 1 / scale,
  x: -x / scale,
  y: -y / scale,
});

/** Returns for each patch the most similar one of the other picture, where there is one; the best first. */
function listMatches(one: Patches, other: Patches): Match[] {
  const matches: Match[] = [];
  for (let from = 0; from < one.count; from++) {
    let distance = MAX_DISTANCE + 1;
    let to = -1;
    for (let at = 0; at < other.count; at++) {
      const bits = countOtherBits(one.bits, from * WORDS, other.bits, at * WORDS);
      if (bits >= distance) continue;
      distance = bits;
      to = at;
    }
    if (to < 0) continue;
    matches.push({
      ax: one.x[from]!,
      ay: one.y[from]!,
      bx: other.x[to]!,
      by: other.y[to]!,
      lightA: one.light[from]!,
      lightB: other.light[to]!,
      sizeA: one.size[from]!,
      sizeB: other.size[to]!,
      distance,
    });
  }
  return matches.toSorted((a, b) => a.distance - b.distance).slice(0, MAX_MATCHES);
}

const countOtherBits = (a: Uint32Array, from: number, b: Uint32Array, to: number): number =>
  countBits(a[from]! ^ b[to]!) +
  countBits(a[from + 1]! ^ b[to + 1]!) +
  countBits(a[from + 2]! ^ b[to + 2]!) +
  countBits(a[from + 3]! ^ b[to + 3]!);

function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55_55_55_55);
  const fours = (pairs & 0x33_33_33_33) + ((pairs >>> 2) & 0x33_33_33_33);
  return Math.imul((fours + (fours >>> 4)) & 0x0f_0f_0f_0f, 0x01_01_01_01) >>> 24;
}

/** Returns the place that most matches agree with. */
function findPlace(matches: readonly Match[]): Place | undefined {
  let best: Place | undefined;
  let most = MIN_AGREEING - 1;
  const proposers = Math.min(matches.length, MAX_PROPOSERS);
  for (let i = 1; i < proposers; i++) {
    for (let j = 0; j < i; j++) {
      const place = toPlace(matches[i]!, matches[j]!);
      if (!place) continue;
      let votes = 0;
      for (const match of matches) if (getError(match, place) <= MAX_ERROR) votes++;
      if (votes <= most) continue;
      most = votes;
      best = place;
    }
  }
  return best;
}

function toPlace(m: Match, n: Match): Place | undefined {
  const ax = m.ax - n.ax;
  const ay = m.ay - n.ay;
  const square = ax * ax + ay * ay;
  if (square < MIN_SPAN * MIN_SPAN) return undefined;
  const scale = (ax * (m.bx - n.bx) + ay * (m.by - n.by)) / square;
  if (!isPossible(scale)) return undefined;
  const x = (m.bx + n.bx - scale * (m.ax + n.ax)) / 2;
  const y = (m.by + n.by - scale * (m.ay + n.ay)) / 2;
  const place = { scale, x, y };
  // Otherwise turned.
  return getError(m, place) <= MAX_ERROR && getError(n, place) <= MAX_ERROR ? place : undefined;
}

const isPossible = (scale: number): boolean => scale >= MIN_SCALE && scale <= 1 / MIN_SCALE;

/** Returns the distance of a match from a place, in parts of the picture in which it is smaller. */
function getError({ ax, ay, bx, by }: Match, { scale, x, y }: Place): number {
  const right = ax * scale + x - bx;
  const down = ay * scale + y - by;
  return Math.sqrt(right * right + down * down) / Math.max(1, scale);
}

/** Returns the distance in pixels of the patches, which is how exact their positions are. */
function getPixelError(match: Match, place: Place): number {
  const { scale } = place;
  const pixel = Math.max(match.sizeA * scale, match.sizeB);
  return (getError(match, place) * Math.max(1, scale)) / pixel;
}

/** Returns the place of least squares for those that agree with a place. */
function fitPlace(matches: readonly Match[], near: Place): Place | undefined {
  const agreeing = matches.filter((match) => getError(match, near) <= MAX_ERROR);
  const [ax, ay] = [mean(agreeing, ({ ax }) => ax), mean(agreeing, ({ ay }) => ay)];
  const [bx, by] = [mean(agreeing, ({ bx }) => bx), mean(agreeing, ({ by }) => by)];
  const both = mean(agreeing, (m) => (m.ax - ax) * (m.bx - bx) + (m.ay - ay) * (m.by - by));
  const scale = both / mean(agreeing, (m) => (m.ax - ax) ** 2 + (m.ay - ay) ** 2);
  return isPossible(scale) ? { scale, x: bx - scale * ax, y: by - scale * ay } : undefined;
}

/** Returns the median difference of brightness that a change of brightness and contrast leaves. */
function measureLight(agreeing: readonly Match[]): number {
  const [a, b] = [mean(agreeing, ({ lightA }) => lightA), mean(agreeing, ({ lightB }) => lightB)];
  const both = mean(agreeing, ({ lightA, lightB }) => (lightA - a) * (lightB - b));
  const gain =
    both /
    Math.max(
      1,
      mean(agreeing, ({ lightA }) => (lightA - a) ** 2),
    );
  return median(agreeing.map(({ lightA, lightB }) => Math.abs((lightA - a) * gain - lightB + b)));
}

/** Returns how many patches of one picture lie within the other. */
function countCovered(one: Patches, other: Patches, { scale, x, y }: Place): number {
  let covered = 0;
  for (let at = 0; at < one.count; at++) {
    const toX = one.x[at]! * scale + x;
    const toY = one.y[at]! * scale + y;
    if (toX >= 0 && toY >= 0 && toX <= other.width && toY <= other.height) covered += 1;
  }
  return covered;
}

const mean = (matches: readonly Match[], measure: (match: Match) => number): number =>
  matches.reduce((sum, match) => sum + measure(match), 0) / matches.length;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1]!;
