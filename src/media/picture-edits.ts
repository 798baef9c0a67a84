import { type Adjustments, UNADJUSTED } from './adjustments.ts';
import { computeEditedSize, type Edit, type Point, transformPoint } from './edits.ts';
import type { Size } from './sizes.ts';
import { computeStraightenedSize, straightenPoint, unstraightenPoint } from './straighten.ts';

/** All that is done to a picture: first the edits, then the adjustments. */
export type PictureEdits = {
  readonly edits: readonly Edit[];
  readonly adjustments: Adjustments;
};

export const UNEDITED: PictureEdits = { edits: [], adjustments: UNADJUSTED };

/** Returns the size of the edited picture in pixels; `source` is that of the unedited one. */
export const computePictureSize = (source: Size, { edits, adjustments }: PictureEdits): Size =>
  computeStraightenedSize(computeEditedSize(source, edits), adjustments.straighten);

/** Whether two lists of edits show the same part of the picture, turned the same way. */
export const isSameGeometry = (one: PictureEdits, other: PictureEdits): boolean =>
  one.adjustments.straighten === other.adjustments.straighten &&
  one.edits.map(toText).join() === other.edits.map(toText).join();

/** The keys of parameters have no order. */
function toText(edit: Edit): string {
  switch (edit.action) {
    case 'crop': {
      const { x, y, width, height } = edit.parameters;
      return `crop ${x} ${y} ${width} ${height}`;
    }
    case 'rotate':
      return `rotate ${edit.parameters.angle}`;
    case 'mirror':
      return `mirror ${edit.parameters.axis}`;
  }
}

export type EditTransition = {
  /** Size in pixels of the unedited picture. */
  readonly source: Size;
  readonly from: PictureEdits;
  readonly to: PictureEdits;
};

/** Maps a point between two edited versions of a photo, as fractions. See `transformPoint`. */
export function movePoint(point: Point, { source, from, to }: EditTransition): Point {
  const upright = unstraightenPoint(
    point,
    computeEditedSize(source, from.edits),
    from.adjustments.straighten,
  );
  const moved = transformPoint(upright, { source, from: from.edits, to: to.edits });
  return straightenPoint(moved, computeEditedSize(source, to.edits), to.adjustments.straighten);
}

/** Corners of a box, as fractions of the picture. */
export type Corners = {
  readonly x1: number;
  readonly y1: number;
  readonly x2: number;
  readonly y2: number;
};

/**
 * Maps an upright box between two edited versions of a photo. A free angle moves its middle and keeps its size in
 * pixels: boxes around turned boxes would grow with each change, and not shrink when it is taken back.
 */
export function moveBox(box: Corners, transition: EditTransition): Corners {
  const { source, from, to } = transition;
  if (from.adjustments.straighten === 0 && to.adjustments.straighten === 0) {
    return moveCorners(box, transition);
  }
  const [before, after] = [computePictureSize(source, from), computePictureSize(source, to)];
  const middle = movePoint({ x: (box.x1 + box.x2) / 2, y: (box.y1 + box.y2) / 2 }, transition);
  const across = (Math.abs(box.x2 - box.x1) * before.width) / 2;
  const down = (Math.abs(box.y2 - box.y1) * before.height) / 2;
  const isTurned = isQuarterTurned(from) !== isQuarterTurned(to);
  const halfWidth = (isTurned ? down : across) / after.width;
  const halfHeight = (isTurned ? across : down) / after.height;
  return {
    x1: middle.x - halfWidth,
    y1: middle.y - halfHeight,
    x2: middle.x + halfWidth,
    y2: middle.y + halfHeight,
  };
}

function moveCorners({ x1, y1, x2, y2 }: Corners, transition: EditTransition): Corners {
  const one = movePoint({ x: x1, y: y1 }, transition);
  const other = movePoint({ x: x2, y: y2 }, transition);
  return {
    x1: Math.min(one.x, other.x),
    y1: Math.min(one.y, other.y),
    x2: Math.max(one.x, other.x),
    y2: Math.max(one.y, other.y),
  };
}

const ORIGIN = { width: 2, height: 1 };

const isQuarterTurned = ({ edits }: PictureEdits): boolean =>
  computeEditedSize(
    ORIGIN,
    edits.filter(({ action }) => action !== 'crop'),
  ).height === 2;
