import { t } from 'elysia';
import { isDay } from '../../core/dates.ts';
import {
  BoundingBox,
  expected,
  GuestQuery,
  stringEnum,
  QueryFlag,
  Uuid,
} from '../../http/schemas.ts';
import { AssetTypeEnum, AssetVisibility } from '../assets/index.ts';

const AssetOrder = stringEnum(['asc', 'desc'], { title: 'AssetOrder' });
const AssetOrderBy = stringEnum(['takenAt', 'createdAt'], { title: 'AssetOrderBy' });

const FILTER = {
  ...GuestQuery,
  albumId: t.Optional(Uuid),
  /** A west greater than east crosses the date line. */
  bbox: t.Optional(BoundingBox),
  isFavorite: QueryFlag,
  isTrashed: QueryFlag,
  /** Not in Immich: the model of the camera. */
  model: t.Optional(t.String({ minLength: 1, maxLength: 200 })),
  order: t.Optional(AssetOrder),
  orderBy: t.Optional(AssetOrderBy),
  personId: t.Optional(Uuid),
  tagId: t.Optional(Uuid),
  /** Not in Immich. */
  type: t.Optional(AssetTypeEnum),
  userId: t.Optional(Uuid),
  visibility: t.Optional(AssetVisibility),
  withCoordinates: QueryFlag,
  withPartners: QueryFlag,
  withStacked: QueryFlag,
};

const BUCKET = /^\+?0*(\d{4,5})-(\d\d-\d\d)(?:T.*)?$/;

/** Returns the first day of the month of a bucket, as 2024-05-01; undefined for what is no day. */
export function toMonth(bucket: string): string | undefined {
  const [, year, day] = BUCKET.exec(bucket) ?? [];
  if (year === undefined || day === undefined) return undefined;
  // Leap years repeat after 400 years.
  const known = year.length === 4 ? year : String(2000 + (Number(year) % 400));
  return isDay(`${known}-${day}`) ? `${year}-${day.slice(0, 2)}-01` : undefined;
}

/** Returns whether a bucket is named by its first day, as `GET /timeline/buckets` names it. */
export const isMonthStart = (bucket: string): boolean =>
  BUCKET.exec(bucket)?.[2]?.endsWith('-01') === true;

export const BucketsQuery = t.Object(FILTER);
export const BucketQuery = t.Object({
  ...FILTER,
  /**
   * The first day of the month, with or without a time after it; a year may have five digits. Other days have
   * no items.
   */
  timeBucket: t.String(
    expected('ISO date string (YYYY-MM-DD)', (text) => toMonth(text) !== undefined),
  ),
});
export type TimelineFilter = typeof BucketsQuery.static;

export const TimeBucketsResponseDto = t.Object(
  { timeBucket: t.String(), count: t.Integer({ minimum: 0 }) },
  { title: 'TimeBucketsResponseDto' },
);
export type Bucket = typeof TimeBucketsResponseDto.static;

const Texts = t.Array(t.Nullable(t.String()));
const Flags = t.Array(t.Boolean());
const Degrees = t.Array(t.Nullable(t.Number()));

/** One array per member, all of the same length, newest first. */
export const TimeBucketAssetResponseDto = t.Object(
  {
    id: t.Array(t.String()),
    ownerId: t.Array(t.String()),
    ratio: t.Array(t.Number()),
    isFavorite: Flags,
    visibility: t.Array(AssetVisibility),
    isTrashed: Flags,
    isImage: Flags,
    /** Only in a month with sound files. */
    isAudio: t.Optional(Flags),
    thumbhash: Texts,
    fileCreatedAt: t.Array(t.String()),
    createdAt: t.Array(t.String()),
    localOffsetHours: t.Array(t.Number()),
    duration: t.Array(t.Nullable(t.Integer({ minimum: 0, maximum: 2_147_483_647 }))),
    stack: t.Optional(t.Array(t.Nullable(t.Array(t.String(), { minItems: 2, maxItems: 2 })))),
    projectionType: Texts,
    livePhotoVideoId: Texts,
    city: t.Optional(Texts),
    country: t.Optional(Texts),
    latitude: t.Optional(Degrees),
    longitude: t.Optional(Degrees),
  },
  { title: 'TimeBucketAssetResponseDto' },
);
