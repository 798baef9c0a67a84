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
import { selectOpenAlbumIds } from './albums.ts';
import type { Session, SharedLinkSession, UserSession } from './session.ts';
import { getAccountId, memberShowsPlace, showsPlace } from './places.ts';
import { isInSuppressedSet, isSuppressed } from './suppression.ts';
import { uuids } from '../db/arrays.ts';

/**
 * 'any': everything the session can reach by id, also through albums. The others are for listings: the
 * caller's own items and, where named, the Timelines of partners.
 */
export const ASSET_SCOPES = ['any', 'timeline', 'library', 'archive', 'locked', 'trash'] as const;
export type AssetScope = (typeof ASSET_SCOPES)[number];

const unlocked = isNull(assets.lockedAt);
const notTrashed = isNull(assets.trashedAt);

// Written out, not bound: a prepared statement uses a partial index only if it reads its condition.
const onTimeline = sql`${assets.visibility} = 'timeline'`;
const archived = sql`${assets.visibility} = 'archive'`;
const onTimelineOrArchived = sql`${assets.visibility} in ('timeline', 'archive')`;

const SCOPE_CONDITIONS: Record<AssetScope, SQL | undefined> = {
  any: undefined,
  timeline: and(onTimeline, unlocked, notTrashed),
  library: and(onTimelineOrArchived, unlocked, notTrashed),
  archive: and(archived, unlocked, notTrashed),
  locked: and(onTimelineOrArchived, isNotNull(assets.lockedAt), notTrashed),
  trash: and(onTimelineOrArchived, isNotNull(assets.trashedAt)),
};

const isOwn = (session: UserSession) =>
  and(eq(assets.ownerId, session.userId), session.unlocked ? undefined : unlocked);

const isFrom = (sharers: readonly string[], condition: SQL | undefined) =>
  sharers.length === 0 ? undefined : and(inArray(assets.ownerId, [...sharers]), condition);

/** True unless the owner of a row named `asset` shares only what was taken later. */
const isSinceShared = (
  { partialSharers }: Session,
  sharers: readonly string[],
  asset: SQL = sql`${assets}`,
): SQL | undefined =>
  and(
    ...partialSharers
      .filter(({ id }) => sharers.includes(id))
      .map(
        ({ id, from }) => sql`(${asset}.owner_id <> ${id}::uuid
        or ${asset}.local_taken_at >= ${from}::date)`,
      ),
  );

/** True for a row named "asset" on the Timeline of one of these partners, as far as it is shared. */
export const isSharedTimeline = (session: Session, sharers: readonly string[]): SQL | undefined =>
  isFrom(sharers, and(SCOPE_CONDITIONS.timeline, isSinceShared(session, sharers)));

/** The video half of a live photo is hidden, and may be seen by whoever may see the still. */
const isVideoOfSharedStill = (isSince: SQL | undefined) => sql`exists (
  select 1 from asset still where ${and(
    sql`still.live_video_id = ${assets.id} and still.visibility = 'timeline'
      and still.locked_at is null and still.trashed_at is null`,
    isSince,
  )})`;

/** On the Timeline of a sharing partner, or the video half of such an item. */
function isShared(session: Session): SQL | undefined {
  const { sharers } = session;
  const isVideo = isVideoOfSharedStill(isSinceShared(session, sharers, sql`still`));
  const isShown = and(SCOPE_CONDITIONS.timeline, isSinceShared(session, sharers));
  return isFrom(sharers, or(isShown, and(isVideo, unlocked, notTrashed)));
}

/**
 * True for members of a set (album, shared link) and for their video halves. Costs two index lookups per
 * asset, however large the set is.
 */
const isMember = (table: SQL, condition: SQL) => sql`(
  exists (select 1 from ${table} member where member.asset_id = ${assets.id} and ${condition})
  or exists (select 1 from asset still join ${table} member on member.asset_id = still.id
    where still.live_video_id = ${assets.id} and ${condition}))`;

/** Like isMember without video halves, for listings: reads the set instead of every asset. */
const isListedMember = (table: SQL, condition: SQL) => sql`${assets.id} in (
  select member.asset_id from ${table} member where ${condition})`;

const isInReachableAlbum = ({ userId }: UserSession) =>
  and(
    isMember(sql`album_asset`, sql`member.album_id in (${selectOpenAlbumIds(userId)})`),
    unlocked,
    notTrashed,
  );

