import { DATE_TAGS } from './date-rules.ts';

/** `#` asks exiftool for the plain value instead of the words it would print. */
const CAMERA = [
  'Make',
  'AndroidMake',
  'Model',
  'AndroidModel',
  'LensModel',
  'LensID',
  'Lens',
  'FNumber#',
  'FocalLength#',
  'ISO#',
  // Those of EXIF 2.3, as ISO has 16 bits.
  'RecommendedExposureIndex#',
  'StandardOutputSensitivity#',
  'ISOSpeed#',
  'ExposureTime#',
];

const PLACE = [
  'GPSLatitude#',
  'GPSLongitude#',
  // Not those of EXIF, with which exiftool has given the degrees their sign.
  'XMP-exif:GPSLatitudeRef',
  'XMP-exif:GPSLongitudeRef',
];

const PICTURE = [
  'FileType',
  'MIMEType',
  'FileSize#',
  'Error',
  'Warning',
  'ImageWidth#',
  'ImageHeight#',
  // Before that of XMP, which has no name of its own then.
  'EXIF:Orientation#',
  'Orientation#',
  'Rotation#',
  'ColorSpace',
  'InteropIndex#',
  'ProfileDescription',
  'BitsPerSample#',
  'BitDepthLuma#',
  'ProjectionType',
  'UsePanoramaViewer',
  // Spherical Video V2 has it for one projection only.
  'ProjectionBoundsTop#',
];

const SOUND_AND_MOTION = [
  'Duration#',
  'VideoFrameRate#',
  'CompressorID',
  'FrameCount',
  'VideoCodec',
  'VideoCodecID',
  'ContentIdentifier',
  'MediaGroupUUID',
  'BurstUUID',
  'BurstID',
  'MotionPhoto#',
  'MicroVideo#',
  'MicroVideoOffset#',
  'ContainerDirectory',
  'Directory',
  'MotionPhotoVideo',
  'EmbeddedVideoType',
];

const WORDS = [
  'Rating#',
  'RatingPercent#',
  // Windows, of films.
  'SharedUserRating#',
  'Description',
  'XMP-dc:Description-*',
  'ImageDescription',
  'XMP-tiff:ImageDescription-*',
  'Caption-Abstract',
  'UserComment',
  'XMP-exif:UserComment-*',
  'CodedCharacterSet',
  'Subject',
  'Keywords',
  'HierarchicalSubject',
  'TagsList',
  'RegionInfo',
  'RegionInfoMP',
];

/** Only these are asked for: a file with a million other tags costs no memory on our side. */
export const TAG_ARGUMENTS: readonly string[] = [
  ...DATE_TAGS,
  ...CAMERA,
  ...PLACE,
  ...PICTURE,
  ...SOUND_AND_MOTION,
  ...WORDS,
].map((tag) => `-${tag}`);
