import { toList, toNumberWithin, toRecord, toText } from './tag-values.ts';

/** A named face, as a share of the displayed picture, from its top left corner. */
export type FaceRegion = {
  readonly name: string | undefined;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

const MAX_REGIONS = 200;

type Box = { x: number; y: number; w: number; h: number };

/**
 * Parses Metadata Working Group regions. They are stored in the unrotated picture's coordinates,
 * with x and y at the centre.
 */
export function parseFaceRegions(info: unknown, orientation: number): FaceRegion[] {
  return toList(toRecord(info)?.['RegionList'], MAX_REGIONS).flatMap((entry) => {
    const region = toRecord(entry);
    const box = toBox(toRecord(region?.['Area']));
    const kind = toText(region?.['Type'], 20) ?? 'Face';
    if (!box || kind !== 'Face') return [];
    const { x, y, w, h } = turn(box, orientation);
    const [left, top] = [Math.max(0, x - w / 2), Math.max(0, y - h / 2)];
    return {
      name: toText(region?.['Name'], 200),
      x: left,
      y: top,
      width: Math.min(w, 1 - left),
      height: Math.min(h, 1 - top),
    };
  });
}

function toBox(area: Readonly<Record<string, unknown>> | undefined): Box | undefined {
  if (!area || (area['Unit'] !== undefined && area['Unit'] !== 'normalized')) return undefined;
  const [x, y, w, h] = ['X', 'Y', 'W', 'H'].map((key) => toNumberWithin(area[key], 0, 1));
  return x === undefined || y === undefined || !w || !h ? undefined : { x, y, w, h };
}

/** The turn that EXIF orientation asks of the viewer, on a centre and a size in shares. */
function turn({ x, y, w, h }: Box, orientation: number): Box {
  switch (orientation) {
    case 2:
      return { x: 1 - x, y, w, h };
    case 3:
      return { x: 1 - x, y: 1 - y, w, h };
    case 4:
      return { x, y: 1 - y, w, h };
    case 5:
      return { x: y, y: x, w: h, h: w };
    case 6:
      return { x: 1 - y, y: x, w: h, h: w };
    case 7:
      return { x: 1 - y, y: 1 - x, w: h, h: w };
    case 8:
      return { x: y, y: 1 - x, w: h, h: w };
    default:
      return { x, y, w, h };
  }
}
