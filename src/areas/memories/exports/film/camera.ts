import type { Size } from '../../../../media/sizes.ts';
import type { Box } from './film.store.ts';
import { FPS } from './plan.ts';

// The camera moves over a canvas of 16:9 that holds the whole picture.

export const FILM: Size = { width: 1920, height: 1080 };
/** Of the canvas, so that a slow move does not jerk from pixel to pixel. */
const CANVAS_SCALE = 2;
/** A picture of this size is blurred for the ground. */
const GROUND: Size = { width: 192, height: 108 };
const WIDE = FILM.width / FILM.height;
/** Pictures of nearly this shape fill the frame; others lie on a blurred ground. */
const COVERED = { from: 1.6, to: 2 };
const MAX_ZOOM = 1.35;
const GENTLE_ZOOM = 1.12;
/** Faces take up to this share of the height. */
const FACE_SHARE = 0.45;

type View = { readonly zoom: number; readonly x: number; readonly y: number };
const WHOLE: View = { zoom: 1, x: 0.5, y: 0.5 };

export type CameraMove = { readonly from: View; readonly to: View };

/**
 * Returns the move over a still: from the whole picture to its faces; without faces a little nearer, or
 * from there back.
 */
export function planMove(picture: Size, faces: readonly Box[], isBackwards: boolean): CameraMove {
  const group = joinLargest(faces);
  if (!group) {
    const near = { ...WHOLE, zoom: GENTLE_ZOOM };
    return isBackwards ? { from: near, to: WHOLE } : { from: WHOLE, to: near };
  }
  const shown = toCanvas(picture, group);
  const zoom = Math.min(MAX_ZOOM, Math.max(1.05, FACE_SHARE / (shown.y2 - shown.y1)));
  return { from: WHOLE, to: { zoom, x: (shown.x1 + shown.x2) / 2, y: (shown.y1 + shown.y2) / 2 } };
}

/** Returns the box around the faces that are at least half as high as the largest. */
function joinLargest(faces: readonly Box[]): Box | undefined {
  const height = Math.max(0, ...faces.map(({ y1, y2 }) => y2 - y1));
  const large = faces.filter(({ y1, y2 }) => y2 - y1 >= height / 2);
  if (large.length === 0) return undefined;
  return {
    x1: Math.min(...large.map(({ x1 }) => x1)),
    y1: Math.min(...large.map(({ y1 }) => y1)),
    x2: Math.max(...large.map(({ x2 }) => x2)),
    y2: Math.max(...large.map(({ y2 }) => y2)),
  };
}

const isCovered = ({ width, height }: Size): boolean =>
  width / height >= COVERED.from && width / height <= COVERED.to;

/** Places a box of the picture on the canvas. */
function toCanvas(picture: Size, { x1, y1, x2, y2 }: Box): Box {
  const shape = picture.width / picture.height / WIDE;
  const fills = isCovered(picture);
  // Share of the canvas that the picture takes, over 1 where it is cropped.
  const width = fills ? Math.max(1, shape) : Math.min(1, shape);
  const height = fills ? Math.max(1, 1 / shape) : Math.min(1, 1 / shape);
  const place = (at: number, share: number) => 0.5 + (at - 0.5) * share;
  return {
    x1: place(x1, width),
    y1: place(y1, height),
    x2: place(x2, width),
    y2: place(y2, height),
  };
}

const SDR = ':out_color_matrix=bt709:out_range=tv';

/** Returns a filter that scales a picture to a size, whatever the shape of its pixels. */
const scale = ({ width, height }: Size, options: string): string =>
  `scale=${width}:${height}:flags=bicubic${options}`;

/** Scales a size so that it lies within a frame, or covers it; in whole pairs of pixels. */
function fit(picture: Size, frame: Size, choose: (...shares: number[]) => number): Size {
  const share = choose(frame.width / picture.width, frame.height / picture.height);
  const even = (side: number) => Math.max(2, Math.round((side * share) / 2) * 2);
  return { width: even(picture.width), height: even(picture.height) };
}

/** Returns a filter that takes a share of the light, and of the colour with it. */
export const darken = (share: number): string =>
  `lutyuv=y=16+(val-16)*${share}:u=128+(val-128)*${share}:v=128+(val-128)*${share}`;

/** Filters that fill a frame with the middle of a picture. */
export const coverFrame = (picture: Size, frame: Size, colors = SDR): string[] => [
  scale(fit(picture, frame, Math.max), colors),
  `crop=${frame.width}:${frame.height}`,
];

type FillOptions = {
  /** Follows the scaling. */
  readonly convert?: readonly string[];
  /** Options of the scaling: colours that it is to make, and those of the picture. */
  readonly colors?: string;
  readonly from?: string;
};

/** Filters from `from` to `to` that show the whole picture in a frame of 16:9. */
export function fillFrame(
  [from, to]: readonly [string, string],
  picture: Size,
  frame: Size,
  { convert = [], colors = SDR, from: given = '' }: FillOptions = {},
): string[] {
  const after = [...convert, 'setsar=1', 'format=yuv420p'];
  const options = `${given}${colors}`;
  if (isCovered(picture)) {
    return [`${from}${[...coverFrame(picture, frame, options), ...after].join(',')}${to}`];
  }
  const whole = [scale(fit(picture, frame, Math.min), options), ...after];
  const ground = [
    ...coverFrame(picture, GROUND, ''),
    'gblur=sigma=6',
    darken(0.6),
    `scale=${frame.width}:${frame.height}`,
    'setsar=1',
  ];
  return [
    `${from}${whole.join(',')},split[whole][part]`,
    `[part]${ground.join(',')}[ground]`,
    `[ground][whole]overlay=(W-w)/2:(H-h)/2,setsar=1,format=yuv420p${to}`,
  ];
}

type Still = {
  readonly picture: Size;
  readonly frame: Size;
  readonly move: CameraMove;
  readonly first: number;
  readonly count: number;
  readonly total: number;
};

/** Filters that show a still for `count` frames from frame `first` of a move of `total` frames. */
export function showStill(
  [from, to]: readonly [string, string],
  { picture, frame, move, first, count, total }: Still,
): string[] {
  const share = `(on+${first})/${Math.max(1, total - 1)}`;
  const eased = `(${share})*(${share})*(3-2*(${share}))`;
  const between = (a: number, b: number) => `${a.toFixed(4)}+(${(b - a).toFixed(4)})*${eased}`;
  const pan = [
    `z='${between(move.from.zoom, move.to.zoom)}'`,
    `x='iw*(${between(move.from.x, move.to.x)})-iw/zoom/2'`,
    `y='ih*(${between(move.from.y, move.to.y)})-ih/zoom/2'`,
    `d=${count}`,
    `s=${frame.width}x${frame.height}`,
    `fps=${FPS}`,
  ].join(':');
  const canvas = { width: CANVAS_SCALE * frame.width, height: CANVAS_SCALE * frame.height };
  return [
    ...fillFrame([from, '[canvas]'], picture, canvas),
    `[canvas]zoompan=${pan},setsar=1,format=yuv420p${to}`,
  ];
}
