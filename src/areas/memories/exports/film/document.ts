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
import { compareShapes, isCovered, planMove, type Shapes, type View } from './camera.ts';
import { FADE_FRAMES, type FilmItem, FPS } from './plan.ts';
import { type Line, MARGIN } from './texts.ts';

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
