import type { Ctx } from '../../core/context.ts';
import { requireValue } from '../../core/required.ts';
import { ANONYMOUS_OWNER_ID } from '../assets/index.ts';
import { getEpoch } from '../../db/epoch.ts';
import { defineKind } from '../../read-cache/memory.ts';
import { sumByVersion } from './months.domain.ts';
import { type Bucket, isMonthStart, type TimelineFilter, toMonth } from './schemas.ts';
import { toSelection } from './selection.ts';
import { type Column, type Columns, readBucket } from './bucket.store.ts';
import {
  type BucketCount,
  countByMonth,
  type Selection,
  sumByMonth,
  sumByMonthOfAlbum,
} from './store.ts';
import { getMonthVersion, getAlbumMonthVersion } from './versions.store.ts';

export async function listBuckets(ctx: Ctx, filter: TimelineFilter): Promise<Bucket[]> {
  const selection = await toSelection(ctx, filter);
  return selection ? countBuckets(ctx, selection) : [];
}

async function countBuckets(ctx: Ctx, selection: Selection): Promise<Bucket[]> {
  const sums = sumPrecomputedMonths(ctx, selection);
  const rows = sums
    ? await subtractSuppressed(ctx, selection, sums)
    : await countByMonth(ctx, selection);
  return rows.map((row) => ({ timeBucket: row.month, count: Number(row.assets) }));
}

/**
 * Returns counts that do not need to read all rows, or undefined if there are none for this selection.
 */
function sumPrecomputedMonths(ctx: Ctx, selection: Selection): Promise<BucketCount[]> | undefined {
  const { session } = ctx;
  const isUnlocked = session.kind === 'user' && session.unlocked;
  if (isCoveredByCounts(ctx, selection)) return sumByMonth(ctx.db, { ...selection, isUnlocked });
  if (isWholeAlbum(selection)) return sumByMonthOfAlbum(ctx.db, selection.albumId, selection);
  return isVersioned(selection)
    ? sumByVersion(ctx, selection, hashKey([toViewerKey(ctx), selection]))
    : undefined;
}

/** Subtracts the items that the caller's content rules suppress from precomputed counts. */
async function subtractSuppressed(ctx: Ctx, selection: Selection, sums: Promise<BucketCount[]>) {
  if (!hasContentRules(ctx)) return sums;
  const suppressed = await countByMonth(ctx, selection, { suppressed: 'only' });
  const suppressedByMonth = new Map(suppressed.map(({ month, assets }) => [month, Number(assets)]));
  return (await sums)
    .map(({ month, assets }) => ({
      month,
      assets: Number(assets) - (suppressedByMonth.get(month) ?? 0),
    }))
    .filter(({ assets }) => assets > 0);
}

const hasContentRules = ({ session }: Ctx) =>
  session.kind === 'user' && session.contentRules.length > 0;

type OwnedSelection = Selection & { readonly owners: readonly string[] };
type AlbumSelection = Selection & { readonly albumId: string };

/** Everything that the selection depends on changes the version of its owners' months. */
const isVersioned = (selection: Selection): selection is OwnedSelection =>
  selection.owners !== undefined &&
  selection.albumId === undefined &&
  selection.bbox === undefined &&
  selection.by === 'takenAt';

/** The precomputed counts distinguish the filters of the selection, and the owners show all of it. */
const isCoveredByCounts = ({ session }: Ctx, selection: Selection): selection is OwnedSelection =>
  isVersioned(selection) &&
  !session.partialSharers.some(({ id }) => selection.owners.includes(id)) &&
  [selection.tagIds, selection.personId, selection.type, selection.model].every(
    (filter) => filter === undefined,
  );

/** The counts of albums cover unfiltered albums only. */
const isWholeAlbum = (selection: Selection): selection is AlbumSelection =>
  isAlbumListing(selection) &&
  [
    selection.visibility,
    selection.isFavorite,
    selection.tagIds,
    selection.personId,
    selection.type,
    selection.model,
  ].every((filter) => filter === undefined) &&
  !selection.withoutStackChildren;

const isAlbumListing = (selection: Selection): selection is AlbumSelection =>
  selection.albumId !== undefined &&
  selection.scope === 'library' &&
  selection.bbox === undefined &&
  selection.by === 'takenAt';

type ReadColumns = (columns: readonly Column[]) => Promise<Columns>;

export type BucketResponse = {
  readonly etag: string;
  /** Undefined when the client has this version. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  /** Clients must not store the response. */
  readonly isPrivate: boolean;
};

type Body = { readonly version: string; readonly bytes: Uint8Array<ArrayBuffer> };

const bodies = defineKind<Body>('buckets', ({ bytes }) => bytes.length);

const encoder = new TextEncoder();

/**
 * Returns the items of a month as JSON with an ETag. `isKnown` returns whether the client has the
 * version with an ETag; then the rows are not read.
 */
