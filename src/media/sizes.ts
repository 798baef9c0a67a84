export type Picture = {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
};

export type RenderedImage = {
  /** WebP. */
  readonly thumbnail: Picture;
  readonly preview: Picture & { readonly type: 'image/jpeg' | 'image/webp' };
  readonly thumbhash: Uint8Array;
  /** Size of the full picture as displayed, orientation applied. */
  readonly width: number;
  readonly height: number;
  /** The file is damaged, and only what could be decoded is shown: what the decoder said. */
  readonly damage: string | undefined;
};

export type Size = { readonly width: number; readonly height: number };

/** A header that claims more is a bomb or a scan that needs another machine. */
export const MAX_PIXELS = 300_000_000;

/** The short side is what decides how sharp a picture looks on a tile or a screen. */
type Bounds = { readonly short: number; readonly long: number };

/** As Immich's: 1440 on the short side; a panorama stops at three times that. */
export const PREVIEW: Bounds = { short: 1440, long: 4320 };
/** 250 on the short side, so that a square tile is sharp. */
export const THUMBNAIL: Bounds = { short: 250, long: 1000 };

/** Returns the size within the bounds; never enlarges. */
export function fitInside({ width, height }: Size, { short, long }: Bounds): Size {
  const scale = Math.min(1, short / Math.min(width, height), 1e9);
  const bounded = Math.min(scale, Math.max(long / Math.max(width, height), 0));
  return {
    width: Math.max(1, Math.round(width * bounded)),
    height: Math.max(1, Math.round(height * bounded)),
  };
}

/**
 * The decoder of JPEG scales by eighths almost for free. A preview up to this much over its size is
 * kept as the decoder gives it: scaling it again would cost a fifth of all the time and some of the
 * sharpness.
 */
const SLACK = 1.08;

/** The size of the preview of a JPEG; `stored` is as in the file, before it is turned. */
export function jpegPreviewSize(stored: Size): Size {
  for (let eighths = 1; eighths <= 8; eighths++) {
    const scaled = {
      width: Math.ceil((stored.width * eighths) / 8),
      height: Math.ceil((stored.height * eighths) / 8),
    };
    const short = Math.min(scaled.width, scaled.height);
    if (short < PREVIEW.short) continue;
    const fits = Math.max(scaled.width, scaled.height) <= PREVIEW.long;
    return fits && short <= PREVIEW.short * SLACK ? scaled : fitInside(stored, PREVIEW);
  }
  return fitInside(stored, PREVIEW);
}
