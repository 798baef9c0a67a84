import {
  and,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { forbidden } from '../core/errors.ts';
import type { Db } from '../db/client.ts';
import { albumAssets } from '../db/tables/albums.ts';
import { assets } from '../db/tables/assets.ts';
import { openAlbumIds } from './albums.ts';
import type { Session, SharedLinkSession, UserSession } from './session.ts';
import { accountOf, memberShowsPlace, showsPlace } from './places.ts';
import { isAmongSuppressed, isSuppressed } from './suppression.ts';
import { uuids } from '../db/arrays.ts';

/**
 * Which shelf an operation looks at. 'any' is everything the session may reach by its id, also
 * through albums; the others are shelves for listings: the caller's own items and, where asked for,
 * the Timelines of partners.
 */
export const LENS_NAMES = ['any', 'timeline', 'library', 'archive', 'locked', 'trash'] as const;
export type Lens = (typeof LENS_NAMES)[number];

const unlocked = isNull(assets.lockedAt);
const kept = isNull(assets.trashedAt);

// Written out, not bound: a prepared statement uses a partial index only if it reads its condition.
const onTimeline = sql`${assets.visibility} = 'timeline'`;
const archived = sql`${assets.visibility} = 'archive'`;
const shelved = sql`${assets.visibility} in ('timeline', 'archive')`;

const LENSES: Record<Lens, SQL | undefined> = {
  any: undefined,
  timeline: and(onTimeline, unlocked, kept),
  library: and(shelved, unlocked, kept),
  archive: and(archived, unlocked, kept),
  locked: and(shelved, isNotNull(assets.lockedAt), kept),
  trash: and(shelved, isNotNull(assets.trashedAt)),
};

const isOwn = (session: UserSession) =>
  and(eq(assets.ownerId, session.userId), session.unlocked ? undefined : unlocked);

const isFrom = (sharers: readonly string[], condition: SQL | undefined) =>
  sharers.length === 0 ? undefined : and(inArray(assets.ownerId, [...sharers]), condition);

/** The video half of a live photo is hidden, and may be seen by whoever may see the still. */
const isVideoOfSharedStill = sql`exists (
  select 1 from asset still where still.live_video_id = ${assets.id}
    and still.visibility = 'timeline' and still.locked_at is null and still.trashed_at is null)`;

/** On the Timeline of one who shares it, or the video half of what is. */
const isShared = (sharers: readonly string[]) =>
  isFrom(sharers, or(LENSES.timeline, and(isVideoOfSharedStill, unlocked, kept)));

/**
 * In a set of assets (an album, a link), itself or as the video half of a member. Two looks into an
 * index for each asset: sets may be large.
 */
const isMember = (table: SQL, condition: SQL) => sql`(
  exists (select 1 from ${table} member where member.asset_id = ${assets.id} and ${condition})
  or exists (select 1 from asset still join ${table} member on member.asset_id = still.id
    where still.live_video_id = ${assets.id} and ${condition}))`;

/** The same for shelves, where no video half is listed: the set can be read instead of all assets. */
const isListedMember = (table: SQL, condition: SQL) => sql`${assets.id} in (
  select member.asset_id from ${table} member where ${condition})`;

const isInReachableAlbum = ({ userId }: UserSession) =>
  and(
    isMember(sql`album_asset`, sql`member.album_id in (${openAlbumIds(userId)})`),
    unlocked,
    kept,
  );

/** A link shows of its own assets those that its owner still sees. */
function isInLink(link: SharedLinkSession, lens: Lens): SQL | undefined {
  const isIn = lens === 'any' ? isMember : isListedMember;
  return link.albumId
    ? isIn(sql`album_asset`, sql`member.album_id = ${link.albumId}`)
    : and(
        isIn(sql`shared_link_asset`, sql`member.link_id = ${link.linkId}`),
        or(eq(assets.ownerId, link.ownerId), isShared(link.sharers)),
      );
}

/** The floor: rows this session may ever see, whatever the operation asks for. */
function mayEverSee(session: Session, lens: Lens, sharers: readonly string[]): SQL | undefined {
  if (session.kind === 'sharedLink') return and(isInLink(session, lens), unlocked, kept);
  if (lens !== 'any') return or(isOwn(session), isFrom(sharers, LENSES.timeline));
  return or(isOwn(session), isShared(session.sharers), isInReachableAlbum(session));
}

/**
 * What the active rules of the account match is 'out' of its listings, also where others show it.
 * 'in' is for what was named by its id, 'only' for what has to be taken off a sum that is kept.
 */
export type Suppressed = 'out' | 'in' | 'only';

/** Nothing at all where no rule is active: plans are those of an account without rules. */
function bySuppression(session: Session, suppressed: Suppressed, lens?: Lens): SQL | undefined {
  if (suppressed === 'in') return undefined;
  if (session.kind !== 'user' || session.contentRules.length === 0) {
    return suppressed === 'only' ? sql`false` : undefined;
  }
  if (suppressed === 'out') return not(isSuppressed(session));
  return lens ? isAmongSuppressed(session, shelvesOf(lens)) : isSuppressed(session);
}

/** Timeline and archive have an index each. */
const shelvesOf = (lens: Lens) =>
  lens === 'library' ? [LENSES.timeline, LENSES.archive] : [LENSES[lens]];

/** A shelf is for listing, 'any' for what the caller names. */
const defaultOf = (lens: Lens): Suppressed => (lens === 'any' ? 'in' : 'out');

type Scope = { readonly sharers?: readonly string[]; readonly suppressed?: Suppressed };

/**
 * The columns of a scope: as the table has them, and whether the session may know where an asset was
 * taken. Whoever reads a place, or a time zone that tells it, asks that column.
 */
const columns = (isPlaceShown: SQL) => ({
  ...getTableColumns(assets),
  showsPlace: sql<boolean>`${isPlaceShown}`.as('shows_place'),
});

/** Shelves of an account have nothing that only albums show: plans need not know about these. */
const isByAlbum = (session: Session, lens: Lens): SQL | undefined =>
  session.kind === 'user' && lens !== 'any' ? sql`false` : undefined;

/**
 * The asset rows `session` may see through `lens`, as a subquery named "asset" to select from or to
 * join. The planner folds it into the outer query, so it costs the same as writing the conditions by
 * hand. A listing includes partners only when it names them in `sharers`.
 */
export const visibleAssets = (
  db: Db,
  session: Session,
  lens: Lens,
  { sharers = [], suppressed = defaultOf(lens) }: Scope = {},
) =>
  db
    .select(columns(showsPlace(session, isByAlbum(session, lens))))
    .from(assets)
    .where(
      and(
        mayEverSee(session, lens, sharers),
        LENSES[lens],
        bySuppression(session, suppressed, lens),
      ),
    )
    .as('asset');

/** Like visibleAssets, but only the caller's own: what a write may touch. */
export const ownAssets = (
  db: Db,
  session: Session,
  lens: Lens,
  { suppressed = defaultOf(lens) }: Pick<Scope, 'suppressed'> = {},
) =>
  db
    .select(columns(sql`true`))
    .from(assets)
    .where(and(isOwn(asUser(session)), LENSES[lens], bySuppression(session, suppressed, lens)))
    .as('asset');

/**
 * What albums show to anyone who may open them, once per album and with its id; the caller has
 * checked who may. Locked items stay members and are shown by no album.
 */
export const albumMembers = (
  db: Db,
  session: Session,
  { suppressed = 'out' }: Pick<Scope, 'suppressed'> = {},
) =>
  db
    .select({
      albumId: albumAssets.albumId,
      // The same as the month of the asset; an index of the members has it.
      memberMonth: sql`${albumAssets.localMonth}`.as('member_month'),
      ...columns(showsPlace(session, memberShowsPlace(accountOf(session)))),
    })
    .from(albumAssets)
    .innerJoin(assets, eq(assets.id, albumAssets.assetId))
    .where(and(LENSES.library, bySuppression(session, suppressed)))
    .as('asset');

/** The subset of `ids` that the session may see now. */
export async function visibleAmong(db: Db, session: Session, ids: readonly string[]) {
  return idsAmong(db, visibleAssets(db, session, 'any'), ids);
}

/** The subset of `ids` that the caller owns and may see now. */
export async function ownedAmong(db: Db, session: Session, ids: readonly string[]) {
  return idsAmong(db, ownAssets(db, session, 'any'), ids);
}

/**
 * Like ownedAmong, and nobody else changes or deletes these assets before the transaction ends. What
 * belongs to assets is written after this, so that all writers wait for each other in one order.
 */
export async function lockOwned(db: Db, session: Session, ids: readonly string[]) {
  if (ids.length === 0) return new Set<string>();
  const rows = await db
    .select({ id: assets.id })
    .from(assets)
    .where(and(isOwn(asUser(session)), sql`${assets.id} = any(${uuids(ids)})`))
    .orderBy(assets.id)
    .for('no key update');
  return new Set(rows.map((row) => row.id));
}

async function idsAmong(db: Db, asset: ReturnType<typeof visibleAssets>, ids: readonly string[]) {
  if (ids.length === 0) return new Set<string>();
  const rows = await db
    .select({ id: asset.id })
    .from(asset)
    .where(sql`${asset.id} = any(${uuids(ids)})`);
  return new Set(rows.map((row) => row.id));
}

/** Narrows to an account; a shared link never writes and never owns anything. */
export function asUser(session: Session): UserSession {
  if (session.kind !== 'user') throw forbidden('Not available through a shared link');
  return session;
}
