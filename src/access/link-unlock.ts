import { createHmac, timingSafeEqual } from 'node:crypto';

/** Cookie with the unlock tokens of all links whose password was entered in the browser. */
export const LINK_COOKIE = 'immich_shared_link_token';
/** Lifetime of an unlock token, in seconds. */
export const LINK_UNLOCK_SECONDS = 24 * 3600;
const MAX_LINKS = 20;
const SEPARATOR = '~';

export type ProtectedLink = { readonly id: string; readonly passwordHash: string };

/**
 * Returns a token that proves that the password of this link was entered. It is signed with the salted
 * password hash: it opens no other link, and becomes invalid when the password changes.
 */
export function createUnlockToken(link: ProtectedLink, now: Date): string {
  const until = Math.floor(now.getTime() / 1000) + LINK_UNLOCK_SECONDS;
  return `${until.toString(36)}.${sign(link, until)}`;
}

/** Returns true when `cookie` (tokens of several links) contains a valid token of the link. */
export function isUnlocked(link: ProtectedLink, cookie: string | undefined, now: Date): boolean {
  return parseValidTokens(cookie, now).some(({ until, signed }) => {
    const [given, expected] = [Buffer.from(signed), Buffer.from(sign(link, until))];
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** Returns the cookie with the token in front, without expired tokens and those beyond the limit. */
export function addUnlockToken(cookie: string | undefined, token: string, now: Date): string {
  const others = parseValidTokens(cookie, now).map(({ text }) => text);
  return [token, ...others.filter((other) => other !== token)].slice(0, MAX_LINKS).join(SEPARATOR);
}

const TOKEN_PATTERN = /^([0-9a-z]{1,10})\.([\w-]{43})$/;

function parseValidTokens(cookie: string | undefined, now: Date) {
  return (cookie ?? '').split(SEPARATOR, MAX_LINKS).flatMap((text) => {
    const [, end, signed] = TOKEN_PATTERN.exec(text) ?? [];
    if (!end || !signed) return [];
    const until = parseInt(end, 36);
    return until * 1000 > now.getTime() ? [{ text, until, signed }] : [];
  });
}

const sign = ({ id, passwordHash }: ProtectedLink, until: number): string =>
  createHmac('sha256', passwordHash).update(`${id} ${until}`).digest('base64url');
