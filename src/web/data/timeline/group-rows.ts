import {
  addRow,
  createGrid,
  fillRow,
  fillRows,
  finishGrid,
  type Grid,
  placeItems,
  type Source,
  sumRatios,
} from './fill-rows.ts';
import {
  BAND_GAP,
  GROUP_GAP,
  HEAD_HEIGHT,
  HEAD_WIDTH,
  type Head,
  type Rows,
  type Shape,
} from './layout.ts';

/** A row of several groups is made at most so much lower or higher, to end at the right edge. */
const MOST_SHRINK = 1.25;

/**
 * Lays out groups of pictures below their headings. Groups of less than a row share one, side by side; such a row is
 * stretched or shrunk to fill the width, unless no other short group follows.
 * Group g holds the items starts[g] … starts[g + 1] - 1; no group is empty.
 */
export function groupRows(
  ratios: ArrayLike<number>,
  starts: ArrayLike<number>,
  width: number,
  shape: Shape,
): Rows {
  const grid = createGrid(ratios.length);
  const source = { ratios, width, shape };
  const heads: Head[] = [];
  let bottom = -BAND_GAP;
  for (let group = 0; group + 1 < starts.length;) {
    const top = bottom + BAND_GAP;
    const band = fillBand(source, starts, group);
    if (band.groups.length === 0) {
      heads.push({ left: 0, top, width });
      bottom = fillRows(grid, source, starts[group]!, starts[group + 1]!, top + HEAD_HEIGHT);
      group++;
    } else {
      heads.push(...placeBand(grid, source, band, top));
      bottom = top + HEAD_HEIGHT + Math.round(band.height);
      group += band.groups.length;
    }
  }
  return finishGrid(grid, heads, bottom);
}

/** A group of less than a row. */
type ShortGroup = { start: number; end: number; ratioSum: number; gaps: number };
/** Groups beside each other, in one row. `isFull`: it ends at the right edge. */
type Band = { groups: readonly ShortGroup[]; height: number; isFull: boolean };

/** Returns the groups from `first` on that share a row; none if the first one is longer than that. */
function fillBand(source: Source, starts: ArrayLike<number>, first: number): Band {
  const { rowHeight } = source.shape;
  const groups: ShortGroup[] = [];
  let edge = 0;
  for (let group = first; group + 1 < starts.length; group++) {
    const next = toShortGroup(source, starts[group]!, starts[group + 1]!);
    if (!next) break;
    const room = computeGroupWidth(next, rowHeight);
    if (edge + room > source.width) return closeBand(source, groups, next);
    groups.push(next);
    edge += room + GROUP_GAP;
  }
  return { groups, height: rowHeight, isFull: false };
}

/** Takes the next group in or leaves it out, whichever comes closer to the wanted height. */
function closeBand(source: Source, groups: readonly ShortGroup[], next: ShortGroup): Band {
  const { rowHeight } = source.shape;
  const all = [...groups, next];
  const lower = fitHeight(all, source.width);
  const higher = fitHeight(groups, source.width);
  const isLowerFine = lower * MOST_SHRINK >= rowHeight;
  const isHigherFine = groups.length > 0 && higher <= rowHeight * MOST_SHRINK;
  if (isLowerFine && !(isHigherFine && higher / rowHeight < rowHeight / lower)) {
    return { groups: all, height: lower, isFull: true };
  }
  return { groups, height: isHigherFine ? higher : rowHeight, isFull: isHigherFine };
}

/** Returns the height at which the groups fill the width: 0, or Infinity, where their headings do not fit, or fill it. */
function fitHeight(groups: readonly ShortGroup[], width: number): number {
  let free = width - GROUP_GAP * (groups.length - 1);
  let rest = groups;
  for (;;) {
    if (rest.length === 0) return free < 0 ? 0 : Infinity;
    const gaps = rest.reduce((sum, group) => sum + group.gaps, 0);
    const ratioSum = rest.reduce((sum, group) => sum + group.ratioSum, 0);
    const height = (free - gaps) / ratioSum;
    const wide = rest.filter((group) => group.ratioSum * height + group.gaps > HEAD_WIDTH);
    if (wide.length === rest.length) return height;
    free -= HEAD_WIDTH * (rest.length - wide.length);
    rest = wide;
  }
}

function toShortGroup(source: Source, start: number, end: number): ShortGroup | undefined {
  const row = fillRow(source, start, end);
  if (row.end !== end || row.isFull) return undefined;
  const ratioSum = sumRatios(source.ratios, start, end);
  return { start, end, ratioSum, gaps: source.shape.gap * (end - start - 1) };
}

const computeGroupWidth = ({ ratioSum, gaps }: ShortGroup, height: number): number =>
  Math.max(Math.round(ratioSum * height) + gaps, HEAD_WIDTH);

/** Adds the row of a band. Returns the headings of its groups. */
function placeBand(
  grid: Grid,
  source: Source,
  { groups, height, isFull }: Band,
  top: number,
): Head[] {
  const start = groups[0]!.start;
  addRow(grid, start, top + HEAD_HEIGHT, Math.round(height));
  let left = 0;
  return groups.map((group, at) => {
    const isLast = at === groups.length - 1;
    const wanted = computeGroupWidth(group, height);
    // Widths are rounded: the last group takes what that leaves.
    const width = isLast && isFull ? source.width - left : wanted;
    const isFilled = wanted > HEAD_WIDTH;
    const scale = isFilled ? (width - group.gaps) / group.ratioSum : height;
    placeItems(grid, source, group, left, scale);
    const head = { left, top, width };
    left += width + GROUP_GAP;
    return head;
  });
}
