import { type CaptureTime, resolveCaptureTime } from './capture-time.ts';
import type { DateSource } from './date-rules.ts';
import type { RawTags } from './exiftool-answer.ts';
import type { ExifTool } from './exiftool.ts';
import { type FaceRegion, parseFaceRegions } from './face-regions.ts';
import { getMediaType } from './formats.ts';
import { readHeifPrimary } from './heif.ts';
import type { MetadataOptions } from './metadata-options.ts';
import {
  toIntegerWithin,
  toList,
  toNumber,
  toNumberWithin,
  toRecord,
  toText,
} from './tag-values.ts';
import {
  type GarbledTag,
  joinTags,
  listGarbledTags,
  readComment,
  readDescription,
  readRating,
  readTags,
} from './words.ts';

/** Metadata of a file: bounded and safe to store; everything else is omitted. */
export type MediaMetadata = CaptureTime & {
  /** By content, which may differ from the file name: 'HEIC', 'image/heic'. */
  readonly fileType: string | undefined;
  readonly mimeType: string | undefined;
  readonly fileSize: number | undefined;
  /** As displayed: orientation applied. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** EXIF 1 to 8, as stored in the file. */
  readonly orientation: number | undefined;
  readonly durationMs: number | undefined;
  readonly fps: number | undefined;
  readonly codec: string | undefined;
  readonly make: string | undefined;
  readonly model: string | undefined;
  readonly lensModel: string | undefined;
  readonly fNumber: number | undefined;
  /** Millimetres. */
  readonly focalLength: number | undefined;
  readonly iso: number | undefined;
  /** Seconds as people write them: '1/250', '0.5', '30'. */
  readonly exposureTime: string | undefined;
  readonly latitude: number | undefined;
  readonly longitude: number | undefined;
  /** 1 to 5; 0 unrated; -1 rejected. */
  readonly rating: number | undefined;
  readonly description: string | undefined;
  readonly projectionType: string | undefined;
  readonly colorspace: string | undefined;
  readonly bitsPerSample: number | undefined;
  readonly profileDescription: string | undefined;
  /** Apple's name for a live photo: the same on the photo and on its video. */
  readonly contentIdentifier: string | undefined;
  readonly burstId: string | undefined;
  readonly motionPhoto: MotionPhoto | undefined;
  /** Paths from the root: 'Travel|Japan'. */
  readonly tags: readonly string[];
  readonly garbledTags: readonly GarbledTag[];
  readonly faces: readonly FaceRegion[];
};

/** A file says that it is a motion photo. */
export type MotionPhoto = {
  /** Where its video begins, in bytes before the end of the file; undefined: it has to be looked for. */
  readonly fromEnd?: number | undefined;
};

const MAX_SIZE = 1_000_000;

/** Reads with exiftool. A file without metadata is no error; throws MediaError when unreadable. */
export async function readMetadata(
  exiftool: ExifTool,
  path: string,
  options: MetadataOptions,
): Promise<MediaMetadata> {
  const own = await withTurn(path, await exiftool.read(path));
  if (options.sidecarPath === undefined) return toMetadata(own, options);
  return toMetadata(own, options, await exiftool.read(options.sidecarPath));
}

/**
 * HEIF is turned by boxes of its own; the EXIF beside them is a copy or stale. Some phones write the EXIF alone, which
 * browsers do not obey in an AVIF, of which they get the file.
 */
async function withTurn(path: string, tags: RawTags): Promise<RawTags> {
  if (!/^image\/(hei[cf]|avif)/.test(toText(tags['MIMEType'], 100) ?? '')) return tags;
  const turn = (await readHeifPrimary(path))?.turn;
  if (turn === undefined && tags['MIMEType'] !== 'image/avif') return tags;
  return { ...tags, Orientation: turn };
}

/** Tags of a sidecar that describe the sidecar file itself, or the pixels, which are turned by their own file only. */
const FILE_TAGS = [
  'SourceFile',
  'FileType',
  'MIMEType',
  'FileSize',
  'Error',
  'Directory',
  'ImageWidth',
  'ImageHeight',
  'Orientation',
  'Rotation',
  // When somebody wrote the sidecar.
  'ModifyDate',
];

const omit = (tags: RawTags, names: readonly string[]): RawTags =>
  Object.fromEntries(Object.entries(tags).filter(([name]) => !names.includes(name)));

/**
 * The part without a file, for tests of single rules. What a sidecar tells of a field replaces what the file tells of
 * it: never half of a position, and a list as a whole.
 */
