import { z } from 'zod';

// The responses of Immich that the import reads. Members that it does not use are dropped.

const isDate = (text: string): boolean => !Number.isNaN(Date.parse(text));

const Exif = z.object({
  fileSizeInByte: z.number().nullish(),
  latitude: z.number().nullish(),
  longitude: z.number().nullish(),
  /** The instant. */
  dateTimeOriginal: z.string().nullish(),
  description: z.string().nullish(),
  rating: z.number().nullish(),
});

/** A box in pixels of a picture of this size. */
const Face = z.object({
  boundingBoxX1: z.number(),
  boundingBoxY1: z.number(),
  boundingBoxX2: z.number(),
  boundingBoxY2: z.number(),
  imageWidth: z.number(),
  imageHeight: z.number(),
});

const Person = z.object({
  name: z.string(),
  isHidden: z.boolean().nullish(),
  faces: z.array(Face).nullish(),
});

export const AssetSchema = z.object({
  id: z.string(),
  ownerId: z.string(),
  /** Set for a file of an external library, whose checksum is one of its path. */
  libraryId: z.string().nullish(),
  type: z.string(),
  originalFileName: z.string(),
  /** SHA-1 in base64. */
  checksum: z.string(),
  fileCreatedAt: z.string().refine(isDate, 'is no date'),
  /** The clock on the wall, written as if it were UTC. */
  localDateTime: z.string().refine(isDate, 'is no date'),
  isFavorite: z.boolean(),
  visibility: z.string().nullish(),
  isTrashed: z.boolean().nullish(),
  livePhotoVideoId: z.string().nullish(),
  exifInfo: Exif.nullish(),
  people: z.array(Person).nullish(),
});
export type ImmichAsset = z.infer<typeof AssetSchema>;

export const AssetPageSchema = z.object({
  assets: z.object({ items: z.array(AssetSchema), nextPage: z.string().nullable() }),
});

const Bytes = z.number().int().nonnegative();
const Count = Bytes.max(1_000_000_000);

export const UserSchema = z.object({ id: z.string(), quotaUsageInBytes: Bytes.nullish() });
export const StatisticsSchema = z.object({ images: Count, videos: Count, total: Count });
export const PeopleSchema = z.object({ total: Count });

export const AlbumsSchema = z.array(z.object({ id: z.string(), albumName: z.string() }));
export type ImmichAlbum = z.infer<typeof AlbumsSchema>[number];

export const TagsSchema = z.array(z.object({ id: z.string(), value: z.string() }));
export type ImmichTag = z.infer<typeof TagsSchema>[number];

export const StacksSchema = z.array(
  z.object({ primaryAssetId: z.string(), assets: z.array(z.object({ id: z.string() })) }),
);
export type ImmichStack = z.infer<typeof StacksSchema>[number];
