import { type Size, toEven } from '../../../media/sizes.ts';
import type { StudioRenderRow } from '../../../db/tables/studio.ts';
import { fitFrame } from '../render/frame.ts';

const MOST: Readonly<Record<StudioRenderRow['quality'], Size>> = {
  draft: { width: 640, height: 640 },
  standard: { width: 960, height: 960 },
  full: { width: 1280, height: 1280 },
};

/** The encoder drops frames where it has fewer bits: the bound follows the size. */
const BOUNDS: readonly { readonly pixels: number; readonly kbps: number }[] = [
  { pixels: 640 * 360, kbps: 1200 },
  { pixels: 960 * 540, kbps: 2500 },
];
const MAX_KBPS = 4000;

/** Returns the size of a stream, even as I420 needs it, and its bound. */
export function fitStream(
  canvas: Size,
  viewport: Size,
  quality: StudioRenderRow['quality'],
): { readonly size: Size; readonly maxBitrateKbps: number } {
  const most = MOST[quality];
  const fitted = fitFrame(
    canvas,
    { width: Math.min(viewport.width, most.width), height: Math.min(viewport.height, most.height) },
    quality,
  );
  const size = { width: toEven(fitted.width), height: toEven(fitted.height) };
  const bound = BOUNDS.find(({ pixels }) => size.width * size.height <= pixels);
  return { size, maxBitrateKbps: bound?.kbps ?? MAX_KBPS };
}
