import { mayOpenAlbum } from '../../access/albums.ts';
import { asUser } from '../../access/scope.ts';
import type { UserSession } from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';
import { noAccess } from '../../core/errors.ts';
import { createGeocoder, type Geocoder } from '../../media/places.ts';
import type { MarkerFilter, NamedPlace } from './schemas.ts';
import * as store from './store.ts';

export type Pages = AsyncGenerator<readonly store.Marker[]>;

/** Where the shown pictures were taken; what is found out by asking for favorites is one's own only. */
export async function* listMarkers(ctx: Ctx, filter: MarkerFilter): Pages {
  const session = asUser(ctx.session);
  const search = {
    after: filter.fileCreatedAfter,
    before: filter.fileCreatedBefore,
    withArchived: filter.isArchived === true,
    isFavorite: filter.isFavorite,
  };
  const { userId } = session;
  yield* store.markersOf({ db: ctx.db, session }, userId, search);
  if (filter.isFavorite !== undefined) return;
  const silent = await store.sharersWithoutPlaces(ctx.db, userId);
  const partners = filter.withPartners ? shownPartners(session, silent) : [];
  for (const id of partners) yield* store.markersOf({ db: ctx.db, session }, id, search);
  if (!filter.withSharedAlbums) return;
  // A partner's items that an album shows are on the Timeline already, or archived there.
  const except = [userId, ...silent];
  yield* store.markersInAlbums(ctx.db, userId, except, { ...search, exceptTimelinesOf: partners });
}

const shownPartners = ({ timelineSharers }: UserSession, silent: ReadonlySet<string>) =>
  timelineSharers.filter((id) => !silent.has(id));

/** Undefined: the link shows no places. */
export async function albumMarkers(ctx: Ctx, id: string): Promise<Pages | undefined> {
  const albumId = id.toLowerCase();
  if (!(await mayOpenAlbum(ctx.db, ctx.session, albumId))) throw noAccess('album.read');
  const isBare = ctx.session.kind === 'sharedLink' && !ctx.session.showMetadata;
  return isBare ? undefined : store.markersOfAlbum(ctx.db, albumId);
}

let geocoder: Promise<Geocoder> | undefined;

/** Without a network. Nothing at sea. */
export async function placesAt(lat: number, lon: number): Promise<NamedPlace[]> {
  geocoder ??= createGeocoder();
  const place = (await geocoder).reverse(lat, lon);
  if (!place) return [];
  return [{ city: place.city ?? null, state: place.state ?? null, country: place.country }];
}
