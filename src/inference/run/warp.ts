import type { Pixels } from '../types.ts';

/** Maps pixels of the result to pixels of the picture. */
export type Warp = (x: number, y: number) => readonly [x: number, y: number];

/**
 * Warps a picture; each pixel is the mean of `samples`² bilinear samples, more of them the more the
 * picture shrinks. Outside of the picture its edge goes on, or all is black.
 */
export function warp(
  picture: Pixels,
  size: { readonly width: number; readonly height: number },
  samples: number,
  warp: Warp,
  outside: 'edge' | 'black' = 'edge',
): Pixels {
  const { width, height } = size;
  const data = new Uint8Array(width * height * 3);
  const sum = [0, 0, 0];
  const count = samples * samples;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      sum.fill(0);
      for (let sub = 0; sub < count; sub++) {
        const dx = ((sub % samples) + 0.5) / samples;
        const dy = (Math.floor(sub / samples) + 0.5) / samples;
        const [fromX, fromY] = warp(x + dx, y + dy);
        if (outside === 'black' && !isInside(picture, fromX, fromY)) continue;
        addBilinear(picture, fromX - 0.5, fromY - 0.5, sum);
      }
      const at = (y * width + x) * 3;
      for (let channel = 0; channel < 3; channel++) data[at + channel] = sum[channel]! / count;
    }
  }
  return { width, height, data };
}

const isInside = ({ width, height }: Pixels, x: number, y: number): boolean =>
  x >= 0 && y >= 0 && x <= width && y <= height;

function addBilinear({ width, height, data }: Pixels, x: number, y: number, sum: number[]): void {
  const px = Math.max(0, Math.min(width - 1, x));
  const py = Math.max(0, Math.min(height - 1, y));
  const [x0, y0] = [Math.floor(px), Math.floor(py)];
  const [fx, fy] = [px - x0, py - y0];
  const right = x0 + 1 < width ? 3 : 0;
  const below = y0 + 1 < height ? width * 3 : 0;
  const at = (y0 * width + x0) * 3;
  for (let channel = 0; channel < 3; channel++) {
    const here = at + channel;
    const top = data[here]! * (1 - fx) + data[here + right]! * fx;
    const bottom = data[here + below]! * (1 - fx) + data[here + below + right]! * fx;
    sum[channel] = sum[channel]! + top * (1 - fy) + bottom * fy;
  }
}