export function toMetadata(
  own: RawTags,
  options: MetadataOptions,
  sidecar: RawTags = {},
): MediaMetadata {
  const beside = omit(sidecar, FILE_TAGS);
  const tags = { ...own, ...beside };
  const read = <T>(field: (tags: RawTags) => T | undefined) => field(beside) ?? field(own);
  const mimeType = toText(tags['MIMEType'], 100);
  // MXF is an application.
  const kind = /^(audio|image|video)\//.exec(mimeType ?? '')?.[1]?.toUpperCase();
  const type = kind ?? getMediaType(options.fileName);
  const isVideo = type === 'VIDEO';
  const isFilm = isVideo || type === 'AUDIO';
  const position = read(readPosition) ?? options.supplement?.position;
  const exportTime = options.supplement?.takenAt;
  const trustsExport = options.supplement?.trustsDate;
  const dates = { ...options, isFilm, position, exportTime, trustsExport };
  const orientation = toIntegerWithin(tags['Orientation'], 1, 8);
  return {
    ...resolveCaptureTime(own, dates, beside),
    ...readFileTags(tags, mimeType),
    ...readSize(tags, orientation, mimeType),
    ...(isFilm ? readVideoTags(tags) : NO_VIDEO),
    ...readCameraTags(tags),
    latitude: position?.latitude,
    longitude: position?.longitude,
    orientation,
    rating: read(readRating),
    description: read(readDescription) ?? read(readComment) ?? options.supplement?.description,
    projectionType: readProjection(tags),
    contentIdentifier: toText(tags['ContentIdentifier'] ?? tags['MediaGroupUUID'], 100),
    burstId: toText(tags['BurstUUID'] ?? tags['BurstID'], 100),
    // A sidecar may be that of the file before its video was cut off.
    motionPhoto: isVideo ? undefined : findMotionVideo(own),
    tags: joinTags(readTags(own), readTags(beside)),
    garbledTags: listGarbledTags(own),
    faces: read((source) => parseFaceRegions(source, own)) ?? [],
  };
}

const readFileTags = (tags: RawTags, mimeType: string | undefined) => ({
  fileType: toText(tags['FileType'], 50),
  mimeType,
  fileSize: toIntegerWithin(tags['FileSize'], 0, Number.MAX_SAFE_INTEGER),
  // A camera set to Adobe RGB says so by this index only: EXIF has no number for it.
  colorspace:
    toText(tags['InteropIndex'], 10) === 'R03'
      ? 'Adobe RGB'
      : omitUnknown(toText(tags['ColorSpace'], 100)),
  bitsPerSample:
    toIntegerWithin(firstWord(tags['BitsPerSample']), 1, 64) ??
    toIntegerWithin(tags['BitDepthLuma'], 1, 64),
  profileDescription: toText(tags['ProfileDescription'], 200),
});

const omitUnknown = (text: string | undefined) => (text?.startsWith('Unknown') ? undefined : text);

/** '8 8 8' lists one number per channel. */
const firstWord = (value: unknown) => (typeof value === 'string' ? value.split(' ')[0] : value);

function readSize(tags: RawTags, orientation = 1, mimeType = '') {
  const width = toIntegerWithin(tags['ImageWidth'], 1, MAX_SIZE);
  const height = toIntegerWithin(tags['ImageHeight'], 1, MAX_SIZE);
  // Videos are turned by their container. ExifTool before 13 gives degrees, too.
  const rotation = toNumber(tags['Rotation']) ?? 0;
  const quarters = Math.abs(rotation) < 4 ? rotation : Math.round(rotation / 90);
  const turned = mimeType.startsWith('video/') ? quarters % 2 !== 0 : orientation >= 5;
  return turned ? { width: height, height: width } : { width, height };
}

/** The frames of an animation tell its length: see animation.ts. Some raw files have one of nothing that is shown. */
const NO_VIDEO = { durationMs: undefined, fps: undefined, codec: undefined };

const readVideoTags = (tags: RawTags) => ({
  // A week is no plausible length but the header of a broken file easily says more.
  // 0 where a recorder has not gone back to the header.
  durationMs: milliseconds(toNumberWithin(tags['Duration'], 0, 7 * 86_400)) || undefined,
  fps: toNumberWithin(tags['VideoFrameRate'], 0.01, 10_000),
  codec: toText(tags['CompressorID'] ?? tags['VideoCodec'] ?? tags['VideoCodecID'], 50),
});

const milliseconds = (seconds: number | undefined) =>
  seconds === undefined ? undefined : Math.round(seconds * 1000);

const readCameraTags = (tags: RawTags) => ({
  make: toText(tags['Make'] ?? tags['AndroidMake'], 200),
  model: toText(tags['Model'] ?? tags['AndroidModel'], 200),
  lensModel: readLens(tags),
  fNumber: toNumberWithin(tags['FNumber'], 0.01, 1000),
  focalLength: toNumberWithin(tags['FocalLength'], 0.01, 100_000),
  iso: readIso(tags),
  exposureTime: formatExposure(toNumberWithin(tags['ExposureTime'], 1e-7, 1e6)),
});