export async function getBucket(
  ctx: Ctx,
  filter: TimelineFilter,
  timeBucket: string,
  isKnown: (etag: string) => boolean,
): Promise<BucketResponse> {
  const month = requireValue(toMonth(timeBucket), 'month of a bucket');
  const permitted = await toSelection(ctx, filter);
  // As in Immich, only the first day of a month is a bucket.
  const selection = isMonthStart(timeBucket) ? permitted : undefined;
  const isPrivate = selection?.scope === 'locked' || selection?.scope === 'trash';
  const read: ReadColumns = async (columns) =>
    selection ? readBucket(ctx, selection, month, columns) : { count: 0, byName: new Map() };
  const build = async () => encoder.encode(await buildBody(ctx, filter, selection, read));
  // Read before the rows: a change in between makes the response newer than its ETag, never older.
  const version = selection && (await findBucketVersion(ctx, selection, month));
  if (!selection || version === undefined) {
    const bytes = await build();
    return { etag: `"${Bun.hash(bytes).toString(36)}"`, bytes, isPrivate };
  }

  const key = hashKey([
    toViewerKey(ctx),
    selection,
    month,
    filter.withCoordinates,
    filter.withStacked,
  ]);
  const { id: epoch } = ctx.epoch ?? getEpoch(ctx.sql);
  const etag = `"${Bun.hash(`${epoch} ${version} ${key}`).toString(36)}"`;
  if (isKnown(etag)) return { etag, bytes: undefined, isPrivate };
  const known = bodies.find(ctx, key);
  const bytes = known?.version === version ? known.bytes : await build();
  if (bytes !== known?.bytes && selection.scope !== 'locked') {
    bodies.keep(ctx, key, { version, bytes });
  }
  return { etag, bytes, isPrivate };
}

/**
 * Returns undefined when the response depends on more than versions cover: content rules may be about
 * places.
 */
async function findBucketVersion(ctx: Ctx, selection: Selection, month: string) {
  if (hasContentRules(ctx)) return undefined;
  if (isVersioned(selection)) return getMonthVersion(ctx.db, selection.owners, month);
  return isAlbumListing(selection)
    ? getAlbumMonthVersion(ctx.db, selection.albumId, month)
    : undefined;
}

/** Returns what the response depends on besides the selection. */
const toViewerKey = ({ session }: Ctx) =>
  session.kind === 'user'
    ? [
        session.userId,
        session.unlocked,
        session.sharers,
        session.placelessSharers,
        session.partialSharers,
      ]
    : [
        session.linkId,
        session.showMetadata,
        session.hidesPlaces,
        session.sharers,
        session.placelessSharers,
        session.partialSharers,
      ];

/** A hash, because a selection may contain thousands of tags. */
const hashKey = (parts: readonly unknown[]) =>
  new Bun.CryptoHasher('sha256').update(JSON.stringify(parts)).digest('base64');

const ITEM_COLUMNS: readonly Column[] = [
  'id',
  'ratio',
  'isFavorite',
  'isImage',
  'isAudio',
  'thumbhash',
  'fileCreatedAt',
  'createdAt',
  'localOffsetHours',
  'duration',
  'projectionType',
  'livePhotoVideoId',
];
const PLACE_COLUMNS: readonly Column[] = ['city', 'country'];
const COORDINATE_COLUMNS: readonly Column[] = ['latitude', 'longitude'];

/**
 * Instants reveal the time zone together with local times; without metadata they are replaced by local
 * time.
 */
const INSTANT_COLUMNS: ReadonlySet<Column> = new Set(['fileCreatedAt', 'createdAt']);

/**
 * Builds the JSON, in the order of its members. Columns with one value for all items are not queried.
 * Immich takes in no sound: without it the response is the same as Immich's.
 */
async function buildBody(
  ctx: Ctx,
  filter: TimelineFilter,
  selection: Selection | undefined,
  read: ReadColumns,
): Promise<string> {
  const { session } = ctx;
  const hidesMetadata = session.kind === 'sharedLink' && !session.showMetadata;
  const coordinates = filter.withCoordinates ? COORDINATE_COLUMNS : [];
  const constants = toConstantColumns(selection);
  if (hidesMetadata) {
    for (const name of [...PLACE_COLUMNS, ...coordinates]) constants.set(name, 'null');
    constants.set('localOffsetHours', '0').set('visibility', '"timeline"');
    constants.set('ownerId', `"${ANONYMOUS_OWNER_ID}"`);
  }
  const columns = [
    ...ITEM_COLUMNS,
    ...(['ownerId', 'visibility', 'isTrashed'] as const),
    ...PLACE_COLUMNS,
    ...coordinates,
    ...(filter.withStacked ? (['stack'] as const) : []),
  ].filter((name) => !constants.has(name));
  const toColumn = (name: Column) =>
    hidesMetadata && INSTANT_COLUMNS.has(name) ? 'localAt' : name;
  const { count, byName } = await read([...new Set(columns.map(toColumn))]);
  const isSent = (name: Column) => name !== 'isAudio' || byName.get(name)?.includes('true');
  const members = [
    ...columns.filter(isSent).map((name) => `"${name}":[${byName.get(toColumn(name)) ?? ''}]`),
    ...[...constants].map(([name, value]) => `"${name}":[${repeatValue(value, count)}]`),
  ];
  return `{${members.join(',')}}`;
}

function toConstantColumns(selection: Selection | undefined): Map<string, string> {
  const constants = new Map<string, string>();
  if (!selection) return constants;
  const { owners, albumId, scope } = selection;
  if (owners?.length === 1 && albumId === undefined) constants.set('ownerId', `"${owners[0]}"`);
  if (scope === 'timeline' || scope === 'archive' || scope === 'hidden' || scope === 'locked') {
    constants.set('visibility', `"${scope}"`);
  }
  constants.set('isTrashed', String(scope === 'trash'));
  return constants;
}

const repeatValue = (value: string, count: number) =>
  count === 0 ? '' : `${value},`.repeat(count - 1) + value;
