/**
 * Sent by our page with requests that nobody asked for: its timers and live events load again what
 * is on the screen while the person does nothing.
 */
export const BACKGROUND_HEADER = 'x-safelight-background';

/** Requests that clients make on their own, however far away their owner is. */
const BACKGROUND: readonly [method: RegExp, path: RegExp][] = [
  // Live events: the handshake, and asking again whether the session is still good.
  [/./, /^\/socket\.io\b/],
  // The phone keeps its copy up to date and backs up while it lies in a pocket.
  [/./, /^\/sync\//],
  [/./, /^\/users\/me\/backup-devices\b/],
  [/./, /^\/assets\/uploads\b/],
  [/POST/, /^\/assets(\/bulk-upload-check)?$/],
  // Is the server there, is the token good, is the session still unlocked?
  [/./, /^\/server\b/],
  [/./, /^\/auth\/(validateToken|status)$/],
  [/GET/, /^\/users\/me(\/preferences)?$/],
  // Progress that pages of many clients ask for every few seconds.
  [/GET/, /^\/(jobs|queues|notifications)\b/],
];

/**
 * True for what a person does: it keeps an unlocked session unlocked. Everything counts but the
 * requests above. Thumbnails and originals do count: a phone has the lists already, so pictures are
 * all that it asks for while its owner scrolls through the Locked folder.
 */
export function isUserActivity({ method, url, headers }: Request): boolean {
  if (headers.has(BACKGROUND_HEADER)) return false;
  const path = /^[^?#]*?:\/\/[^/]*(?:\/api)?(\/[^?#]*?)\/?(?:[?#]|$)/.exec(url)?.[1] ?? '/';
  return !BACKGROUND.some(([methods, paths]) => methods.test(method) && paths.test(path));
}
