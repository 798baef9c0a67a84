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
export function isUserActivity({ method, url, headers }: Request): boolean {
  if (headers.has(BACKGROUND_HEADER)) return false;
  const path = /^[^?#]*?:\/\/[^/]*(?:\/api)?(\/[^?#]*?)\/?(?:[?#]|$)/.exec(url)?.[1] ?? '/';
  return !BACKGROUND.some(([methods, paths]) => methods.test(method) && paths.test(path));
}
