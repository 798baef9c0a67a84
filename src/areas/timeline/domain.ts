import type { Ctx } from '../../core/context.ts';
import { ANONYMOUS_OWNER_ID } from '../assets/index.ts';
import { cachedBody, keepBody } from './cache.ts';
import { sumByVersion } from './months.domain.ts';
import type { Bucket, TimelineFilter } from './schemas.ts';
import { selectionOf } from './selection.ts';
import {
  type BucketCount,
  type Column,
  type Columns,
  countByMonth,
  readBucket,
  type Selection,
  sumByMonth,
  sumByMonthOfAlbum,
} from './store.ts';
import { versionOf, versionOfAlbum } from './versions.store.ts';

export async function listBuckets(ctx: Ctx, filter: TimelineFilter): Promise<Bucket[]> {
  const selection = await selectionOf(ctx, filter);
  if (!selection) return [];
  const sums = sumsOf(ctx, selection);
  const rows = sums
    ? await lessSuppressed(ctx, selection, sums)
    : await countByMonth(ctx, selection);
  return rows.map((row) => ({ timeBucket: row.month, count: Number(row.assets) }));
}

/** What is known without reading all rows; undefined where it is not. */
function sumsOf(ctx: Ctx, selection: Selection): Promise<BucketCount[]> | undefined {
  const { session } = ctx;
  const isUnlocked = session.kind === 'user' && session.unlocked;
  if (isCounted(selection)) return sumByMonth(ctx.db, { ...selection, isUnlocked });
  if (isWholeAlbum(selection)) return sumByMonthOfAlbum(ctx.db, selection.albumId!, selection);
  return isVersioned(selection)
    ? sumByVersion(ctx, selection, keyOf([viewerOf(ctx), selection]))
    : undefined;
}

/** The sums that are kept, less what active rules of the caller leave out of them. */
async function lessSuppressed(ctx: Ctx, selection: Selection, sums: Promise<BucketCount[]>) {
  if (!isRuled(ctx)) return sums;
  const suppressed = await countByMonth(ctx, selection, { suppressed: 'only' });
  const less = new Map(suppressed.map(({ month, assets }) => [month, Number(assets)]));
  return (await sums)
    .map(({ month, assets }) => ({ month, assets: Number(assets) - (less.get(month) ?? 0) }))
    .filter(({ assets }) => assets > 0);
}

const isRuled = ({ session }: Ctx) => session.kind === 'user' && session.contentRules.length > 0;

type OwnedSelection = Selection & { readonly owners: readonly string[] };

/** All that it depends on makes a new version of the months of its owners. */
const isVersioned = (selection: Selection): selection is OwnedSelection =>
  selection.owners !== undefined &&
  selection.albumId === undefined &&
  selection.bbox === undefined &&
  selection.by === 'takenAt';

/** The sums of the delta rows tell these apart. */
const isCounted = (selection: Selection): selection is OwnedSelection =>
  isVersioned(selection) && selection.tagIds === undefined && selection.personId === undefined;

/** What is kept by album is for all that it shows. */
const isWholeAlbum = (selection: Selection): boolean =>
  isOfAlbum(selection) &&
  [selection.visibility, selection.isFavorite, selection.tagIds, selection.personId].every(
    (filter) => filter === undefined,
  ) &&
  !selection.withoutStackChildren;

const isOfAlbum = ({ albumId, bbox, by, shelf }: Selection): boolean =>
  albumId !== undefined && shelf === 'library' && bbox === undefined && by === 'takenAt';

export type BucketReply = {
  readonly etag: string;
  /** Undefined: the client has it. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  /** Locked media leave no copy behind. */
  readonly isSecret: boolean;
};

const encoder = new TextEncoder();

