import type { Size } from '../../../media/sizes.ts';
import { FULL_CROP } from '../projects/document.ts';
import type { Canvas, Layer } from './graph.ts';
import { limitEnlargement, RGB, SCALING, VIDEO } from './pixel-format.ts';

/** The ground is blurred at this height and then enlarged: nobody sees the difference. */
const GROUND_HEIGHT = 108;
const GROUND_SIGMA = 6;
const GROUND_LIGHT = 0.6;

/** Returns the filter that multiplies the light of frames in RGB. */
export const dim = (factor: number): string =>
  `colorchannelmixer=rr=${factor}:gg=${factor}:bb=${factor}`;

/**
 * Returns a layer whose picture has the shape of the canvas: the whole source, in front of itself, blurred. `name` is
 * for its streams in the graph.
 */
export function surroundLayer(layer: Layer, canvas: Canvas, name: string): Layer {
  const { clip, picture, source, colors } = layer;
  if (clip.surround === undefined) return layer;
  const format = canvas.isForVideo && !layer.isOtherMatrix ? VIDEO : RGB;
  const size = getSurroundedSize(layer, canvas);
  const front = fit(picture, size, Math.min);
  const width = Math.max(2, Math.round((canvas.width / canvas.height) * GROUND_HEIGHT));
  const ground = { width, height: GROUND_HEIGHT };
  const cover = fit(picture, ground, Math.max);
  const chain = [
    ...source,
    `scale=${front.width}:${front.height}:${SCALING}${colors}${format.to}`,
    'setsar=1',
    `format=${format.name}`,
  ];
  const behind = [
    `scale=${cover.width}:${cover.height}:${SCALING}${format.from}`,
    'format=gbrp',
    `crop=${ground.width}:${ground.height}`,
    `gblur=sigma=${GROUND_SIGMA}`,
    dim(GROUND_LIGHT),
    // Small, it is converted in no time.
    `scale=${SCALING}${format.to}`,
    `format=${format.name}`,
    `scale=${size.width}:${size.height}:${SCALING}`,
    'setsar=1',
  ];
  const graph =
    `${chain.join(',')},split[${name}front][${name}part];` +
    `[${name}part]${behind.join(',')}[${name}ground];` +
    `[${name}ground][${name}front]overlay=x=(W-w)/2:y=(H-h)/2:format=${format.mixing}`;
  return { ...layer, picture: size, source: [graph], colors: format.from, isOpaque: true };
}

/** Returns the canvas, larger where only a part of it is shown and the picture has more pixels. */
function getSurroundedSize({ clip, picture }: Pick<Layer, 'clip' | 'picture'>, canvas: Size): Size {
  const { crop = FULL_CROP, cropTo = crop } = clip;
  const least = Math.min(crop.width, crop.height, cropTo.width, cropTo.height);
  const factor = limitEnlargement(1 / least, picture.width / fit(picture, canvas, Math.min).width);
  return { width: Math.ceil(canvas.width * factor), height: Math.ceil(canvas.height * factor) };
}

/** Scales a size so that it lies within another, or covers it. */
function fit(picture: Size, frame: Size, choose: (...shares: number[]) => number): Size {
  const share = choose(frame.width / picture.width, frame.height / picture.height);
  const scale = (length: number) => Math.max(1, Math.round(length * share));
  return { width: scale(picture.width), height: scale(picture.height) };
}