/** A shared link shows only what its owner can still see. */
function isInLink(link: SharedLinkSession, scope: AssetScope): SQL | undefined {
  const isIn = scope === 'any' ? isMember : isListedMember;
  return link.albumId
    ? isIn(sql`album_asset`, sql`member.album_id = ${link.albumId}`)
    : and(
        isIn(sql`shared_link_asset`, sql`member.link_id = ${link.linkId}`),
        or(eq(assets.ownerId, link.ownerId), isShared(link)),
      );
}

/** The rows that the session may see at all, before the scope narrows them. */
function isVisible(
  session: Session,
  scope: AssetScope,
  sharers: readonly string[],
): SQL | undefined {
  if (session.kind === 'sharedLink') return and(isInLink(session, scope), unlocked, notTrashed);
  if (scope !== 'any') return or(isOwn(session), isSharedTimeline(session, sharers));
  return or(isOwn(session), isShared(session), isInReachableAlbum(session));
}

/**
 * Items that match an active content rule of the account: 'out' leaves them out, 'in' includes them
 * (for items named by id), 'only' selects nothing else (to subtract them from a stored count).
 */
export type Suppressed = 'out' | 'in' | 'only';

/** Returns undefined when no rule is active, so that the query plan is the one without rules. */
function whereSuppressed(
  session: Session,
  suppressed: Suppressed,
  scope?: AssetScope,
): SQL | undefined {
  if (suppressed === 'in') return undefined;
  if (session.kind !== 'user' || session.contentRules.length === 0) {
    return suppressed === 'only' ? sql`false` : undefined;
  }
  if (suppressed === 'out') return not(isSuppressed(session));
  return scope ? isInSuppressedSet(session, listConditions(scope)) : isSuppressed(session);
}

/** Timeline and archive have an index each. */
const listConditions = (scope: AssetScope) =>
  scope === 'library'
    ? [SCOPE_CONDITIONS.timeline, SCOPE_CONDITIONS.archive]
    : [SCOPE_CONDITIONS[scope]];

const defaultSuppressed = (scope: AssetScope): Suppressed => (scope === 'any' ? 'in' : 'out');

type ScopeOptions = { readonly sharers?: readonly string[]; readonly suppressed?: Suppressed };

/**
 * The columns of the table and two more. `shows_place`: whether the session may know where the asset was
 * taken; read places, and time zones (which reveal a place), only where it is true. `row_version`: the
 * transaction that wrote the row, another one after each change.
 */
const columns = (isPlaceShown: SQL) => ({
  ...getTableColumns(assets),
  showsPlace: sql<boolean>`${isPlaceShown}`.as('shows_place'),
  rowVersion: sql<string>`${assets}.xmin`.as('row_version'),
});

/** Listings of an account contain nothing that only an album shows: spares the lookup. */
const isByAlbum = (session: Session, scope: AssetScope): SQL | undefined =>
  session.kind === 'user' && scope !== 'any' ? sql`false` : undefined;

/**
 * Returns the asset rows of `scope` that `session` may see, as a subquery named "asset" to select from
 * or to join. The planner inlines it, so it costs no more than the conditions themselves. A listing
 * includes the Timelines of the partners in `sharers`.
 */
export const visibleAssets = (
  db: Db,
  session: Session,
  scope: AssetScope,
  { sharers = [], suppressed = defaultSuppressed(scope) }: ScopeOptions = {},
) =>
  db
    .select(columns(showsPlace(session, isByAlbum(session, scope))))
    .from(assets)
    .where(
      and(
        isVisible(session, scope, sharers),
        SCOPE_CONDITIONS[scope],
        whereSuppressed(session, suppressed, scope),
      ),
    )
    .as('asset');

/**
 * Like visibleAssets, restricted to the library of the caller or the Timeline of a partner, `ownerId`. Asked for both, a
 * statement reads the rows for what indexes have, too.
 */
export const accountAssets = (
  db: Db,
  session: UserSession,
  scope: Exclude<AssetScope, 'any'>,
  { ownerId, suppressed = 'out' }: Pick<ScopeOptions, 'suppressed'> & { readonly ownerId: string },
) =>
  db
    .select(columns(showsPlace(session, isByAlbum(session, scope))))
    .from(assets)
    .where(
      and(
        ownerId === session.userId ? isOwn(session) : isSharedTimeline(session, [ownerId]),
        SCOPE_CONDITIONS[scope],
        whereSuppressed(session, suppressed, scope),
      ),
    )
    .as('asset');

