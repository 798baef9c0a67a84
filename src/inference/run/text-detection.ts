import { getFirst } from '../../core/required.ts';
import type { Pixels } from '../types.ts';
import { toChannelsFirst } from './channels.ts';
import { resize } from './picture.ts';
import { toCorners, grow, type Place, getSides, smallestRectangle } from './rectangle.ts';
import { feed, floats, toFloats, type Session } from './session.ts';

/** A line of text in the picture, in its pixels. */
export type TextPlace = {
  readonly corners: readonly [Place, Place, Place, Place];
  readonly score: number;
};

const LONGEST = 960;
const GRANULE = 32;
/** A pixel is text, and a patch of them is a line, from these on. */
const MIN_PIXEL_SCORE = 0.3;
const MIN_PATCH_SCORE = 0.6;
const MIN_PIXELS = 10;
const MIN_SIDE = 3;
/** Unclip ratio of DBNet: the model finds a shrunk line. */
const UNCLIP = 1.6;
const NORMAL = {
  mean: [0.485 * 255, 0.456 * 255, 0.406 * 255],
  std: [0.229 * 255, 0.224 * 255, 0.225 * 255],
};

/** PaddleOCR's detector (DBNet): cuts a probability map into lines, returned in reading order. */
export async function findText(session: Session, picture: Pixels): Promise<TextPlace[]> {
  const scale = Math.min(1, LONGEST / Math.max(picture.width, picture.height));
  const granular = (length: number) =>
    Math.max(GRANULE, Math.round((length * scale) / GRANULE) * GRANULE);
  const [width, height] = [granular(picture.width), granular(picture.height)];
  const input = toChannelsFirst(await resize(picture, width, height), NORMAL);
  const found = await feed(session, floats(input, [1, 3, height, width]));
  const map = toFloats(found[getFirst(session.outputs)]);
  const [toX, toY] = [picture.width / width, picture.height / height];
  const places = [...findPatches(map, width)].flatMap((patch) => toPlace(patch));
  return places
    .map(({ corners: [a, b, c, d], score }) => {
      const toPicture = ([x, y]: Place): Place => [
        Math.max(0, Math.min(picture.width, x * toX)),
        Math.max(0, Math.min(picture.height, y * toY)),
      ];
      return { corners: [toPicture(a), toPicture(b), toPicture(c), toPicture(d)], score } as const;
    })
    .toSorted(compareReadingOrder);
}

const SAME_ROW = 10;

const compareReadingOrder = ({ corners: [a] }: TextPlace, { corners: [b] }: TextPlace) =>
  Math.abs(a[1] - b[1]) < SAME_ROW ? a[0] - b[0] : a[1] - b[1];

type Patch = {
  readonly pixels: number;
  readonly sum: number;
  /** First and last column of each row. */
  readonly rows: ReadonlyMap<number, readonly [from: number, to: number]>;
};

/** Pixels that are text and touch each other. */
function* findPatches(map: Float32Array, width: number): Generator<Patch> {
  const isSeen = new Uint8Array(map.length);
  const stack: number[] = [];
  for (let start = 0; start < map.length; start++) {
    if (isSeen[start] || map[start]! <= MIN_PIXEL_SCORE) continue;
    const rows = new Map<number, [number, number]>();
    let [pixels, sum] = [0, 0];
    isSeen[start] = 1;
    stack.push(start);
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      pixels += 1;
      sum += map[at]!;
      widen(rows, Math.floor(at / width), at % width);
      for (const next of neighbours(at, width, map.length)) {
        if (isSeen[next] || map[next]! <= MIN_PIXEL_SCORE) continue;
        isSeen[next] = 1;
        stack.push(next);
      }
    }
    yield { pixels, sum, rows };
  }
}

function widen(rows: Map<number, [number, number]>, row: number, column: number): void {
  const known = rows.get(row);
  if (!known) rows.set(row, [column, column]);
  else if (column < known[0]) known[0] = column;
  else if (column > known[1]) known[1] = column;
}

function* neighbours(at: number, width: number, count: number): Generator<number> {
  const column = at % width;
  for (let row = -width; row <= width; row += width) {
    for (let step = -1; step <= 1; step++) {
      const next = at + row + step;
      const isOnRow = column + step >= 0 && column + step < width;
      if (isOnRow && next >= 0 && next < count) yield next;
    }
  }
}

function toPlace({ pixels, sum, rows }: Patch): TextPlace[] {
  const score = sum / pixels;
  if (pixels < MIN_PIXELS || score < MIN_PATCH_SCORE) return [];
  const points = [...rows].flatMap(([row, [from, to]]): Place[] => [
    [from, row],
    [to + 1, row],
    [from, row + 1],
    [to + 1, row + 1],
  ]);
  const box = smallestRectangle(points);
  if (!box) return [];
  const { length, depth } = getSides(box);
  if (Math.min(length, depth) < MIN_SIDE) return [];
  const by = (length * depth * UNCLIP) / (2 * (length + depth));
  return [{ corners: toCorners(grow(box, by)), score }];
}
