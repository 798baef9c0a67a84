import type { Ctx } from '../../core/context.ts';
import { cachedBody, keepBody } from './cache.ts';
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
  versionOf,
} from './store.ts';

export async function listBuckets(ctx: Ctx, filter: TimelineFilter): Promise<Bucket[]> {
  const selection = await selectionOf(ctx, filter);
  if (!selection) return [];
  const rows =
    isCounted(selection) || isWholeAlbum(selection)
      ? await sumShown(ctx, selection)
      : await countByMonth(ctx, selection);
  return rows.map((row) => ({ timeBucket: row.month, count: Number(row.assets) }));
}

/** The sums that are kept, less what active rules of the caller leave out of them. */
async function sumShown(ctx: Ctx, selection: Selection): Promise<BucketCount[]> {
  const { session } = ctx;
  const isUnlocked = session.kind === 'user' && session.unlocked;
  const sums = isCounted(selection)
    ? sumByMonth(ctx.sql, { ...selection, isUnlocked })
    : sumByMonthOfAlbum(ctx.sql, selection.albumId!, selection);
  if (!isRuled(ctx)) return sums;
  const suppressed = await countByMonth(ctx, selection, 'only');
  const less = new Map(suppressed.map(({ month, assets }) => [month, Number(assets)]));
  return (await sums)
    .map(({ month, assets }) => ({ month, assets: Number(assets) - (less.get(month) ?? 0) }))
    .filter(({ assets }) => assets > 0);
}

const isRuled = ({ session }: Ctx) => session.kind === 'user' && session.contentRules.length > 0;

type CountedSelection = Selection & { readonly owners: readonly string[] };

/** The sums of the delta rows tell these apart; everything else is asked of the rows themselves. */
const isCounted = (selection: Selection): selection is CountedSelection =>
  selection.owners !== undefined &&
  selection.albumId === undefined &&
  selection.bbox === undefined &&
  selection.tagId === undefined &&
  selection.personId === undefined &&
  selection.by === 'takenAt';

/** What is kept by album is for all that it shows. */
const isWholeAlbum = (selection: Selection): boolean =>
  selection.albumId !== undefined &&
  selection.shelf === 'library' &&
  [
    selection.visibility,
    selection.isFavorite,
    selection.bbox,
    selection.tagId,
    selection.personId,
  ].every((filter) => filter === undefined) &&
  !selection.withoutStackChildren &&
  selection.by === 'takenAt';

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
  // What rules match is not told by the version: tags, albums and faces are no part of it.
  if (!selection || !isCounted(selection) || isRuled(ctx)) {
    const bytes = await read();
    return { etag: `"${Bun.hash(bytes).toString(36)}"`, bytes, isSecret };
  }

  const key = JSON.stringify([viewerOf(ctx), selection, month, filter.withCoordinates]);
  // Read before the rows: a change in between makes the answer newer than its tag, never older.
  const version = await versionOf(ctx.sql, selection.owners, month);
  const etag = `"${Bun.hash(`${version} ${key}`).toString(36)}"`;
  if (isKnown(etag)) return { etag, bytes: undefined, isSecret };
  const bytes = cachedBody(ctx.sql, key, version) ?? (await read());
  if (!isSecret) keepBody(ctx.sql, key, { version, bytes });
  return { etag, bytes, isSecret };
}

/** What the answer depends on besides the selection. */
const viewerOf = ({ session }: Ctx) =>
  session.kind === 'user'
    ? [session.userId, session.unlocked, session.placelessSharers]
    : [session.linkId];

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