const MAX_ISO = 100_000_000;
/** EXIF has 16 bits for it: this is the largest number, and stands for larger ones, which EXIF 2.3 has elsewhere. */
const FULL_ISO = 65_535;
const LARGE_ISO = ['RecommendedExposureIndex', 'StandardOutputSensitivity', 'ISOSpeed'];

function readIso(tags: RawTags): number | undefined {
  const iso = toIntegerWithin(tags['ISO'], 1, MAX_ISO);
  if (iso !== undefined && iso !== FULL_ISO) return iso;
  const others = LARGE_ISO.flatMap((name) => toIntegerWithin(tags[name], iso ?? 1, MAX_ISO) ?? []);
  return others[0] ?? iso;
}

/** A picture may say that it is to be shown flat; a film of a rectangle has a projection, too. */
function readProjection(tags: RawTags): string | undefined {
  if (/^false$/i.test(String(tags['UsePanoramaViewer']))) return undefined;
  const bounds = toNumber(tags['ProjectionBoundsTop']);
  const name =
    toText(tags['ProjectionType'], 100) ?? (bounds === undefined ? '' : 'equirectangular');
  return /^(rectangular)?$/i.test(name) ? undefined : name.toUpperCase();
}

/** exiftool words for a lens it cannot name are worse than none. */
const readLens = (tags: RawTags): string | undefined =>
  [tags['LensModel'], tags['LensID'], tags['Lens']]
    .map((value) => toText(value, 200))
    .find((name) => name !== undefined && !/^(unknown|none|n\/a|-+|\d+$)/i.test(name));

/** 0.004 → '1/250'; a quarter of a second and more in decimals. */
export function formatExposure(seconds: number | undefined): string | undefined {
  if (seconds === undefined) return undefined;
  return seconds < 0.25001 ? `1/${Math.round(1 / seconds)}` : String(Number(seconds.toFixed(1)));
}

/** 0,0 is what a receiver without a fix writes, and no one photographs there. */
function readPosition(tags: RawTags) {
  const latitude = readDegrees(tags, 'GPSLatitude', 90);
  const longitude = readDegrees(tags, 'GPSLongitude', 180);
  if (latitude === undefined || longitude === undefined) return undefined;
  return latitude === 0 && longitude === 0 ? undefined : { latitude, longitude };
}

/** In XMP, programs of Apple write the hemisphere as EXIF does: beside a number without a sign. */
function readDegrees(tags: RawTags, name: string, limit: number): number | undefined {
  const degrees = toNumberWithin(tags[name], -limit, limit);
  const isOfXmp = tags[`XMP-exif:${name}`] !== undefined;
  const reference = isOfXmp ? (toText(tags[`XMP-exif:${name}Ref`], 20) ?? '') : '';
  return degrees !== undefined && /^[sw]/i.test(reference) ? -Math.abs(degrees) : degrees;
}

/** The position is wrong in files that another program has changed, and Samsung tells it in a trailer of its own. */
function findMotionVideo(tags: RawTags): MotionPhoto | undefined {
  const isMotion = toNumber(tags['MotionPhoto']);
  // The owner has switched the motion off, as phones say.
  if (isMotion === 0) return undefined;
  const fromEnd = findMotionItem(tags);
  if (isMotion === 1 || fromEnd !== undefined) return { fromEnd };
  if (toNumber(tags['MicroVideo']) === 1) {
    return { fromEnd: toIntegerWithin(tags['MicroVideoOffset'], 1, Number.MAX_SAFE_INTEGER) };
  }
  const isOfSamsung =
    tags['MotionPhotoVideo'] !== undefined ||
    toText(tags['EmbeddedVideoType'], 100) === 'MotionPhoto_Data';
  return isOfSamsung ? {} : undefined;
}

/** The items lie one after another, each followed by its padding, and the last ends the file. */
function findMotionItem(tags: RawTags): number | undefined {
  const items = toList(tags['ContainerDirectory'] ?? tags['Directory'], 20).map((entry) =>
    toRecord(toRecord(entry)?.['Item']),
  );
  const sizes = items.map((item) => ({
    isMotion: toText(item?.['Semantic'], 50) === 'MotionPhoto',
    length: toIntegerWithin(item?.['Length'], 0, Number.MAX_SAFE_INTEGER) ?? 0,
    padding: toIntegerWithin(item?.['Padding'], 0, Number.MAX_SAFE_INTEGER) ?? 0,
  }));
  const at = sizes.findIndex((size) => size.isMotion);
  const motion = sizes[at];
  if (!motion || motion.length === 0) return undefined;
  const after = sizes.slice(at + 1).reduce((sum, size) => sum + size.length + size.padding, 0);
  return after + motion.length;
}

export type { DateSource, FaceRegion };
