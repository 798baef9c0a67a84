import { canOpenAlbum } from '../../access/albums.ts';
import { hidesAllPlaces } from '../../access/places.ts';
import { requireUser } from '../../access/scope.ts';
import {
  type SharedLinkSession,
  type UserSession,
  elevationRequired,
} from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField, noAccess } from '../../core/errors.ts';
import { isOwnPerson, listOwnTagSubtree } from './labels.store.ts';
import type { TimelineFilter } from './schemas.ts';
import type { Box, Selection } from './store.ts';

/**
 * Returns the selection of a filter, or undefined when nothing can match. Throws 400 or 401 when the
 * caller may not list it.
 */
export async function toSelection(
  ctx: Ctx,
  filter: TimelineFilter,
): Promise<Selection | undefined> {
  const { session } = ctx;
  if (filter.visibility === 'locked' && !(session.kind === 'user' && session.unlocked)) {
    throw elevationRequired();
  }
  const base = {
    albumId: undefined,
    owners: undefined,
    isFavorite: filter.isFavorite,
    withoutStackChildren: filter.withStacked === true && isUnfiltered(ctx, filter),
    bbox: filter.bbox === undefined ? undefined : parseBox(filter.bbox),
    personId: filter.personId?.toLowerCase(),
    type: filter.type,
    model: filter.model,
    by: filter.orderBy ?? 'takenAt',
    order: filter.order ?? 'desc',
  } as const;
  const rest =
    session.kind === 'sharedLink'
      ? toLinkSelection(session, filter)
      : await toUserSelection(ctx, requireUser(session), filter);
  if (!rest) return undefined;
  const tagIds = await findTagIds(ctx, filter);
  if (tagIds?.length === 0 || !(await hasOwnPerson(ctx, filter))) return undefined;
  return { ...base, ...rest, tagIds };
}

/**
 * Returns whether stacks collapse to their primary item. With a filter (album, tag, person, favorites)
 * all items are listed, as the primary one may not match.
 */
const isUnfiltered = (
  { session }: Ctx,
  { albumId, bbox, isFavorite, model, personId, tagId, type }: TimelineFilter,
) =>
  session.kind === 'user' &&
  [albumId, bbox, isFavorite, model, personId, tagId, type].every((filter) => filter === undefined);

const findTagIds = async ({ db, session }: Ctx, { tagId }: TimelineFilter) =>
  tagId === undefined ? undefined : listOwnTagSubtree(db, requireUser(session).userId, tagId);

const hasOwnPerson = async ({ db, session }: Ctx, { personId }: TimelineFilter) =>
  personId === undefined || isOwnPerson(db, requireUser(session).userId, personId);

type SelectionPart = Pick<Selection, 'scope' | 'visibility' | 'owners' | 'albumId'>;

function toLinkSelection(
  link: SharedLinkSession,
  filter: TimelineFilter,
): SelectionPart | undefined {
  if (filter.albumId !== undefined && filter.albumId.toLowerCase() !== link.albumId) {
    throw noAccess('album.read');
  }
  if (filter.userId !== undefined) throw noAccess('timeline.read');
  if (filter.withPartners || filter.isFavorite || filter.visibility === 'hidden') return undefined;
  if (filter.tagId !== undefined || filter.personId !== undefined) return undefined;
  // Hidden places and cameras must not be found by searching for them.
  if (filter.bbox !== undefined && hidesAllPlaces(link)) return undefined;
  if (filter.model !== undefined && !link.showMetadata) return undefined;
  const scope = toScope(filter);
  return link.albumId === undefined
    ? { ...scope, owners: undefined, albumId: undefined }
    : { ...toAlbumScope(scope), owners: undefined, albumId: link.albumId };
}

async function toUserSelection(
  ctx: Ctx,
  user: UserSession,
  filter: TimelineFilter,
): Promise<SelectionPart | undefined> {
  if (filter.withPartners) requirePartnerFilter(filter);
  const scope = toScope(filter);
  // Locked and hidden items are not listed in the trash by visibility.
  if (filter.isTrashed && (filter.visibility === 'locked' || filter.visibility === 'hidden')) {
    return undefined;
  }
  if (filter.albumId !== undefined) {
    const albumId = filter.albumId.toLowerCase();
    if (!(await canOpenAlbum(ctx.db, user, albumId))) throw noAccess('album.read');
    return { ...toAlbumScope(scope), owners: [user.userId], albumId };
  }
  const ownerId = filter.userId?.toLowerCase() ?? user.userId;
  if (ownerId !== user.userId) return toPartnerSelection(user, ownerId, filter);
  const partners = filter.withPartners ? user.timelineSharers : [];
  return { ...scope, owners: [user.userId, ...partners], albumId: undefined };
}

/** Partners share their timeline only. */
function toPartnerSelection(
  user: UserSession,
  ownerId: string,
  filter: TimelineFilter,
): SelectionPart | undefined {
  if (!user.sharers.includes(ownerId)) throw noAccess('timeline.read');
  if (filter.visibility === 'archive') throw noAccess('archive.read');
  const isPrivate = filter.isTrashed || filter.isFavorite !== undefined;
  if (isPrivate || (filter.visibility && filter.visibility !== 'timeline')) return undefined;
  return { scope: 'timeline', visibility: undefined, owners: [ownerId], albumId: undefined };
}

function requirePartnerFilter({ visibility, isFavorite, isTrashed }: TimelineFilter): void {
  if (visibility !== 'timeline' || isFavorite !== undefined || isTrashed) {
    throw badRequest(
      'withPartners is only supported for non-archived, non-trashed, non-favorited assets',
    );
  }
}

function toScope({
  visibility,
  isTrashed,
}: TimelineFilter): Pick<SelectionPart, 'scope' | 'visibility'> {
  const isNarrow = visibility === 'timeline' || visibility === 'archive';
  if (isTrashed) return { scope: 'trash', visibility: isNarrow ? visibility : undefined };
  return { scope: visibility ?? 'library', visibility: undefined };
}

/** An album's base set contains timeline and archive. */
const toAlbumScope = (
  part: Pick<SelectionPart, 'scope' | 'visibility'>,
): Pick<SelectionPart, 'scope' | 'visibility'> =>
  part.scope === 'timeline' || part.scope === 'archive'
    ? { scope: 'library', visibility: part.scope }
    : part;

function parseBox(text: string): Box {
  const [west, south, east, north] = text.split(',').map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const isOnEarth =
    Math.abs(west) <= 180 &&
    Math.abs(east) <= 180 &&
    Math.abs(south) <= 90 &&
    Math.abs(north) <= 90;
  if (!isOnEarth || south > north)
    throw invalidField('bbox', 'Must be west,south,east,north in degrees');
  return { west, south, east, north };
}
