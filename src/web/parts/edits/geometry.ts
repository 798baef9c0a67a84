import type { Cut, Edits } from '../../data/edits/edit-data.ts';

export const WHOLE: Cut = { x: 0, y: 0, width: 1, height: 1 };
/** So small a cut can be, of the picture. */
const LEAST = 0.04;

export type Handle = 'nw' | 'ne' | 'sw' | 'se' | 'move';

/** A step on the screen as a step in the picture, which is turned and then mirrored there. */
export function stepInPicture(
  dx: number,
  dy: number,
  { angle, isMirrored }: Pick<Edits, 'angle' | 'isMirrored'>,
): [number, number] {
  const x = isMirrored ? -dx : dx;
  switch (angle) {
    case 0:
      return [x, dy];
    case 90:
      return [dy, -x];
    case 180:
      return [-x, -dy];
    case 270:
      return [-dy, x];
  }
}

/** After a handle was dragged, by parts of the picture. */
export function dragCut(cut: Cut, handle: Handle, dx: number, dy: number): Cut {
  if (handle === 'move') {
    const x = clamp(cut.x + dx, 0, 1 - cut.width);
    const y = clamp(cut.y + dy, 0, 1 - cut.height);
    return { ...cut, x, y };
  }
  let [left, top] = [cut.x, cut.y];
  let [right, bottom] = [cut.x + cut.width, cut.y + cut.height];
  if (handle.endsWith('w')) left = clamp(left + dx, 0, right - LEAST);
  else right = clamp(right + dx, left + LEAST, 1);
  if (handle.startsWith('n')) top = clamp(top + dy, 0, bottom - LEAST);
  else bottom = clamp(bottom + dy, top + LEAST, 1);
  return { x: left, y: top, width: right - left, height: bottom - top };
}

const clamp = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, value));

/** The largest cut of a shape (width by height as it is seen), in the middle. `ratio`: of the picture. */
export function centerCut(shape: number, ratio: number, angle: Edits['angle']): Cut {
  const wanted = angle % 180 === 0 ? shape : 1 / shape;
  const width = Math.min(1, wanted / ratio);
  const height = Math.min(1, ratio / wanted);
  return { x: (1 - width) / 2, y: (1 - height) / 2, width, height };
}

export const isWhole = ({ x, y, width, height }: Cut): boolean =>
  x < 0.001 && y < 0.001 && width > 0.998 && height > 0.998;
