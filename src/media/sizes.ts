export type Picture = {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly type: PictureType;
};
export const PICTURE_EXTENSIONS = { 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;
export type PictureType = keyof typeof PICTURE_EXTENSIONS;

export type RenderedImage = {
  readonly thumbnail: Picture;
  readonly preview: Picture;
  readonly thumbhash: Uint8Array;
  /** Size of the full picture as displayed, orientation applied. */
  readonly width: number;
  readonly height: number;
  /** The file is damaged, and only what could be decoded is shown: what the decoder said. */
  readonly damage: string | undefined;
  /** All of it has one colour. */
  readonly isPlain: boolean;
};

/** How a derived picture is encoded. One with transparency becomes a WebP in any case. */
export type PictureFormat = {
  readonly format: 'jpeg' | 'webp';
  /** 1 to 100. */
  readonly quality: number;
  /** Whether a JPEG is progressive. */
  readonly progressive: boolean;
};

export type PictureOutput = PictureFormat & {
  /** The length of the short side, in pixels. */
  readonly size: number;
};

/** The derived pictures of a picture. */
export type ImageOutputs = {
  readonly thumbnail: PictureOutput;
  readonly preview: PictureOutput;
  readonly fullsize: PictureFormat;
  /** Whether the JPEG preview of a Display P3 JPEG stays as wide. */
  readonly keepsDisplayP3: boolean;
};

/** A thumbnail as sharp as a square tile needs; the rest as Immich's. */
export const DEFAULT_OUTPUTS: ImageOutputs = {
  thumbnail: { format: 'webp', size: 250, quality: 80, progressive: false },
  preview: { format: 'jpeg', size: 1440, quality: 80, progressive: false },
  fullsize: { format: 'jpeg', quality: 90, progressive: false },
  keepsDisplayP3: true,
};

export type Size = { readonly width: number; readonly height: number };

/** Returns the nearest length that a picture with shared colours (4:2:0) can have. */
export const toEven = (length: number): number => Math.max(2, 2 * Math.round(length / 2));

/** A header that claims more is a bomb or a scan that needs another machine. */
export const MAX_PIXELS = 300_000_000;

/** The short side is what decides how sharp a picture looks on a tile or a screen. */
export type Bounds = { readonly short: number; readonly long: number };

/** A panorama stops at three times the size. */
export const getPreviewBounds = ({ preview: { size } }: ImageOutputs): Bounds => ({
  short: size,
  long: size * 3,
});
export const getThumbnailBounds = ({ thumbnail: { size } }: ImageOutputs): Bounds => ({
  short: size,
  long: size * 4,
});

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
export function jpegPreviewSize(stored: Size, bounds = getPreviewBounds(DEFAULT_OUTPUTS)): Size {
  for (let eighths = 1; eighths <= 8; eighths++) {
    const scaled = {
      width: Math.ceil((stored.width * eighths) / 8),
      height: Math.ceil((stored.height * eighths) / 8),
    };
    const short = Math.min(scaled.width, scaled.height);
    if (short < bounds.short) continue;
    const fits = Math.max(scaled.width, scaled.height) <= bounds.long;
    return fits && short <= bounds.short * SLACK ? scaled : fitInside(stored, bounds);
  }
  return fitInside(stored, bounds);
}
