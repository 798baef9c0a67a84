import { canOpenAlbum } from '../../access/albums.ts';
import { requireUser } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';
import { noAccess } from '../../core/errors.ts';
import { createGeocoder, type Geocoder } from '../../media/places.ts';
import type { MarkerFilter, NamedPlace } from './schemas.ts';
import * as store from './store.ts';

export type Pages = AsyncGenerator<readonly store.Marker[]>;

/** Where the shown pictures were taken; what is found out by asking for favorites is one's own only. */
export async function* listMarkers(ctx: Ctx, filter: MarkerFilter): Pages {
  const session = requireUser(ctx.session);
  const { search, partners, albums } = sourcesOf(session, filter);
  const reader = { db: ctx.db, session };
  yield* store.markersOf(reader, session.userId, search);
  for (const id of partners) yield* store.markersOf(reader, id, search);
  if (albums) yield* store.markersInAlbums(reader, albums);
}

export type Sources = {
  /** Of the caller's own. */
  readonly search: store.MarkerSearch;
  /** Whose Timelines are mixed in. */
  readonly partners: readonly string[];
  readonly albums: store.AlbumSearch | undefined;
};

export function sourcesOf(session: UserSession, filter: MarkerFilter): Sources {
  const search = {
    after: filter.fileCreatedAfter,
    before: filter.fileCreatedBefore,
    withArchived: filter.isArchived === true,
    isFavorite: filter.isFavorite,
  };
  if (filter.isFavorite !== undefined) return { search, partners: [], albums: undefined };
  const { userId, timelineSharers, placelessSharers } = session;
  const partners = filter.withPartners
    ? timelineSharers.filter((id) => !placelessSharers.includes(id))
    : [];
  // A partner's items that an album shows are on the Timeline already, or archived there.
  const exceptOwners = [userId, ...placelessSharers];
  const albums = { ...search, exceptOwners, exceptTimelinesOf: partners };
  return { search, partners, albums: filter.withSharedAlbums ? albums : undefined };
}

/** Undefined: the link shows no places. */
export async function albumMarkers(ctx: Ctx, id: string): Promise<Pages | undefined> {
  const albumId = id.toLowerCase();
  if (!(await canOpenAlbum(ctx.db, ctx.session, albumId))) throw noAccess('album.read');
  const isBare = ctx.session.kind === 'sharedLink' && !ctx.session.showMetadata;
  return isBare ? undefined : store.markersOfAlbum(ctx, albumId);
}

let geocoder: Promise<Geocoder> | undefined;

/** Without a network. Nothing at sea. */
export async function placesAt(lat: number, lon: number): Promise<NamedPlace[]> {
  geocoder ??= createGeocoder();
  const place = (await geocoder).reverse(lat, lon);
  if (!place) return [];
  return [{ city: place.city ?? null, state: place.state ?? null, country: place.country }];
}
