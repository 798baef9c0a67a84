import postgres from 'postgres';

/**
 * The address of a server behind a unix socket, as libpq and its tools write it: the folder of the
 * socket percent-encoded in the place of the host.
 */
export const socketUrl = (folder: string, user: string, database: string): string =>
  `postgres://${user}@${encodeURIComponent(folder)}/${database}`;

const LONGEST_BACKOFF_SECONDS = 1;

/** A server that is back after an outage is found within a second or two, not 20 as by default. */
const RECONNECT = {
  connect_timeout: 5,
  backoff: (attempts: number) =>
    (0.5 + Math.random() / 2) * Math.min(0.05 * 2 ** attempts, LONGEST_BACKOFF_SECONDS),
};

/** A pool of postgres.js, which alone does not know socket folders in a URL. */
export function connect(
  url: string,
  options: postgres.Options<Record<string, never>> = {},
): postgres.Sql {
  const host = decodeURIComponent(new URL(url).hostname);
  const all = { ...RECONNECT, ...options };
  return postgres(url, host.startsWith('/') ? { ...all, host } : all);
}

/** What another thread needs to open a pool of its own; can be sent to it. */
export type Connection = {
  /** The first, where the URL names several: the others are for the pool of the main thread. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly database: string;
  readonly user: string;
  readonly pass: string | undefined;
  /** The socket itself, where there is one. */
  readonly path: string | undefined;
  readonly ssl: 'require' | false;
};

export function connectionOf({ options }: postgres.Sql): Connection {
  // The types say less than the driver keeps: false and null where there is none.
  const { host, port, database, user, pass, path, ssl } = options as unknown as Given;
  return {
    host: host[0],
    port: port[0],
    database,
    user,
    pass: pass ?? undefined,
    path: path || undefined,
    ssl: ssl ? 'require' : false,
  };
}

type Given = Pick<Connection, 'database' | 'user'> & {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly pass: string | null;
  readonly path: string | false;
  readonly ssl: unknown;
};

export function reconnect(
  { host, port, pass, path, ...rest }: Connection,
  max: number,
): postgres.Sql {
  const options: postgres.Options<Record<string, never>> = {
    ...RECONNECT,
    ...rest,
    max,
    idle_timeout: 20,
  };
  options.onnotice = () => {};
  if (host !== undefined) options.host = host;
  if (port !== undefined) options.port = port;
  if (pass !== undefined) options.pass = pass;
  if (path !== undefined) options.path = path;
  return postgres(options);
}
