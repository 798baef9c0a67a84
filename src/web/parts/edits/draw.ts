import { adjustPixels } from '../../../media/adjusted-pixels.ts';
import type { Adjustments } from '../../../media/adjustments.ts';
import { computeStraightenedSize, computeStraightenScale } from '../../../media/straighten.ts';
import type { Edits, Size } from '../../data/edits/edit-data.ts';
import { WHOLE } from './geometry.ts';

/** The parts of the picture that are shown, and how they are turned. */
export type Geometry = { edits: Edits; straighten: number };

/** The size of the picture once it is cut and turned, before it is straightened. */
function getTurnedSize({ cut = WHOLE, angle }: Edits, { width, height }: Size): Size {
  const [across, down] = [cut.width * width, cut.height * height];
  return angle % 180 === 0 ? { width: across, height: down } : { width: down, height: across };
}

/** The size of what is shown of a picture of `size`. */
export const getShownSize = ({ edits, straighten }: Geometry, size: Size): Size =>
  computeStraightenedSize(getTurnedSize(edits, size), straighten);

/** Draws what is shown of a picture into pixels. Throws where the browser has no canvas. */
export function drawPixels(image: HTMLImageElement, geometry: Geometry, to: Size): ImageData {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [to.width, to.height];
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('2D canvas is not supported');
  const { edits, straighten } = geometry;
  const { cut = WHOLE, angle, isMirrored } = edits;
  const size = { width: image.naturalWidth, height: image.naturalHeight };
  const turned = getTurnedSize(edits, size);
  const scale = to.width / (turned.width * computeStraightenScale(turned, straighten));
  context.imageSmoothingQuality = 'high';
  context.translate(to.width / 2, to.height / 2);
  context.rotate((straighten * Math.PI) / 180);
  context.scale(isMirrored ? -scale : scale, scale);
  context.rotate((angle * Math.PI) / 180);
  const [width, height] = [cut.width * size.width, cut.height * size.height];
  context.drawImage(
    image,
    cut.x * size.width,
    cut.y * size.height,
    width,
    height,
    -width / 2,
    -height / 2,
    width,
    height,
  );
  return context.getImageData(0, 0, to.width, to.height);
}

/** Shows pixels with other light and colour; they themselves stay as they are. */
export function showAdjusted(
  canvas: HTMLCanvasElement,
  pixels: ImageData,
  adjustments: Adjustments,
): void {
  const shown = new ImageData(new Uint8ClampedArray(pixels.data), pixels.width, pixels.height);
  adjustPixels(shown.data, 4, adjustments);
  [canvas.width, canvas.height] = [pixels.width, pixels.height];
  canvas.getContext('2d')?.putImageData(shown, 0, 0);
}
