import { requireOpenAlbum } from '../../access/albums.ts';
import { getScopeKey } from '../../access/batch.ts';
import { requireUser } from '../../access/scope.ts';
import type { Ctx } from '../../core/context.ts';
import { type Bytes, toJsonBytes } from '../../core/json-bytes.ts';
import { decodeCursor, encodeCursor } from '../../db/keyset.ts';
import { defineResponses } from '../../read-cache/responses.ts';
import { findAssetsById } from '../assets/index.ts';
import {
  type CellRange,
  toCellRange,
  getCellCenter,
  parseBox,
  parseCell,
  formatCell,
} from './cells.ts';
import type { CellAssets, CellFilter, Clusters, ClustersFilter } from './clusters.schemas.ts';
import * as store from './clusters.store.ts';
import { type Sources, toSources } from './domain.ts';
import type { UserReader } from './store.ts';

const DEFAULT_SIZE = 120;

const remember = defineResponses('map clusters');

/** Counts the markers of the filter in each cell of the map. Returns Clusters as JSON. */
export async function renderClusters(ctx: Ctx, filter: ClustersFilter): Promise<Bytes> {
  const session = requireUser(ctx.session);
  const sources = toSources(session, filter);
  const build = async () => toJsonBytes(await listClusters(ctx, filter, sources));
  // Counts are read as fast as remembered, and rules and albums depend on more than the log tells.
  const { albums, partners } = sources;
  if (!isNarrow(sources) || albums || filter.albumId || session.contentRules.length > 0)
    return build();
  const key = [getScopeKey(session), filter];
  return remember(ctx, { key, owners: [session.userId, ...partners] }, build);
}

/** Returns whether the precomputed counts do not distinguish the items. */
const isNarrow = ({ search: { after, before, isFavorite } }: Sources): boolean =>
  after !== undefined || before !== undefined || isFavorite !== undefined;

async function listClusters(ctx: Ctx, filter: ClustersFilter, sources: Sources): Promise<Clusters> {
  const reader = { db: ctx.db, session: requireUser(ctx.session) };
  const range = toCellRange(parseBox(filter.bbox), filter.zoom);
  const found =
    filter.albumId === undefined
      ? await listLibraryClusters(reader, sources, range)
      : await store.listClustersOfAlbum(
          reader,
          await toAlbumItems(ctx, sources, filter.albumId),
          range,
        );
  const clusters = new Map<string, Clusters['clusters'][number]>();
  for (const { x, y, count, id, lat, lon, thumbhash } of found) {
    const place = { level: range.level, x, y };
    const cell = formatCell(place);
    const known = clusters.get(cell);
    if (known) known.count += count;
    else {
      const at = lat === null || lon === null ? getCellCenter(place) : { lat, lon };
      clusters.set(cell, { cell, count, id, ...at, thumbhash });
    }
  }
  return { level: range.level, clusters: [...clusters.values()] };
}

/** The own items, and those of partners and albums that the filter includes. */
async function listLibraryClusters(
  reader: UserReader,
  sources: Sources,
  range: CellRange,
): Promise<store.Cluster[]> {
  const { partial, whole } = splitPartners(reader, sources);
  const isScanned = isNarrow(sources);
  const [own, ofPartial, inAlbums] = await Promise.all([
    isScanned
      ? store.listScannedClusters(reader, sources, range)
      : store.listCountedClusters(reader, { ...sources, partners: whole }, range),
    isScanned || partial.length === 0
      ? []
      : store.listPartnerClusters(reader, { ...sources, partners: partial }, range),
    sources.albums ? store.listAlbumClusters(reader, sources.albums, range) : [],
  ]);
  return [...own, ...ofPartial, ...inAlbums];
}

/** Partners of whose Timelines a part is shared, which the precomputed counts do not distinguish. */
function splitPartners({ session }: UserReader, { partners }: Sources) {
  const isPartial = (id: string) => session.partialSharers.some((sharer) => sharer.id === id);
  return {
    partial: partners.filter(isPartial),
    whole: partners.filter((id) => !isPartial(id)),
  };
}

const toAlbumItems = async (ctx: Ctx, { search }: Sources, albumId: string) => ({
  albumId: await requireOpenAlbum(ctx, albumId),
  search,
});

/** Returns a page of the assets of one cell, newest first. */
export async function listCell(ctx: Ctx, filter: CellFilter): Promise<CellAssets> {
  const session = requireUser(ctx.session);
  const { size = DEFAULT_SIZE } = filter;
  const sources = toSources(session, filter);
  const items =
    filter.albumId === undefined ? sources : await toAlbumItems(ctx, sources, filter.albumId);
  const rows = await store.listItemsInCell({ db: ctx.db, session }, items, {
    cell: parseCell(filter.cell),
    after: filter.cursor === undefined ? undefined : decodeCursor(filter.cursor),
    limit: size + 1,
  });
  const isMore = rows.length > size;
  const page = rows.slice(0, size);
  const found = await findAssetsById(
    ctx,
    page.map(({ id }) => id),
  );
  const last = page.at(-1);
  return {
    items: page.flatMap(({ id }) => found.get(id) ?? []),
    nextCursor: isMore && last ? encodeCursor(last) : null,
  };
}
