import { rational, toWire } from '../../../../core/rational.ts';
import type {
  StudioClip,
  StudioCrop,
  StudioDocument,
  StudioSound,
  StudioTitle,
} from '../../../../db/tables/studio.ts';
import type { Size } from '../../../../media/sizes.ts';
import { CANVASES, type FilmOptions } from '../options.ts';
import { FADE_FRAMES, type FilmItem, FPS } from './plan.ts';
import { type Line, MARGIN } from './texts.ts';
import type { Box } from './film.store.ts';

/** How the picture behind the title is shown. */
const TITLE_GROUND = { blur: 1 / 45, brightness: 0.55 };

/** An item with its texts. */
export type PlannedItem = {
  readonly item: FilmItem;
  /** Size of its picture as displayed. */
  readonly picture: Size;
  readonly lines: readonly Line[];
};

/** Returns the film of these items, each mixed with the one before. */
export function toDocument(
  items: readonly PlannedItem[],
  { format, music }: FilmOptions,
): StudioDocument {
  const canvas = CANVASES[format];
  let next = 0;
  const placed = items.map((planned, index) => {
    const start = next;
    next += planned.item.frames - FADE_FRAMES;
    return { ...planned, canvas, index, start, isLast: index === items.length - 1 };
  });
  return {
    ...canvas,
    frameRate: { numerator: FPS, denominator: 1 },
    clips: placed.map(toClip),
    titles: placed.flatMap(toTitles),
    sounds: placed.flatMap(toSounds),
    ...(music && { music: { track: music } }),
  };
}

type PlacedItem = PlannedItem & {
  readonly canvas: Size;
  readonly index: number;
  /** Frame that it begins with. */
  readonly start: number;
  readonly isLast: boolean;
};

const toTime = (frames: number) => toWire(rational(BigInt(frames), BigInt(FPS)));
const FADE = toTime(FADE_FRAMES);

function toClip({ item, start, ...viewed }: PlacedItem): StudioClip {
  return {
    ...toShown(item),
    track: 0,
    start: toTime(start),
    duration: toTime(item.frames),
    ...(viewed.index > 0 && { fadeIn: FADE }),
    // Its sound has times of its own.
    volume: 0,
    fit: 'cover',
    ...toView({ item, ...viewed }),
  };
}

/** Returns what a clip shows of an item: a video, or a picture, also that of a video. */
export function toShown(item: FilmItem): Pick<StudioClip, 'assetId' | 'sourceIn' | 'still'> {
  const { kind, asset } = item;
  const isStill = kind !== 'video' && asset.type === 'VIDEO';
  return { assetId: asset.id, sourceIn: toSourceTime(item), ...(isStill && { still: true }) };
}

const toSourceTime = ({ startMs }: FilmItem) => toWire(rational(BigInt(startMs), 1000n));

type Viewed = Pick<PlacedItem, 'item' | 'picture' | 'canvas' | 'index'>;
type Look = Pick<StudioClip, 'surround' | 'crop' | 'cropTo' | 'easing' | keyof typeof TITLE_GROUND>;

function toView({ item, index, ...shapes }: Viewed): Look {
  const { kind, asset } = item;
  if (kind === 'title') return TITLE_GROUND;
  const isFilling = isCovered(shapes);
  const surround = isFilling ? {} : ({ surround: 'blur' } as const);
  if (kind === 'video') return surround;
  // Boxes of faces belong to the picture without edits.
  const { from, to } = planMove(shapes, asset.isEdited ? [] : asset.faces, index % 2 === 0);
  const toCrop = (view: View) => (isFilling ? cropFilling(view, shapes) : cropView(view));
  return { ...surround, crop: toCrop(from), cropTo: toCrop(to), easing: 'smooth' };
}

/** Returns the part of the frame that a view shows. */
function cropView({ zoom, x, y }: View): StudioCrop {
  const length = 1 / zoom;
  const place = (middle: number) => Math.max(0, Math.min(1 - length, middle - length / 2));
  return { x: place(x), y: place(y), width: length, height: length };
}

/** Returns the part of a picture that a view shows, where the frame is filled with its middle. */
function cropFilling(view: View, shapes: Shapes): StudioCrop {
  const crop = cropView(view);
  const shape = compareShapes(shapes);
  const [across, down] = [Math.min(1, 1 / shape), Math.min(1, shape)];
  return {
    x: (1 - across) / 2 + crop.x * across,
    y: (1 - down) / 2 + crop.y * down,
    width: crop.width * across,
    height: crop.height * down,
  };
}

function toTitles({ item, lines, canvas, index, start, isLast }: PlacedItem): StudioTitle[] {
  const isCentered = item.kind === 'title';
  return lines.map(({ text, size, y }) => ({
    text,
    start: toTime(start),
    duration: toTime(item.frames),
    x: isCentered ? 0.5 : MARGIN / canvas.width,
    y: (y + size / 2) / canvas.height,
    size: size / canvas.height,
    align: isCentered ? 'center' : 'left',
    outline: true,
    ...(index > 0 && { fadeIn: FADE }),
    ...(!isLast && { fadeOut: FADE }),
  }));
}

/** The sound of a video is gone when the next item comes. */
function toSounds({ item, start, isLast }: PlacedItem): StudioSound[] {
  if (item.kind !== 'video') return [];
  return [
    {
      assetId: item.asset.id,
      start: toTime(start),
      duration: toTime(item.frames - (isLast ? 0 : FADE_FRAMES)),
      sourceIn: toSourceTime(item),
      fadeIn: FADE,
      fadeOut: FADE,
    },
  ];
}

// The camera moves over a canvas that holds the whole picture.

/** Pictures of nearly the shape of the canvas fill it; others lie on a blurred ground. */
const COVERED = { from: 0.9, to: 1.125 };
const MAX_ZOOM = 1.35;
const GENTLE_ZOOM = 1.12;
/** Faces take up to this share of the height. */
const FACE_SHARE = 0.45;

type View = { readonly zoom: number; readonly x: number; readonly y: number };
const WHOLE: View = { zoom: 1, x: 0.5, y: 0.5 };

type CameraMove = { readonly from: View; readonly to: View };

/**
 * Returns the move over a still: from the whole picture to its faces; without faces a little nearer, or
 * from there back.
 */
function planMove(
  { picture, canvas }: Shapes,
  faces: readonly Box[],
  isBackwards: boolean,
): CameraMove {
  const group = joinLargest(faces);
  if (!group) {
    const near = { ...WHOLE, zoom: GENTLE_ZOOM };
    return isBackwards ? { from: near, to: WHOLE } : { from: WHOLE, to: near };
  }
  const shown = toCanvas({ picture, canvas }, group);
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

/** A picture and the canvas of the film. */
type Shapes = { readonly picture: Size; readonly canvas: Size };

/** Returns how much wider a picture is than the canvas, at the same height. */
const compareShapes = ({ picture, canvas }: Shapes): number =>
  (picture.width * canvas.height) / (picture.height * canvas.width);

/** Whether the picture fills the canvas. */
function isCovered(shapes: Shapes): boolean {
  const shape = compareShapes(shapes);
  return shape >= COVERED.from && shape <= COVERED.to;
}

/** Places a box of the picture on the canvas. */
function toCanvas(shapes: Shapes, { x1, y1, x2, y2 }: Box): Box {
  const shape = compareShapes(shapes);
  const fills = isCovered(shapes);
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
