import postgres from 'postgres';

/**
 * The address of a server behind a unix socket, as libpq and its tools write it: the folder of the
 * socket percent-encoded in the place of the host.
 */
export const socketUrl = (folder: string, user: string, database: string): string =>
  `postgres://${user}@${encodeURIComponent(folder)}/${database}`;

/** A pool of postgres.js, which alone does not know socket folders in a URL. */
export function connect(
  url: string,
  options: postgres.Options<Record<string, never>> = {},
): postgres.Sql {
  const host = decodeURIComponent(new URL(url).hostname);
  return postgres(url, host.startsWith('/') ? { ...options, host } : options);
}
