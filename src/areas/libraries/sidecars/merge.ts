import { rm, writeFile } from 'node:fs/promises';
import type { Deps } from '../../../core/context.ts';
import { type ExifTool } from '../../../media/exiftool.ts';
import { readTags, toTagValue } from '../../../media/words.ts';
import { formatXmp, NO_VALUES, type SidecarValues } from '../../../media/xmp.ts';
import { createScratchPath, getExifTool } from '../../assets/index.ts';
import type { DueChange } from './sidecars.store.ts';

/** Tags of ExifTool that a sidecar may have of a field. Those that we do not write would contradict ours. */
const TAGS = {
  date: ['XMP-exif:DateTimeOriginal', 'XMP-photoshop:DateCreated'],
  description: ['XMP-tiff:ImageDescription'],
  place: [
    ...['GPSLatitude', 'GPSLongitude', 'GPSAltitude', 'GPSAltitudeRef'].map(
      (name) => `XMP-exif:${name}`,
    ),
    ...['City', 'State', 'Country'].map((name) => `XMP-photoshop:${name}`),
    'XMP-iptcCore:Location',
    'XMP-iptcCore:CountryCode',
  ],
  rating: ['XMP-xmp:Rating', 'XMP-xmp:RatingPercent', 'XMP-microsoft:RatingPercent'],
  tags: [
    'XMP-dc:Subject',
    'XMP-lr:HierarchicalSubject',
    'XMP-digiKam:TagsList',
    'XMP-microsoft:LastKeywordXMP',
    'XMP-mediapro:CatalogSets',
  ],
} as const;

const EMPTY = formatXmp(NO_VALUES);

/** All that formatXmp writes. Without its language a description would replace those in other languages. */
const COPIED = [
  ...['exif', 'lr', 'photoshop', 'xmp'].map((group) => `-XMP-${group}:all`),
  '-XMP-dc:Subject',
  '-XMP-dc:Description-x-default<XMP-dc:Description',
];

/**
 * Returns a sidecar with what was changed, and all else as it is in `existing`; undefined if there is none and
 * nothing to write. Throws MediaError for an existing one that is no XMP.
 */
export async function mergeSidecar(
  deps: Deps,
  existing: Uint8Array | undefined,
  values: SidecarValues,
  change: DueChange,
): Promise<Uint8Array | undefined> {
  if (!existing) {
    const text = formatXmp(pickChanged(values, change, values.tags));
    return text === EMPTY ? undefined : Buffer.from(text);
  }
  const paths = await Promise.all(
    ['xmp', 'xmp', 'xmp'].map((extension) => createScratchPath(deps.paths, extension)),
  );
  const [base = '', added = '', merged = ''] = paths;
  try {
    await writeFile(base, existing, { mode: 0o600 });
    const exiftool = getExifTool(deps.paths);
    const picked = pickChanged(values, change, await mergeTags(exiftool, base, values, change));
    const text = formatXmp(picked);
    await writeFile(added, text, { mode: 0o600 });
    const copied = text === EMPTY ? [] : ['-tagsFromFile', added, ...COPIED];
    await exiftool.rewrite(base, [...toDeletions(change, picked), ...copied], merged);
    return await Bun.file(merged).bytes();
  } finally {
    for (const path of paths) await rm(path, { force: true });
  }
}

const hasTags = ({ tagsAdded, tagsRemoved }: DueChange): boolean =>
  tagsAdded.length + tagsRemoved.length > 0;

function pickChanged(
  values: SidecarValues,
  change: DueChange,
  tags: readonly string[],
): SidecarValues {
  const { localTakenAt, offsetMinutes, latitude, longitude, city, state, country } = values;
  const has = (field: string) => change.fields.includes(field);
  return {
    ...NO_VALUES,
    ...(has('date') && { localTakenAt, offsetMinutes }),
    ...(has('place') && { latitude, longitude, city, state, country }),
    ...(has('rating') && { rating: values.rating }),
    ...(has('description') && { description: values.description }),
    ...(hasTags(change) && { tags }),
  };
}

/** Other programs may have added tags to the sidecar that were never read: those stay. */
async function mergeTags(
  exiftool: ExifTool,
  base: string,
  values: SidecarValues,
  change: DueChange,
): Promise<string[]> {
  if (!hasTags(change)) return [];
  const known = readTags(await exiftool.read(base));
  const paths = [
    ...(known.length > 0 ? known : values.tags),
    ...values.tags.filter((path) => change.tagsAdded.includes(toTagValue(path))),
  ];
  const kept = paths.filter((path) => !change.tagsRemoved.includes(toTagValue(path)));
  return [...Map.groupBy(kept, toTagValue).values()].flatMap(([path]) => path ?? []);
}

function toDeletions(change: DueChange, picked: SidecarValues): string[] {
  const fields = (Object.keys(TAGS) as (keyof typeof TAGS)[]).filter((field) =>
    field === 'tags' ? hasTags(change) : change.fields.includes(field),
  );
  const names: string[] = fields.flatMap((field) => TAGS[field]);
  // With a new description those in other languages stay.
  if (change.fields.includes('description') && picked.description === '') {
    names.push('XMP-dc:Description');
  }
  return names.map((name) => `-${name}=`);
}
