import type { Ctx } from '../../core/context.ts';
import { defineKind } from '../../read-cache/memory.ts';
import * as store from './months.store.ts';
import type { MarkerSearch, UserReader } from './store.ts';

// Markers are read and remembered by month: a change costs reading a month again, and a response has a few months in
// memory at a time. They are listed by instant, and months are those of local times: what was taken around the end of a
// month is sorted among the markers of the next one, the rest stands in the order of the months.

/** `bytes`: the markers of a month, see `pack`. */
type Packed = { readonly version: string; readonly bytes: Uint8Array };

const memory = defineKind<Packed>('map markers', ({ bytes }) => bytes.length);

/** About what a marker takes. */
const MARKER_BYTES = 45;
/** Markers that would take more of the memory are not remembered: they would displace each other. */
const LARGEST_SHARE = 1 / 2;
/** Assets of the months that are read at once. */
const BATCH_ASSETS = 100_000;

export type OwnerMarkers = {
  readonly ownerId: string;
  readonly search: MarkerSearch;
  /**
   * Whatever `search` and the session make of the owner's assets, unless it changes the versions of their months.
   * Without it nothing is remembered.
   */
  readonly key: string | undefined;
};

/**
 * Returns the JSON of an owner's markers in parts, without brackets; undefined when a month has too many to be read at
 * once.
 */
export async function findMarkersByMonth(
  ctx: Ctx,
  reader: UserReader,
  { ownerId, search, key }: OwnerMarkers,
): Promise<AsyncGenerator<string> | undefined> {
  // Read before the rows: a change in between makes the markers newer than their version, never older.
  const months = await store.listMonths(ctx.db, ownerId, search.isFavorite === true);
  if (months.some(({ assets }) => assets > BATCH_ASSETS)) return undefined;
  const total = months.reduce((sum, { assets }) => sum + assets, 0);
  const isRemembered = total * MARKER_BYTES <= ctx.settings.readCacheBytes * LARGEST_SHARE;
  const read = (some: readonly store.Month[]) =>
    store.readMonths(reader, { ownerId, search, months: some.map(({ name }) => name) });
  return mergeMonths(listMonthMarkers(ctx, months, { key: isRemembered ? key : undefined, read }));
}

type MarkersByMonth = ReadonlyMap<string, store.MonthMarkers>;
type Source = {
  readonly key: string | undefined;
  readonly read: (months: readonly store.Month[]) => Promise<MarkersByMonth>;
};

/** Yields the markers of these months, which are read unless they are remembered as they are. */
async function* listMonthMarkers(
  ctx: Ctx,
  months: readonly store.Month[],
  { key, read }: Source,
): AsyncGenerator<store.MonthMarkers> {
  const find = ({ name, version }: store.Month): Packed | undefined => {
    const packed = key === undefined ? undefined : memory.find(ctx, `${key} ${name}`);
    return packed?.version === version ? packed : undefined;
  };
  let batch: MarkersByMonth = new Map();
  for (const [at, month] of months.entries()) {
    const known = batch.has(month.name) ? undefined : find(month);
    let markers = known ? await unpack(known.bytes) : batch.get(month.name);
    if (!markers) {
      const unknown = takeBatch(months.slice(at).filter((later) => !find(later)));
      batch = await read(unknown);
      if (key !== undefined) await keepBatch(ctx, key, unknown, batch);
      markers = batch.get(month.name);
    }
    if (markers) yield markers;
  }
}

async function keepBatch(
  ctx: Ctx,
  key: string,
  months: readonly store.Month[],
  batch: MarkersByMonth,
): Promise<void> {
  for (const { name, version } of months) {
    const markers = batch.get(name);
    if (markers) memory.keep(ctx, `${key} ${name}`, { version, bytes: await pack(markers) });
  }
}

/** Returns the first of the months, as many as are read at once. */
function takeBatch(months: readonly store.Month[]): store.Month[] {
  let assets = 0;
  return months.filter((month) => (assets += month.assets) <= BATCH_ASSETS);
}

/** Yields the JSON of the markers of months, the newest month first, sorted by instant. */
async function* mergeMonths(months: AsyncGenerator<store.MonthMarkers>): AsyncGenerator<string> {
  let oldest: readonly store.BorderMarker[] = [];
  for await (const month of months) {
    yield* [joinSorted([...oldest, ...month.newest]), month.text].filter((text) => text !== '');
    ({ oldest } = month);
  }
  yield* [joinSorted(oldest)].filter((text) => text !== '');
}

/** Joins the JSON of the markers, newest first; the id, which stands first, decides among those of one instant. */
const joinSorted = (markers: readonly store.BorderMarker[]): string =>
  markers
    .toSorted(([a, textA], [b, textB]) => b - a || (textA < textB ? 1 : -1))
    .map(([, text]) => text)
    .join(',');

/** Returns the markers around the ends of the month as a line of JSON, and the others behind it, in Zstandard. */
const pack = ({ newest, text, oldest }: store.MonthMarkers): Promise<Uint8Array> =>
  Bun.zstdCompress(`${JSON.stringify([newest, oldest])}\n${text}`, { level: 1 });

async function unpack(bytes: Uint8Array): Promise<store.MonthMarkers> {
  const unpacked = (await Bun.zstdDecompress(bytes)).toString();
  const end = unpacked.indexOf('\n');
  const [newest, oldest] = JSON.parse(unpacked.slice(0, end)) as store.BorderMarker[][];
  return { newest: newest ?? [], text: unpacked.slice(end + 1), oldest: oldest ?? [] };
}
