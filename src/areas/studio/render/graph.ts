import type { StudioClip } from '../../../db/tables/studio.ts';
import type { Size } from '../../../media/sizes.ts';
import { type ClipTime, repeatLast } from './clip-time.ts';
import { buildFades } from './fades.ts';
import { moveCrop } from './moving-crop.ts';
import { placeClip } from './placement.ts';

/** The picture of a clip at the moment that is rendered. */
export type Layer = {
  readonly clip: StudioClip;
  readonly time: ClipTime;
  /** Of the picture as displayed. */
  readonly picture: Size;
  /** Whether no part of it is transparent. */
  readonly isOpaque: boolean;
  /** Options of ffmpeg with the file. */
  readonly input: readonly string[];
  /** Filters from the stream to its frames in sRGB, as displayed. */
  readonly source: readonly string[];
  /** The stream of the input: '0', or 'v'. */
  readonly stream: string;
  /** Options of `scale` about the colours of the source, beginning with a colon. */
  readonly colors: string;
};

/** The ground of all layers. */
export type Canvas = Size & {
  readonly background: string;
  readonly frames: number;
  /** Frames per second. */
  readonly rate: string;
};

/** The background of a film that names none. */
export const BLACK = '#000000';

/** A single frame. */
export const STILL = { frames: 1, rate: '1' };

/** Filters that draw the texts over the clips. */
export type Texts = readonly string[];

/** Returns the layers without those that another one covers. */
export function withoutHidden(layers: readonly Layer[], canvas: Canvas): readonly Layer[] {
  const lowest = layers.findLastIndex((layer) => isCovering(layer, canvas));
  return layers.slice(Math.max(0, lowest));
}

function isCovering({ clip, picture, isOpaque }: Layer, canvas: Canvas): boolean {
  const { rotation = 0, opacity = 1, fadeIn, fadeOut } = clip;
  const { size, center } = placeClip(clip, picture, canvas);
  const isWhole = size.width === canvas.width && size.height === canvas.height;
  const isCentered = center.x === canvas.width / 2 && center.y === canvas.height / 2;
  const isSolid = isOpaque && opacity === 1 && !fadeIn && !fadeOut;
  return isWhole && isCentered && isSolid && rotation === 0;
}

/**
 * Returns the filters that draw the layers on the canvas, from the lowest to the highest, as `[frame]`. With
 * `isWitnessed` also the names of streams that have a packet each exactly when all layers have a picture:
 * `overlay` goes on without one. A layer alone is its own witness, the frame.
 */
export function buildGraph(
  canvas: Canvas,
  layers: readonly Layer[],
  texts: Texts,
  { isWitnessed }: { readonly isWitnessed: boolean },
): { readonly graph: string; readonly witnesses: readonly string[] } {
  const { width, height, background, frames, rate } = canvas;
  const [lowest] = layers;
  const isCovered = lowest !== undefined && isCovering(lowest, canvas);
  const isAlone = isCovered && layers.length === 1;
  const ground = `color=c=0x${background.slice(1)}:s=${width}x${height}:r=${rate}`;
  const parts = isCovered ? [] : [`${ground},trim=end_frame=${frames},format=gbrp[under0]`];
  const witnesses: string[] = [];
  for (const [index, layer] of layers.entries()) {
    const { center } = placeClip(layer.clip, layer.picture, canvas);
    const drawn = [...layer.source, ...buildTransform(layer, canvas)];
    if (isWitnessed && !isAlone) {
      drawn.push(`split[seen${index}]`);
      parts.push(`[seen${index}]scale=2:2[witness${index}]`);
      witnesses.push(`[witness${index}]`);
    }
    const input = `[${index}:${layer.stream}]`;
    if (isCovered && index === 0) {
      const lasting = frames === 1 ? [] : [...repeatLast(canvas), `fps=${rate}`];
      parts.push(`${input}${[...drawn, ...lasting].join(',')}[under1]`);
      continue;
    }
    parts.push(
      `${input}${drawn.join(',')}[layer${index}]`,
      `[under${index}][layer${index}]overlay=x=${toPixels(center.x)}-w/2:y=${toPixels(center.y)}-h/2:` +
        `format=gbrp[under${index + 1}]`,
    );
  }
  parts.push(`[under${layers.length}]${[...texts, 'null'].join(',')}[frame]`);
  return { graph: parts.join(';'), witnesses };
}

const SCALING = 'flags=bicubic+accurate_rnd+full_chroma_int';

function buildTransform(layer: Layer, canvas: Canvas): string[] {
  const { clip, time, picture, colors } = layer;
  const { crop, size } = placeClip(clip, picture, canvas);
  const { rotation = 0, opacity = 1 } = clip;
  const isWhole = crop.width === picture.width && crop.height === picture.height;
  const angle = `${rotation}*PI/180`;
  const fades = buildFades(clip, time, canvas.rate);
  const drawn = clip.cropTo
    ? moveCrop({ clip, picture, size, scaling: SCALING, colors }, time, canvas)
    : [
        ...(isWhole ? [] : [`crop=${crop.width}:${crop.height}:${crop.x}:${crop.y}:exact=1`]),
        `scale=${size.width}:${size.height}:${SCALING}${colors}`,
      ];
  return [
    ...drawn,
    'setsar=1',
    // Planes are drawn faster, except by `rotate`.
    ...(rotation === 0
      ? []
      : ['format=rgba', `rotate=${angle}:ow=rotw(${angle}):oh=roth(${angle}):c=none`]),
    isCovering(layer, canvas) ? 'format=gbrp' : 'format=gbrap',
    ...(opacity === 1 ? [] : [`colorchannelmixer=aa=${opacity}`]),
    ...(fades.length === 0 || clip.cropTo ? [] : repeatLast(canvas)),
    ...fades,
  ];
}

const toPixels = (length: number): string => length.toFixed(3);