/** `isKnown` says whether the client has the version with this tag; then nothing is read. */
export async function getBucket(
  ctx: Ctx,
  filter: TimelineFilter,
  timeBucket: string,
  isKnown: (etag: string) => boolean,
): Promise<BucketReply> {
  const month = `${timeBucket.slice(0, 7)}-01`;
  const selection = await selectionOf(ctx, filter);
  const isSecret = selection?.shelf === 'locked' || selection?.shelf === 'trash';
  const read = async () => encoder.encode(await bodyOf(ctx, filter, selection, month));
  // Read before the rows: a change in between makes the answer newer than its tag, never older.
  const version = selection && (await versionFor(ctx, selection, month));
  if (version === undefined) {
    const bytes = await read();
    return { etag: `"${Bun.hash(bytes).toString(36)}"`, bytes, isSecret };
  }

  const key = keyOf([viewerOf(ctx), selection, month, filter.withCoordinates]);
  const etag = `"${Bun.hash(`${version} ${key}`).toString(36)}"`;
  if (isKnown(etag)) return { etag, bytes: undefined, isSecret };
  const bytes = cachedBody(ctx.sql, key, version) ?? (await read());
  if (selection?.shelf !== 'locked') keepBody(ctx.sql, key, { version, bytes });
  return { etag, bytes, isSecret };
}

/** Undefined where the answer depends on more: rules may be about places. */
async function versionFor(ctx: Ctx, selection: Selection, month: string) {
  if (isRuled(ctx)) return undefined;
  if (isVersioned(selection)) return versionOf(ctx.db, selection.owners, month);
  return isOfAlbum(selection) ? versionOfAlbum(ctx.db, selection.albumId!, month) : undefined;
}

/** What the answer depends on besides the selection. */
const viewerOf = ({ session }: Ctx) =>
  session.kind === 'user'
    ? [session.userId, session.unlocked, session.sharers, session.placelessSharers]
    : [session.linkId, session.showMetadata, session.sharers, session.placelessSharers];

/** Short, also where a tag has thousands below it. */
const keyOf = (parts: readonly unknown[]) =>
  new Bun.CryptoHasher('sha256').update(JSON.stringify(parts)).digest('base64');

const ALWAYS: readonly Column[] = [
  'id',
  'ratio',
  'isFavorite',
  'isImage',
  'thumbhash',
  'fileCreatedAt',
  'createdAt',
  'localOffsetHours',
  'duration',
  'projectionType',
  'livePhotoVideoId',
];
const PLACE: readonly Column[] = ['city', 'country'];
const COORDINATES: readonly Column[] = ['latitude', 'longitude'];

/** Together with the clock they tell the zone: where no metadata are shown, the clock stands for them. */
const INSTANTS: ReadonlySet<Column> = new Set(['fileCreatedAt', 'createdAt']);

/** The members in the order of the answer. What is the same for all items is not asked for. */
async function bodyOf(
  ctx: Ctx,
  filter: TimelineFilter,
  selection: Selection | undefined,
  month: string,
): Promise<string> {
  const { session } = ctx;
  const isBare = session.kind === 'sharedLink' && !session.showMetadata;
  const coordinates = filter.withCoordinates ? COORDINATES : [];
  const same = sameForAll(selection);
  if (isBare) {
    for (const name of [...PLACE, ...coordinates]) same.set(name, 'null');
    same.set('localOffsetHours', '0').set('visibility', '"timeline"');
    same.set('ownerId', `"${ANONYMOUS_OWNER_ID}"`);
  }
  const wanted = [
    ...ALWAYS,
    ...(['ownerId', 'visibility', 'isTrashed'] as const),
    ...PLACE,
    ...coordinates,
    ...(filter.withStacked ? (['stack'] as const) : []),
  ].filter((name) => !same.has(name));
  const columnOf = (name: Column) => (isBare && INSTANTS.has(name) ? 'localAt' : name);
  const { count, of }: Columns = selection
    ? await readBucket(ctx, selection, month, [...new Set(wanted.map(columnOf))])
    : { count: 0, of: new Map() };
  const members = [
    ...wanted.map((name) => `"${name}":[${of.get(columnOf(name)) ?? ''}]`),
    ...[...same].map(([name, value]) => `"${name}":[${repeated(value, count)}]`),
  ];
  return `{${members.join(',')}}`;
}

function sameForAll(selection: Selection | undefined): Map<string, string> {
  const same = new Map<string, string>();
  if (!selection) return same;
  const { owners, albumId, shelf } = selection;
  if (owners?.length === 1 && albumId === undefined) same.set('ownerId', `"${owners[0]}"`);
  if (shelf === 'timeline' || shelf === 'archive' || shelf === 'hidden' || shelf === 'locked') {
    same.set('visibility', `"${shelf}"`);
  }
  same.set('isTrashed', String(shelf === 'trash'));
  return same;
}

const repeated = (value: string, count: number) =>
  count === 0 ? '' : `${value},`.repeat(count - 1) + value;
