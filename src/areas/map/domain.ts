import { requireOpenAlbum } from '../../access/albums.ts';
import { hidesAllPlaces } from '../../access/places.ts';
import { requireUser } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';
import { getGeocoder } from '../../media/places.ts';
import { findMarkersByMonth } from './remembered-markers.ts';
import type { MarkerFilter, NamedPlace } from './schemas.ts';
import * as store from './store.ts';

/** JSON of some markers each, without brackets. */
export type MarkerTexts = AsyncGenerator<readonly string[]>;

/**
 * Yields the positions of assets. Partners and albums are left out when filtering favorites, which are
 * private.
 */
export async function* listMarkers(ctx: Ctx, filter: MarkerFilter): MarkerTexts {
  const session = requireUser(ctx.session);
  const { search, partners, albums } = toSources(session, filter);
  const reader = { db: ctx.db, session };
  for (const id of [session.userId, ...partners]) yield* listMarkersOf(ctx, reader, id, search);
  if (albums) yield* formatPages(store.listMarkersInAlbums(reader, albums));
}

/** Yields the markers of the caller or of a partner. */
async function* listMarkersOf(
  ctx: Ctx,
  reader: store.UserReader,
  ownerId: string,
  search: store.MarkerSearch,
): MarkerTexts {
  const { userId, contentRules, partialSharers } = reader.session;
  const isNarrow = search.after !== undefined || search.before !== undefined;
  if (!isNarrow) {
    // A partner shares what is on the Timeline.
    const withArchived = search.withArchived && ownerId === userId;
    const shared = ownerId === userId ? [] : partialSharers.filter(({ id }) => id === ownerId);
    const key = JSON.stringify([ownerId, withArchived, search.isFavorite, shared]);
    const markers = await findMarkersByMonth(ctx, reader, {
      ownerId,
      search: { ...search, withArchived },
      // Content rules may be about what no version tells of.
      key: contentRules.length === 0 ? key : undefined,
    });
    if (markers) {
      for await (const text of markers) yield [text];
      return;
    }
  }
  yield* formatPages(store.listOwnerMarkers(reader, ownerId, search));
}

async function* formatPages(pages: AsyncGenerator<store.MarkerRow[]>): MarkerTexts {
  for await (const rows of pages) yield rows.map(store.formatMarker);
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
export async function listAlbumMarkers(ctx: Ctx, id: string): Promise<MarkerTexts | undefined> {
  const albumId = await requireOpenAlbum(ctx, id);
  return hidesAllPlaces(ctx.session)
    ? undefined
    : formatPages(store.listAlbumMarkers(ctx, albumId));
}

/** Returns the place at a position from the bundled gazetteer; an empty array at sea. */
export async function findPlaces(lat: number, lon: number): Promise<NamedPlace[]> {
  const place = (await getGeocoder()).reverse(lat, lon);
  if (!place) return [];
  return [{ city: place.city ?? null, state: place.state ?? null, country: place.country }];
}
