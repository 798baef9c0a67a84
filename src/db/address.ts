import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import postgres from 'postgres';
import { parsePostgresAddress, type PostgresTls } from '../core/postgres-url.ts';

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
  /** Sent on each new connection before other statements; `onsession` gets its row. Of our patch, too. */
  readonly session_query?: string;
  readonly onsession?: (row: Readonly<Record<string, unknown>>) => void;
};

const ADDRESS = Symbol('address');

/**
 * Opens a pool of postgres.js on an address as libpq writes it: every connection to the database is made here. By itself
 * postgres.js knows no folders of sockets, and no files of certificates.
 */
export function connect(address: string, options: ConnectOptions = {}): postgres.Sql {
  const { hosts, tls, targetSessionAttrs, url } = parsePostgresAddress(address);
  const [{ host, port } = { host: 'localhost', port: 5432 }] = hosts;
  const isSocket = host.startsWith('/');
  const target = targetSessionAttrs ?? options.target_session_attrs ?? 'primary';
  // It takes lists, of which its types do not know.
  const several = { host: hosts.map((one) => one.host), port: hosts.map((one) => one.port) };
  const sql = postgres(url, {
    ...RECONNECT,
    ...options,
    ...(isSocket ? { host, port } : (several as unknown as { host: string; port: number })),
    ...(!isSocket && tls && { ssl: openTls(tls) }),
    ...(target !== 'any' && { target_session_attrs: target as Target }),
  });
  return Object.assign(sql, { [ADDRESS]: address });
}

type Target = NonNullable<postgres.Options<Record<string, never>>['target_session_attrs']>;

/** Returns the address that a pool was opened with. */
export function getAddress(sql: postgres.Sql): string {
  const { [ADDRESS]: address } = sql as { readonly [ADDRESS]?: string };
  if (address === undefined) throw new Error('This pool was opened elsewhere');
  return address;
}

/** As libpq has it: only `verify-full` compares the name of the host with the certificate. */
function openTls({ mode, rootCert, cert, key }: Exclude<PostgresTls, false>): Ssl {
  if (mode === 'allow' || mode === 'prefer') return 'prefer';
  const read = (path: string | undefined) => path && readFileSync(path);
  return {
    ...(cert && { cert: read(cert), key: read(key) }),
    ...(mode === 'require' ? { rejectUnauthorized: false } : { ca: read(rootCert) }),
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  } as ConnectionOptions;
}

type Ssl = NonNullable<postgres.Options<Record<string, never>>['ssl']>;
