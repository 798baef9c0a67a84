import { profileKind } from './icc.ts';
import { readJpegHeader } from './jpeg.ts';

/**
 * Returns the ffmpeg filter from a preview to sRGB without transparent parts. Previews are in sRGB, or name
 * Display P3; those in WebP have transparent parts.
 */
export async function buildStillColors(path: string, format: string): Promise<string> {
  if (format === 'webp') return ON_WHITE;
  const icc = format === 'jpeg' ? (await readJpegHeader(path))?.icc : undefined;
  return icc && profileKind(icc) === 'display-p3' ? FROM_DISPLAY_P3 : 'null';
}

/** Transparent parts of a negative become black. */
const ON_WHITE = 'format=gbrap,negate=negate_alpha=0,premultiply=inplace=1,format=gbrp,negate';
const FROM_DISPLAY_P3 = 'format=gbrp,zscale=pin=smpte432:tin=iec61966-2-1:p=bt709:t=iec61966-2-1';
