import { canOpenAlbum } from '../../access/albums.ts';
import { requireUser } from '../../access/scope.ts';
import type { SharedLinkSession, UserSession } from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';
import { badRequest, invalidField, noAccess } from '../../core/errors.ts';
import { elevationRequired } from '../assets/index.ts';
import { isOwnPerson, ownTagIdsBelow } from './labels.store.ts';
import type { TimelineFilter } from './schemas.ts';
import type { Box, Selection } from './store.ts';

/** What the caller asked for, if the caller may; undefined when nothing can match. */
export async function selectionOf(
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
    withoutStackChildren: filter.withStacked === true && isWholeShelf(ctx, filter),
    bbox: filter.bbox === undefined ? undefined : boxOf(filter.bbox),
    personId: filter.personId?.toLowerCase(),
    by: filter.orderBy ?? 'takenAt',
    order: filter.order ?? 'desc',
  } as const;
  const rest =
    session.kind === 'sharedLink'
      ? ofLink(session, filter)
      : await ofUser(ctx, requireUser(session), filter);
  if (!rest) return undefined;
  const tagIds = await tagIdsOf(ctx, filter);
  if (tagIds?.length === 0 || !(await isPersonOfCaller(ctx, filter))) return undefined;
  return { ...base, ...rest, tagIds };
}

/**
 * On a whole shelf, one item of a stack stands for the others. Of what was picked (an album, a tag, a
 * person, favorites) every item is shown: the one on top may not be among them.
 */
const isWholeShelf = (
  { session }: Ctx,
  { albumId, bbox, isFavorite, personId, tagId }: TimelineFilter,
) =>
  session.kind === 'user' &&
  [albumId, bbox, isFavorite, personId, tagId].every((filter) => filter === undefined);

const tagIdsOf = async ({ db, session }: Ctx, { tagId }: TimelineFilter) =>
  tagId === undefined ? undefined : ownTagIdsBelow(db, requireUser(session).userId, tagId);

const isPersonOfCaller = async ({ db, session }: Ctx, { personId }: TimelineFilter) =>
  personId === undefined || isOwnPerson(db, requireUser(session).userId, personId);

type Part = Pick<Selection, 'shelf' | 'visibility' | 'owners' | 'albumId'>;

function ofLink(link: SharedLinkSession, filter: TimelineFilter): Part | undefined {
  if (filter.albumId !== undefined && filter.albumId.toLowerCase() !== link.albumId) {
    throw noAccess('album.read');
  }
  if (filter.userId !== undefined) throw noAccess('timeline.read');
  if (filter.withPartners || filter.isFavorite || filter.visibility === 'hidden') return undefined;
  if (filter.tagId !== undefined || filter.personId !== undefined) return undefined;
  // Where no places are shown, none can be found out by asking for them.
  if (filter.bbox !== undefined && !link.showMetadata) return undefined;
  const shelf = shelfOf(filter);
  return link.albumId === undefined
    ? { ...shelf, owners: undefined, albumId: undefined }
    : { ...inAlbum(shelf), owners: undefined, albumId: link.albumId };
}

async function ofUser(
  ctx: Ctx,
  user: UserSession,
  filter: TimelineFilter,
): Promise<Part | undefined> {
  if (filter.withPartners) refuseUnshared(filter);
  const shelf = shelfOf(filter);
  // Locked is a shelf of its own, also in the trash: it is not listed there by name.
  if (filter.isTrashed && (filter.visibility === 'locked' || filter.visibility === 'hidden')) {
    return undefined;
  }
  if (filter.albumId !== undefined) {
    const albumId = filter.albumId.toLowerCase();
    if (!(await canOpenAlbum(ctx.db, user, albumId))) throw noAccess('album.read');
    return { ...inAlbum(shelf), owners: [user.userId], albumId };
  }
  const ownerId = filter.userId?.toLowerCase() ?? user.userId;
  if (ownerId !== user.userId) return ofPartner(user, ownerId, filter);
  const partners = filter.withPartners ? user.timelineSharers : [];
  return { ...shelf, owners: [user.userId, ...partners], albumId: undefined };
}

/** A partner shows the Timeline and nothing else. */
function ofPartner(user: UserSession, ownerId: string, filter: TimelineFilter): Part | undefined {
  if (!user.sharers.includes(ownerId)) throw noAccess('timeline.read');
  if (filter.visibility === 'archive') throw noAccess('archive.read');
  const isPrivate = filter.isTrashed || filter.isFavorite !== undefined;
  if (isPrivate || (filter.visibility && filter.visibility !== 'timeline')) return undefined;
  return { shelf: 'timeline', visibility: undefined, owners: [ownerId], albumId: undefined };
}

function refuseUnshared({ visibility, isFavorite, isTrashed }: TimelineFilter): void {
  if (visibility !== 'timeline' || isFavorite !== undefined || isTrashed) {
    throw badRequest(
      'withPartners is only supported for non-archived, non-trashed, non-favorited assets',
    );
  }
}

function shelfOf({ visibility, isTrashed }: TimelineFilter): Pick<Part, 'shelf' | 'visibility'> {
  const isNarrow = visibility === 'timeline' || visibility === 'archive';
  if (isTrashed) return { shelf: 'trash', visibility: isNarrow ? visibility : undefined };
  return { shelf: visibility ?? 'library', visibility: undefined };
}

/** An album has both shelves in one set. */
const inAlbum = (part: Pick<Part, 'shelf' | 'visibility'>): Pick<Part, 'shelf' | 'visibility'> =>
  part.shelf === 'timeline' || part.shelf === 'archive'
    ? { shelf: 'library', visibility: part.shelf }
    : part;

function boxOf(text: string): Box {
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
  if (!isOnEarth || south > north) throw invalidField('bbox', 'Not west,south,east,north');
  return { west, south, east, north };
}
