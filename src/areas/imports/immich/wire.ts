import { z } from 'zod';
import type { ListSpec } from './request.ts';

// The responses of Immich that the import reads. Members that it does not use are dropped.

/** Items of a page: the most that Immich gives. */
export const PAGE_SIZE = 1000;

/** Ids are UUIDs. */
const Id = z.string().min(1).max(100);
const Name = z.string().max(1000);
const Moment = z.string().max(100);
/** Dates of the years 1 to 9999, which databases and EXIF can write. */
const isDate = (text: string): boolean => {
  const time = Date.parse(text);
  return time >= Date.parse('0001-01-01T00:00:00Z') && time < Date.parse('+010000-01-01T00:00:00Z');
};

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
  /** 'manual' for one that somebody has drawn. */
  sourceType: z.string().nullish(),
});

const Person = z.object({
  name: Name,
  birthDate: z.string().max(100).nullish(),
  isHidden: z.boolean().nullish(),
  faces: z.array(Face).nullish(),
});

export const AssetSchema = z.object({
  id: Id,
  ownerId: Id,
  /** Set for a file of an external library, whose checksum is one of its path. */
  libraryId: z.string().nullish(),
  type: z.string(),
  originalFileName: Name,
  /** SHA-1 in base64. */
  checksum: z.string().max(100),
  fileCreatedAt: Moment.refine(isDate, 'is no date'),
  /** The clock on the wall, written as if it were UTC. */
  localDateTime: Moment.refine(isDate, 'is no date'),
  isFavorite: z.boolean(),
  visibility: z.string().nullish(),
  isTrashed: z.boolean().nullish(),
  livePhotoVideoId: Id.nullish(),
  exifInfo: Exif.nullish(),
  people: z.array(Person).nullish(),
});
export type ImmichAsset = z.infer<typeof AssetSchema>;

const Page = z.object({ assets: z.object({ nextPage: z.string().max(20).nullable() }) });

export const ASSET_PAGE: ListSpec<ImmichAsset, z.infer<typeof Page>> = {
  item: AssetSchema,
  at: ['assets', 'items'],
  rest: Page,
  maxItems: PAGE_SIZE,
};

const Bytes = z.number().int().nonnegative();
const Count = Bytes.max(1_000_000_000);

export const UserSchema = z.object({ id: Id, quotaUsageInBytes: Bytes.nullish() });
export const StatisticsSchema = z.object({ images: Count, videos: Count, total: Count });
export const PeopleSchema = z.object({ total: Count });

const Album = z.object({
  id: Id,
  albumName: Name,
  description: z.string().nullish(),
  /** Accounts that it is shared with; of version 3 its owner, too. Others are no reason to leave the album out. */
  albumUsers: z
    .array(z.object({ role: z.string().nullish() }))
    .nullish()
    .catch(null),
});
export type ImmichAlbum = z.infer<typeof Album>;
const Tag = z.object({ id: Id, value: Name });
export type ImmichTag = z.infer<typeof Tag>;
const Stack = z.object({ primaryAssetId: Id, assets: z.array(z.object({ id: Id })) });
export type ImmichStack = z.infer<typeof Stack>;

const Link = z.object({
  description: Name.nullish(),
  slug: Name.nullish(),
  album: z.object({ albumName: Name }).nullish(),
});
export type ImmichLink = z.infer<typeof Link>;
const Memory = z.object({ memoryAt: Moment, isSaved: z.boolean().nullish() });
const Partner = z.object({ name: Name });

/** The whole answer is a list of at most so many. */
const toList = <T>(item: z.ZodType<T>, maxItems: number): ListSpec<T, unknown> => ({
  item,
  at: [],
  rest: z.array(z.unknown()),
  maxItems,
});

export const ALBUMS = toList(Album, 100_000);
export const TAGS = toList(Tag, 100_000);
export const LINKS = toList(Link, 100_000);
export const MEMORIES = toList(Memory, 100_000);
export const PARTNERS = toList(Partner, 10_000);
export const STACKS = toList(Stack, 1_000_000);
