import { createHmac, timingSafeEqual } from 'node:crypto';

/** Who entered the password of a link shows this from then on; one cookie for all links of a browser. */
export const LINK_COOKIE = 'immich_shared_link_token';
/** How long a link stays open without its password being entered again. */
export const LINK_UNLOCK_SECONDS = 24 * 3600;
const MAX_LINKS = 20;
const BETWEEN = '~';

export type ProtectedLink = { readonly id: string; readonly passwordHash: string };

/**
 * Proof that the password of this one link was entered. It is signed with the hash, which leaves the
 * server for nobody and is different for equal passwords: so it opens no other link, and nothing once
 * the password is changed.
 */
export function unlockToken(link: ProtectedLink, now: Date): string {
  const until = Math.floor(now.getTime() / 1000) + LINK_UNLOCK_SECONDS;
  return `${until.toString(36)}.${signature(link, until)}`;
}

/** `cookie` holds the tokens of several links. */
export function isUnlocked(link: ProtectedLink, cookie: string | undefined, now: Date): boolean {
  return validTokens(cookie, now).some(({ until, signed }) => {
    const [given, expected] = [Buffer.from(signed), Buffer.from(signature(link, until))];
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** The cookie with one more token in front; the oldest and those that have ended are left out. */
export function withToken(cookie: string | undefined, token: string, now: Date): string {
  const others = validTokens(cookie, now).map(({ text }) => text);
  return [token, ...others.filter((other) => other !== token)].slice(0, MAX_LINKS).join(BETWEEN);
}

const SHAPE = /^([0-9a-z]{1,10})\.([\w-]{43})$/;

function validTokens(cookie: string | undefined, now: Date) {
  return (cookie ?? '').split(BETWEEN, MAX_LINKS).flatMap((text) => {
    const [, end, signed] = SHAPE.exec(text) ?? [];
    if (!end || !signed) return [];
    const until = parseInt(end, 36);
    return until * 1000 > now.getTime() ? [{ text, until, signed }] : [];
  });
}

const signature = ({ id, passwordHash }: ProtectedLink, until: number): string =>
  createHmac('sha256', passwordHash).update(`${id} ${until}`).digest('base64url');
