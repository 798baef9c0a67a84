/** How pixels are drawn. */
export type PixelFormat = {
  readonly name: 'gbrp' | 'yuv420p';
  readonly transparent: 'gbrap' | 'yuva420p';
  /** That in which `overlay` mixes. */
  readonly mixing: 'gbrp' | 'yuv420';
  /** Options of `scale` to these colours, beginning with a colon. */
  readonly to: string;
  /** Options of `scale` from these colours. */
  readonly from: string;
};

/** sRGB, in which everything can be drawn. */
export const RGB: PixelFormat = {
  name: 'gbrp',
  transparent: 'gbrap',
  mixing: 'gbrp',
  to: '',
  from: '',
};

/** BT.709 as in H.264. */
export const VIDEO: PixelFormat = {
  name: 'yuv420p',
  transparent: 'yuva420p',
  mixing: 'yuv420',
  to: ':out_color_matrix=bt709:out_range=tv:out_h_chr_pos=0:out_v_chr_pos=128',
  from: ':in_color_matrix=bt709:in_range=tv:in_h_chr_pos=0:in_v_chr_pos=128',
};

/** Options of `scale`. */
export const SCALING = 'flags=bicubic+accurate_rnd+full_chroma_int';

/** Moving further than this, what is drawn has fewer pixels than its picture. */
const MAX_ENLARGEMENT = 2;
/** Fewer additional pixels are not worth their time. */
const LEAST_ENLARGEMENT = 1.5;

/**
 * Returns by which factor something is drawn larger than it is shown, so that parts of it stay sharp: `wanted`, as far
 * as its picture has `available` times the pixels.
 */
export function limitEnlargement(wanted: number, available: number): number {
  return available < LEAST_ENLARGEMENT ? 1 : Math.min(wanted, available, MAX_ENLARGEMENT);
}
