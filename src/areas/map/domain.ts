import { requireOpenAlbum } from '../../access/albums.ts';
import { hidesAllPlaces } from '../../access/places.ts';
import { requireUser } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';
import { createGeocoder, type Geocoder } from '../../media/places.ts';
import type { MarkerFilter, NamedPlace } from './schemas.ts';
import * as store from './store.ts';

export type MarkerPages = AsyncGenerator<readonly store.Marker[]>;

/**
 * Yields the positions of assets. Partners and albums are left out when filtering favorites, which are
 * private.
 */
export async function* listMarkers(ctx: Ctx, filter: MarkerFilter): MarkerPages {
  const session = requireUser(ctx.session);
  const { search, partners, albums } = toSources(session, filter);
  const reader = { db: ctx.db, session };
  yield* store.listOwnerMarkers(reader, session.userId, search);
  for (const id of partners) yield* store.listOwnerMarkers(reader, id, search);
  if (albums) yield* store.listMarkersInAlbums(reader, albums);
}

export type Sources = {
  /** The caller's own items. */
  readonly search: store.MarkerSearch;
  /** Partners whose timelines are included. */
  readonly partners: readonly string[];
  readonly albums: store.AlbumSearch | undefined;
};

export function toSources(session: UserSession, filter: MarkerFilter): Sources {
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
  // A partner's items in albums are in the partner's timeline already, or archived.
  const exceptOwners = [userId, ...placelessSharers];
  const albums = { ...search, exceptOwners, exceptTimelineOwners: partners };
  return { search, partners, albums: filter.withSharedAlbums ? albums : undefined };
}

/** Returns undefined when the link shows no places. Throws 400 without access to the album. */
export async function listAlbumMarkers(ctx: Ctx, id: string): Promise<MarkerPages | undefined> {
  const albumId = await requireOpenAlbum(ctx, id);
  return hidesAllPlaces(ctx.session) ? undefined : store.listAlbumMarkers(ctx, albumId);
}

let geocoder: Promise<Geocoder> | undefined;

/** Returns the place at a position from the bundled gazetteer; an empty array at sea. */
export async function findPlaces(lat: number, lon: number): Promise<NamedPlace[]> {
  geocoder ??= createGeocoder();
  const place = (await geocoder).reverse(lat, lon);
  if (!place) return [];
  return [{ city: place.city ?? null, state: place.state ?? null, country: place.country }];
}