/** Like visibleAssets, restricted to the caller's own: what a write may change. */
export const ownAssets = (
  db: Db,
  session: Session,
  scope: AssetScope,
  { suppressed = defaultSuppressed(scope) }: Pick<ScopeOptions, 'suppressed'> = {},
) =>
  db
    .select(columns(sql`true`))
    .from(assets)
    .where(
      and(
        isOwn(requireUser(session)),
        SCOPE_CONDITIONS[scope],
        whereSuppressed(session, suppressed, scope),
      ),
    )
    .as('asset');

/**
 * Returns the rows that albums show, one per album and asset. The caller checks who may open the album.
 * Locked items stay members, but no album shows them.
 */
export const albumMembers = (
  db: Db,
  session: Session,
  { suppressed = 'out' }: Pick<ScopeOptions, 'suppressed'> = {},
) =>
  db
    .select({
      albumId: albumAssets.albumId,
      // The same as the month of the asset; an index of the members has it.
      memberMonth: sql`${albumAssets.localMonth}`.as('member_month'),
      memberPosition: sql`${albumAssets.position}`.as('member_position'),
      // The same as the id: pages by place are ranges of an index of the members.
      memberId: sql`${albumAssets.assetId}`.as('member_id'),
      ...columns(showsPlace(session, memberShowsPlace(getAccountId(session)))),
    })
    .from(albumAssets)
    .innerJoin(assets, eq(assets.id, albumAssets.assetId))
    .where(and(SCOPE_CONDITIONS.library, whereSuppressed(session, suppressed)))
    .as('asset');

/**
 * Returns the asset rows that these albums show, each once, as far as the caller may open them; and of the caller's own
 * those that albums do not show, too (locked, trashed): `scope` of a listing decides on them.
 */
export const openAlbumAssets = (
  db: Db,
  session: UserSession,
  albumIds: readonly string[],
  { suppressed = 'out' }: Pick<ScopeOptions, 'suppressed'> = {},
) =>
  db
    .select(columns(showsPlace(session)))
    .from(assets)
    .where(
      and(
        isListedMember(
          sql`album_asset`,
          sql`member.album_id = any(${uuids(albumIds)})
            and member.album_id in (${selectOpenAlbumIds(session.userId)})`,
        ),
        or(isOwn(session), SCOPE_CONDITIONS.library),
        whereSuppressed(session, suppressed),
      ),
    )
    .as('asset');

/** Returns the subset of `ids` that the session may see. */
export async function visibleAmong(db: Db, session: Session, ids: readonly string[]) {
  return selectIds(db, visibleAssets(db, session, 'any'), ids);
}

/** Returns the subset of `ids` that the caller owns and may see. */
export async function ownedAmong(db: Db, session: Session, ids: readonly string[]) {
  return selectIds(db, ownAssets(db, session, 'any'), ids);
}

/** Returns the subset of `ids` that is in the caller's library, also what content rules leave out of lists. */
export async function listedAmong(db: Db, session: UserSession, ids: readonly string[]) {
  return selectIds(db, ownAssets(db, session, 'library', { suppressed: 'in' }), ids);
}

/** Like listedAmong, with what partners share: what the caller may add to albums and links. */
export async function shareableAmong(db: Db, session: UserSession, ids: readonly string[]) {
  const { sharers } = session;
  return selectIds(db, visibleAssets(db, session, 'library', { sharers, suppressed: 'in' }), ids);
}

/**
 * Like ownedAmong, and locks the rows until the transaction ends. Call it before writing anything that
 * belongs to the assets, so that all writers take locks in one order.
 */
export async function lockOwned(db: Db, session: Session, ids: readonly string[]) {
  if (ids.length === 0) return new Set<string>();
  const rows = await db
    .select({ id: assets.id })
    .from(assets)
    .where(and(isOwn(requireUser(session)), sql`${assets.id} = any(${uuids(ids)})`))
    .orderBy(assets.id)
    .for('no key update');
  return new Set(rows.map((row) => row.id));
}

async function selectIds(db: Db, asset: ReturnType<typeof visibleAssets>, ids: readonly string[]) {
  if (ids.length === 0) return new Set<string>();
  const rows = await db
    .select({ id: asset.id })
    .from(asset)
    .where(sql`${asset.id} = any(${uuids(ids)})`);
  return new Set(rows.map((row) => row.id));
}

/** Returns the session as that of an account. Throws 403 for a shared link. */
export function requireUser(session: Session): UserSession {
  if (session.kind !== 'user') throw forbidden('Not available through a shared link');
  return session;
}
