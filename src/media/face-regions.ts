import type { RawTags } from './exiftool-answer.ts';
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

/** Edges, as shares of the picture. */
type Edges = { x1: number; y1: number; x2: number; y2: number };

/**
 * Returns the faces of the Metadata Working Group (digiKam, Picasa, Lightroom), else those of Windows; undefined where
 * there is no list of either. `file` has the size and the orientation of the picture.
 */
export function parseFaceRegions(tags: RawTags, file: RawTags): FaceRegion[] | undefined {
  const info = toRecord(tags['RegionInfo']);
  const windows = toRecord(tags['RegionInfoMP']);
  const entries = info
    ? toRegions(info['RegionList'], readArea)
    : toRegions(windows?.['Regions'], readRectangle);
  if (!info && !windows) return undefined;
  const orientation = toNumberWithin(file['Orientation'], 1, 8) ?? 1;
  const turns = !isTurned(toRecord(info?.['AppliedToDimensions']), file);
  return entries.flatMap(({ edges, name }) => {
    const { x1, y1, x2, y2 } = cut(turns ? turn(edges, orientation) : edges);
    if (x1 >= x2 || y1 >= y2) return [];
    return { name, x: x1, y: y1, width: x2 - x1, height: y2 - y1 };
  });
}

type Region = { readonly name: string | undefined; readonly edges: Edges };

const toRegions = (
  list: unknown,
  read: (region: Readonly<Record<string, unknown>>) => Region | undefined,
): Region[] =>
  toList(list, MAX_REGIONS).flatMap((entry) => {
    const region = toRecord(entry);
    return (region && read(region)) ?? [];
  });

/** The middle and the size of the box. */
function readArea(region: Readonly<Record<string, unknown>>): Region | undefined {
  const area = toRecord(region['Area']);
  const kind = toText(region['Type'], 20) ?? 'Face';
  if (!area || kind !== 'Face' || (area['Unit'] ?? 'normalized') !== 'normalized') return undefined;
  const [x, y, w, h] = ['X', 'Y', 'W', 'H'].map((key) => toShare(area[key]));
  if (x === undefined || y === undefined || w === undefined || h === undefined) return undefined;
  const edges = { x1: x - w / 2, y1: y - h / 2, x2: x + w / 2, y2: y + h / 2 };
  return { name: toText(region['Name'], 200), edges };
}

/** The corner and the size of the box: '0.1, 0.2, 0.3, 0.4'. */
function readRectangle(region: Readonly<Record<string, unknown>>): Region | undefined {
  const [x, y, w, h] = (toText(region['Rectangle'], 200) ?? '').split(',').map(toShare);
  if (x === undefined || y === undefined || w === undefined || h === undefined) return undefined;
  const edges = { x1: x, y1: y, x2: x + w, y2: y + h };
  return { name: toText(region['PersonDisplayName'], 200), edges };
}

/** A box may go beyond the picture. */
const toShare = (value: unknown) => toNumberWithin(value, -1, 2);

const cut = ({ x1, y1, x2, y2 }: Edges): Edges => {
  const clamp = (share: number) => Math.min(1, Math.max(0, share));
  return { x1: clamp(x1), y1: clamp(y1), x2: clamp(x2), y2: clamp(y2) };
};

/** Whether the size that the regions were made for is that of the displayed picture, and not that of the stored one. */
function isTurned(applied: Readonly<Record<string, unknown>> | undefined, file: RawTags): boolean {
  const [w, h] = [toNumberWithin(applied?.['W'], 1, 1e6), toNumberWithin(applied?.['H'], 1, 1e6)];
  const [width, height] = ['ImageWidth', 'ImageHeight'].map((tag) =>
    toNumberWithin(file[tag], 1, 1e6),
  );
  if (!w || !h || !width || !height) return false;
  return w !== h && width !== height && w > h !== width > height;
}

/** The turn that EXIF orientation asks of the viewer. */
function turn({ x1, y1, x2, y2 }: Edges, orientation: number): Edges {
  switch (orientation) {
    case 2:
      return { x1: 1 - x2, y1, x2: 1 - x1, y2 };
    case 3:
      return { x1: 1 - x2, y1: 1 - y2, x2: 1 - x1, y2: 1 - y1 };
    case 4:
      return { x1, y1: 1 - y2, x2, y2: 1 - y1 };
    case 5:
      return { x1: y1, y1: x1, x2: y2, y2: x2 };
    case 6:
      return { x1: 1 - y2, y1: x1, x2: 1 - y1, y2: x2 };
    case 7:
      return { x1: 1 - y2, y1: 1 - x2, x2: 1 - y1, y2: 1 - x1 };
    case 8:
      return { x1: y1, y1: 1 - x2, x2: y2, y2: 1 - x1 };
    default:
      return { x1, y1, x2, y2 };
  }
}
