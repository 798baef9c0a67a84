import { fitInside } from '../sizes.ts';

export type Pixels = {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
};

/** Screenshots carry an alpha channel that hides nothing: they make a JPEG like everything else. */
export function flatten(pixels: Pixels): Pixels {
  if (pixels.channels === 3) return pixels;
  const { data, width, height } = pixels;
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return pixels;
  const rgb = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; from < data.length; from += 4) {
    rgb[to++] = data[from]!;
    rgb[to++] = data[from + 1]!;
    rgb[to++] = data[from + 2]!;
  }
  return { data: rgb, width, height, channels: 3 };
}

/**
 * The mean of the pixels of each cell of a coarse grid, with alpha. So few pixels take a pipeline of
 * libvips longer to set up than they take to add.
 */
export function averageCells(pixels: Pixels, side: number) {
  const { width: columns, height: rows } = fitInside(pixels, { short: side, long: side });
  const rgba = new Uint8Array(columns * rows * 4);
  for (let row = 0; row < rows; row++) {
    const [top, bottom] = cell(row, rows, pixels.height);
    for (let column = 0; column < columns; column++) {
      const [left, right] = cell(column, columns, pixels.width);
      const mean = computeMean(pixels, { left, right, top, bottom });
      rgba.set(mean, (row * columns + column) * 4);
    }
  }
  return { data: rgba, width: columns, height: rows };
}

type Box = { left: number; right: number; top: number; bottom: number };

/** Transparent pixels do not count. */
function computeMean({ data, width, channels }: Pixels, { left, right, top, bottom }: Box) {
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const at = (y * width + x) * channels;
      const weight = channels === 4 ? data[at + 3]! : 255;
      red += data[at]! * weight;
      green += data[at + 1]! * weight;
      blue += data[at + 2]! * weight;
      alpha += weight;
    }
  }
  const count = (bottom - top) * (right - left);
  const by = alpha || 1;
  return [red / by, green / by, blue / by, alpha / count].map(Math.round);
}

const cell = (index: number, count: number, size: number): [from: number, to: number] => [
  Math.floor((index * size) / count),
  Math.floor(((index + 1) * size) / count),
];
