import { and, type SQL, sql } from 'drizzle-orm';
import { selectOpenAlbumIds } from '../../access/albums.ts';
import { listAlbumAssetPages } from '../albums/contents/index.ts';
import { albumMembers, isSharedTimeline, ownAssets, visibleAssets } from '../../access/scope.ts';
import type { Session, UserSession } from '../../access/session.ts';
import type { Db } from '../../db/client.ts';
import { uuids } from '../../db/arrays.ts';
import { isBehind } from '../../db/keyset.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';

export type MapReader = { readonly db: Db; readonly session: Session };
export type UserReader = { readonly db: Db; readonly session: UserSession };

/** A marker as clients get it. */
export type Marker = {
  id: string;
  lat: number;
  lon: number;
  city: string | null;
  state: string | null;
  country: string | null;
};
export type MarkerRow = Marker & { readonly takenAt: string };

/** Returns a marker as JSON. */
export const formatMarker = ({ id, lat, lon, city, state, country }: Marker): string =>
  JSON.stringify({ id, lat, lon, city, state, country });

/** Filters of markers; capture times are inclusive. */
export type MarkerSearch = {
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly withArchived: boolean;
  readonly isFavorite: boolean | undefined;
};

const PAGE_SIZE = 5000;

/** Yields pages of one user's markers, newest first. The owner is the caller or a partner. */
export async function* listOwnerMarkers(
  reader: UserReader,
  ownerId: string,
  search: MarkerSearch,
): AsyncGenerator<MarkerRow[]> {
  const scope = search.withArchived ? 'library' : 'timeline';
  yield* readPages(
    reader.db,
    selectOwned(reader, ownerId, scope),
    and(sql`asset.owner_id = ${ownerId}::uuid`, toConditions(search)),
  );
}

/** Selects items of the caller, or those on the Timeline of a partner, named asset. */
export const selectOwned = (
  { db, session }: UserReader,
  ownerId: string,
  scope: 'library' | 'timeline' | 'archive',
) =>
  ownerId === session.userId
    ? ownAssets(db, session, scope)
    : visibleAssets(db, session, 'timeline', { sharers: [ownerId] });

/** Markers of other users in albums. */
export type AlbumSearch = MarkerSearch & {
  /** Owners whose items are left out. */
  readonly exceptOwners: readonly string[];
  readonly exceptTimelineOwners: readonly string[];
};

/** Yields markers of other users' items in albums that the caller may open, each once. */
export async function* listMarkersInAlbums(
  reader: UserReader,
  search: AlbumSearch,
): AsyncGenerator<MarkerRow[]> {
  yield* readPages(reader.db, selectOthersInAlbums(reader, search), toConditions(search));
}

/** Selects other users' items in the caller's albums, named asset. */
export function selectOthersInAlbums({ db, session }: UserReader, search: AlbumSearch): SQL {
  const { userId } = session;
  const member = albumMembers(db, session);
  const isInScope = search.withArchived ? sql`true` : sql`asset.visibility = 'timeline'`;
  return sql`(
    select distinct on (asset.id) asset.* from ${member}
    where asset.shows_place and asset.album_id in (${selectOpenAlbumIds(userId)})
      and asset.owner_id <> all(${uuids(search.exceptOwners)})
      and not (${isSharedTimeline(session, search.exceptTimelineOwners) ?? sql`false`})
      and ${isInScope}
  ) asset`;
}

/** Items that an album shows. A filter by favorites, which are private, leaves the caller's own. */
export type AlbumItems = { readonly albumId: string; readonly search: MarkerSearch };

/** Selects the items of an album whose places the caller may know, named asset. */
export function selectAlbumItems(
  { db, session }: UserReader,
  { albumId, search }: AlbumItems,
): SQL {
  const isPrivate = search.isFavorite !== undefined;
  return sql`(
    select asset.* from ${albumMembers(db, session)}
    where asset.album_id = ${albumId}::uuid and asset.shows_place
      ${isPrivate ? sql`and asset.owner_id = ${session.userId}::uuid` : sql``}
  ) asset`;
}

/** Yields the markers of an album, unordered. Does not check access. */
export async function* listAlbumMarkers(
  { db, session }: MapReader,
  albumId: string,
): AsyncGenerator<MarkerRow[]> {
  const isShown = sql`asset.album_id = ${albumId}::uuid and asset.shows_place`;
  for await (const ids of listAlbumAssetPages(db, albumId, PAGE_SIZE)) {
    yield* readPages(
      db,
      albumMembers(db, session),
      and(isShown, sql`asset.id = any(${uuids(ids)})`),
    );
  }
}

export const toConditions = ({ after, before, isFavorite }: MarkerSearch): SQL | undefined =>
  and(
    after === undefined ? undefined : sql`asset.taken_at >= ${after}::timestamptz`,
    before === undefined ? undefined : sql`asset.taken_at <= ${before}::timestamptz`,
    isFavorite === undefined
      ? undefined
      : isFavorite
        ? sql`asset.is_favorite`
        : sql`not asset.is_favorite`,
  );

type Base = SQL | ReturnType<typeof visibleAssets> | ReturnType<typeof albumMembers>;

async function* readPages(
  db: Db,
  base: Base,
  condition: SQL | undefined,
): AsyncGenerator<MarkerRow[]> {
  let last: MarkerRow | undefined;
  for (;;) {
    const rows: MarkerRow[] = await queryRows(
      db,
      {
        id: column.uuid,
        lat: column.float,
        lon: column.float,
        city: column.text.orNull,
        state: column.text.orNull,
        country: column.text.orNull,
        takenAt: column.text,
      },
      sql`
      select asset.id, exif.latitude as lat, exif.longitude as lon, exif.city, exif.state,
        exif.country, asset.taken_at::text as "takenAt"
      from ${base} join asset_exif exif on exif.asset_id = asset.id
      where ${and(
        condition,
        sql`exif.latitude is not null and exif.longitude is not null`,
        last &&
          isBehind({
            columns: [sql`asset.taken_at`, sql`asset.id`],
            values: [sql`${last.takenAt}::timestamptz`, sql`${last.id}::uuid`],
            direction: 'desc',
          }),
      )}
      order by asset.taken_at desc, asset.id desc limit ${sql.raw(String(PAGE_SIZE))}`,
    );
    if (rows.length > 0) yield rows;
    last = rows.at(-1);
    if (rows.length < PAGE_SIZE) return;
  }
}
