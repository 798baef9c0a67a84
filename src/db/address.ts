import postgres from 'postgres';

/** Returns the URL of a server behind a unix socket, as libpq writes it: the folder in place of the host. */
export const socketUrl = (folder: string, user: string, database: string): string =>
  `postgres://${user}@${encodeURIComponent(folder)}/${database}`;

const MAX_BACKOFF_SECONDS = 1;

/** Finds a server that is back after an outage within two seconds, not 20 as by default. */
const RECONNECT = {
  connect_timeout: 5,
  keep_alive: 10,
  backoff: (attempts: number) =>
    (0.5 + Math.random() / 2) * Math.min(0.05 * 2 ** attempts, MAX_BACKOFF_SECONDS),
};

export type ConnectOptions = postgres.Options<Record<string, never>> & {
  /**
   * Seconds in which something must be heard of a server that owes an answer; else the connection is lost. Of our
   * patch, native/patches.
   */
  readonly query_timeout?: number;
};

/** Opens a pool of postgres.js, which by itself does not know socket folders in a URL. */
export function connect(url: string, options: ConnectOptions = {}): postgres.Sql {
  const host = decodeURIComponent(new URL(url).hostname);
  const all = { ...RECONNECT, ...options };
  return postgres(url, host.startsWith('/') ? { ...all, host } : all);
}

/** The parameters of a pool, which another thread can be sent to open its own. */
export type Connection = {
  /** The first one where the URL names several; the main thread's pool uses the others too. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly database: string;
  readonly user: string;
  readonly pass: string | undefined;
  /** The socket itself, where there is one. */
  readonly path: string | undefined;
  readonly ssl: 'require' | false;
};

export function getConnection({ options }: postgres.Sql): Connection {
  // The driver has false and null where its types say undefined.
  const { host, port, database, user, pass, path, ssl } = options as unknown as DriverOptions;
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

type DriverOptions = Pick<Connection, 'database' | 'user'> & {
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
