import { LAYOUT_SIDE, type Layout, type LayoutCell, type Pixels } from '../types.ts';

/** Points of each cell that are looked at, along each side. */
const POINTS = 8;

/** Returns the mean colours of a picture, cell by cell. */
export function computeLayout(picture: Pixels): Layout {
  return Array.from({ length: LAYOUT_SIDE * LAYOUT_SIDE }, (_, at) =>
    computeCell(picture, at % LAYOUT_SIDE, Math.floor(at / LAYOUT_SIDE)),
  );
}

function computeCell({ width, height, data }: Pixels, column: number, row: number): LayoutCell {
  let [red, green, blue, light, squares] = [0, 0, 0, 0, 0];
  const side = LAYOUT_SIDE * POINTS;
  for (let point = 0; point < POINTS * POINTS; point++) {
    const x = column * POINTS + (point % POINTS);
    const y = row * POINTS + Math.floor(point / POINTS);
    const at =
      (Math.floor(((y + 0.5) * height) / side) * width + Math.floor(((x + 0.5) * width) / side)) *
      3;
    const [r = 0, g = 0, b = 0] = data.subarray(at, at + 3);
    red += r;
    green += g;
    blue += b;
    const luminance = 0.299 * r + 0.587 * g + 0.114 * b;
    light += luminance;
    squares += luminance * luminance;
  }
  const count = POINTS * POINTS;
  const variance = Math.max(0, squares / count - (light / count) ** 2);
  const round = (sum: number) => Math.round(sum / count);
  return [round(red), round(green), round(blue), Math.round(Math.sqrt(variance))];
}
