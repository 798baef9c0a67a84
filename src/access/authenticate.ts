import { and, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm';
import { createBatchedLoader } from './batch.ts';
import type { Deps } from '../core/context.ts';
import { AppError, unauthorized } from '../core/errors.ts';
import type { Db } from '../db/client.ts';
import { queryRows } from '../db/query.ts';
import { hidesPlaces, sharedLinks } from '../db/tables/albums.ts';
import { users } from '../db/tables/identity.ts';
import {
  AGGREGATED_PARTIAL_SHARERS,
  findApiKeys,
  findTokens,
  type TokenRow,
} from './credentials.store.ts';
import { findCookie, type Credentials, readCredentials } from './credentials.ts';
import { countFailure, createTokenLane } from './attempt-throttle.ts';
import { isUnlocked, LINK_COOKIE } from './link-unlock.ts';
import { ALL_PERMISSIONS } from './permissions.ts';
import { isRecentProof } from './recent-proof.ts';
import type { PartialSharer, Session, SharedLinkSession, UserSession } from './session.ts';

export type AuthenticateOptions = {
  /** IP address of the client; undefined when unknown. */
  readonly address?: string | undefined;
  /** The host that the client requested, where a proxy changed it. */
  readonly host?: string | null;
  /** The request never extends the elevation of the session. */
  readonly background?: boolean;
  /** Reads the change log of the account too, for answers that are remembered. */
  readonly withLog?: boolean;
};

export type Authenticate = (
  request: Request,
  now: Date,
  options?: AuthenticateOptions,
) => Promise<Session>;

/**
 * Returns the function that authenticates requests: the only place that creates sessions. It throws 401
 * for missing or wrong credentials and 429 for too many wrong ones. Concurrent requests share a query.
 */
export function createAuthenticate({ db }: Pick<Deps, 'db'>): Authenticate {
  const createLoaders = (withLog: boolean) => ({
    findToken: createBatchedLoader((tokens: readonly string[]) => findTokens(db, tokens, withLog)),
    findApiKey: createBatchedLoader((keys: readonly string[]) => findApiKeys(db, keys, withLog)),
  });
  const plain = createLoaders(false);
  const logged = createLoaders(true);
  const keepAlive = createKeepAlive(db);

  const identify = async (
    request: Request,
    now: Date,
    { host, background = false, withLog = false }: AuthenticateOptions,
  ): Promise<Session> => {
    const given = readCredentials(request, host);
    if (given.shareKey ?? given.shareSlug) {
      return authenticateLink(
        db,
        { ...given, unlockCookie: findCookie(request, LINK_COOKIE) },
        now,
      );
    }

    const { findToken, findApiKey } = withLog ? logged : plain;
    const [token, key] = await Promise.all([
      given.sessionToken && findToken(given.sessionToken),
      given.apiKey && findApiKey(given.apiKey),
    ]);
    if (given.sessionToken && !isValid(token, now))
      throw createWrongSecretError('Invalid user token');
    if (given.apiKey && !key) throw createWrongSecretError('Invalid API key');
    if (token && key && token.userId !== key.userId)
      throw createWrongSecretError('Invalid API key');
    const account = token || key;
    if (!account) throw unauthorized();
    if (token) await keepAlive(token, now, !background && isUserActivity(request));
    return {
      kind: 'user',
      userId: account.userId,
      isAdmin: account.isAdmin,
      sessionId: token ? token.id : undefined,
      apiKeyId: key ? key.id : undefined,
      device: account.device,
      unlocked: Boolean(token && token.elevatedUntil && token.elevatedUntil > now),
      isProven: Boolean(token && isRecentProof(token.provenAt, now)),
      sharers: account.sharers,
      timelineSharers: account.timelineSharers,
      placelessSharers: account.placelessSharers,
      partialSharers: account.partialSharers,
      contentRules: account.contentRules ?? [],
      permissions: key ? new Set(key.permissions) : ALL_PERMISSIONS,
      log: account.log,
    } satisfies UserSession;
  };

  return async (request, now, options = {}) => {
    const { address } = options;
    try {
      return await identify(request, now, options);
    } catch (error) {
      // Counts wrong secrets only, so that nobody can slow down holders of a correct one.
      if (address && error instanceof AppError && error.detail === WRONG_SECRET) {
        await countFailure(db, createTokenLane(address), now);
      }
      throw error;
    }
  };
}

const WRONG_SECRET = {};
const createWrongSecretError = (message: string) => unauthorized(message, WRONG_SECRET);

const isValid = (token: TokenRow | '' | undefined, now: Date): token is TokenRow =>
  token !== undefined && token !== '' && !(token.expiresAt && token.expiresAt <= now);

const MINUTE_MS = 60_000;
const SEEN_INTERVAL_MS = 60 * MINUTE_MS;
/** User activity keeps the session elevated for at least this long. */
const MIN_ELEVATION_MS = 5 * MINUTE_MS;

/**
 * Returns the function that records that a session is in use (at most hourly) and extends its elevation
 * on user activity. An extension adds a spare minute, so it is written at most once a minute.
 */
function createKeepAlive(db: Db) {
  const writing = new Set<string>();
  return async (
    { id, seenAt, elevatedUntil }: TokenRow,
    at: Date,
    isActivity: boolean,
  ): Promise<void> => {
    const isStale = at.getTime() - seenAt.getTime() > SEEN_INTERVAL_MS;
    const left = (elevatedUntil?.getTime() ?? 0) - at.getTime();
    const isSliding = isActivity && left > 0 && left < MIN_ELEVATION_MS;
    if ((!isStale && !isSliding) || writing.has(id)) return;
    writing.add(id);
    try {
      const until = new Date(at.getTime() + MIN_ELEVATION_MS + MINUTE_MS);
      // Only a session that is still elevated: another request may have locked it meanwhile.
      await queryRows(
        db,
        sql`
        update session set updated_at = ${at.toISOString()}, elevated_until =
          case when ${isSliding} and elevated_until > ${at.toISOString()}
            then greatest(elevated_until, ${until.toISOString()}) else elevated_until end
        where id = ${id}`,
      );
    } finally {
      writing.delete(id);
    }
  };
}

/** Partners who share with the owner of "shared_link". */
const selectSharers = (condition: SQL) => sql<string[]>`array(
  select partner.sharer_id from partner join app_user sharer on sharer.id = partner.sharer_id
  where partner.viewer_id = shared_link.owner_id and ${condition})`;

type LinkCredentials = Credentials & {
  /** Cookie with the unlock tokens of password-protected links. */
  readonly unlockCookie: string | undefined;
};

async function authenticateLink(
  db: Db,
  { shareKey, shareSlug, unlockCookie: unlocked }: LinkCredentials,
  now: Date,
): Promise<SharedLinkSession> {
  const [row] = await db
    .select({
      linkId: sharedLinks.id,
      ownerId: sharedLinks.ownerId,
      albumId: sharedLinks.albumId,
      passwordHash: sharedLinks.passwordHash,
      allowUpload: sharedLinks.allowUpload,
      allowDownload: sharedLinks.allowDownload,
      showMetadata: sharedLinks.showMetadata,
      hidesPlaces,
      expiresAt: sharedLinks.expiresAt,
      sharers: selectSharers(sql`sharer.deleted_at is null`),
      placelessSharers: selectSharers(sql`partner.hides_places`),
      partialSharers: sql<PartialSharer[]>`coalesce((select ${sql.raw(AGGREGATED_PARTIAL_SHARERS)}
        from partner where partner.viewer_id = shared_link.owner_id), '[]')`,
    })
    .from(sharedLinks)
    .innerJoin(users, and(eq(users.id, sharedLinks.ownerId), isNull(users.deletedAt)))
    .where(
      or(
        shareKey ? eq(sharedLinks.key, decodeShareKey(shareKey)) : undefined,
        shareKey || !shareSlug
          ? undefined
          : // Browsers of Macs may send the letters of a name in two parts.
            inArray(sharedLinks.slug, [shareSlug, shareSlug.normalize('NFC')]),
      ),
    )
    // The one that has exactly this name, before one in the other form.
    .orderBy(sql`${sharedLinks.slug} is distinct from ${shareSlug ?? null}`)
    .prepare('authenticate.link')
    .execute();
  if (!row || (row.expiresAt && row.expiresAt <= now))
    throw createWrongSecretError('Invalid share key');
  const { passwordHash, expiresAt: _, albumId, ...link } = row;
  const isOpen = !passwordHash || isUnlocked({ id: link.linkId, passwordHash }, unlocked, now);
  return {
    kind: 'sharedLink',
    ...link,
    // An original contains the metadata that the link hides.
    allowDownload: link.allowDownload && link.showMetadata,
    albumId: albumId ?? undefined,
    ...(!isOpen && { needsPassword: true }),
  };
}

/** Share keys travel as URL-safe base64, or as 100 hex digits in older links. */
const decodeShareKey = (key: string): Uint8Array =>
  Buffer.from(key, /^[0-9a-f]{100}$/i.test(key) ? 'hex' : 'base64url');

/** Header that the page sends with requests of its timers and live events: no user activity. */
const BACKGROUND_HEADER = 'x-safelight-background';

/** Requests that clients send without user activity. */
const BACKGROUND: readonly [method: RegExp, path: RegExp][] = [
  // Live events: the handshake and later checks of the session.
  [/./, /^\/socket\.io\b/],
  // The phone's background sync and backup.
  [/./, /^\/sync\//],
  [/./, /^\/users\/me\/backup-devices\b/],
  [/./, /^\/assets\/uploads\b/],
  [/POST/, /^\/assets(\/bulk-upload-check)?$/],
  // Health and session checks.
  [/./, /^\/server\b/],
  [/./, /^\/auth\/(validateToken|status)$/],
  [/GET/, /^\/users\/me(\/preferences)?$/],
  // Progress that clients poll every few seconds.
  [/GET/, /^\/(jobs|queues|notifications)\b/],
];

/**
 * Returns true for requests that extend the elevation of a session: all but those above. Thumbnails and
 * originals count: a phone that has the lists requests nothing else while its owner scrolls through the
 * Locked folder.
 */
function isUserActivity({ method, url, headers }: Request): boolean {
  if (headers.has(BACKGROUND_HEADER)) return false;
  const path = /^[^?#]*?:\/\/[^/]*(?:\/api)?(\/[^?#]*?)\/?(?:[?#]|$)/.exec(url)?.[1] ?? '/';
  return !BACKGROUND.some(([methods, paths]) => methods.test(method) && paths.test(path));
}
