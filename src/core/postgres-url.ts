// Addresses of PostgreSQL as libpq writes them (PostgreSQL 15, 34.1.1.2): other than those of a URL, they name several
// hosts, each with a port, and folders of sockets.

export type PostgresHost = { readonly host: string; readonly port: number };

/** How the connection is encrypted; false: it is not. Paths of PEM files. */
export type PostgresTls =
  | false
  | {
      readonly mode: (typeof SSL_MODES)[number];
      /** Certificates of issuers that are trusted; undefined: those that the program knows. */
      readonly rootCert: string | undefined;
      /** The certificate of this client, and its key. */
      readonly cert: string | undefined;
      readonly key: string | undefined;
    };

export type PostgresAddress = {
  /** Tried in this order. */
  readonly hosts: readonly PostgresHost[];
  readonly tls: PostgresTls;
  /** Which of the hosts is wanted; any: the first that answers; undefined: the address does not say. */
  readonly targetSessionAttrs: string | undefined;
  /** The rest, with the first host. */
  readonly url: string;
};

const SSL_MODES = ['allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
const TARGETS = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'];
const DEFAULT_PORT = 5432;
const FORM = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
/** In place of the hosts, which are no host of a URL. */
const PLACEHOLDER = 'hosts.invalid';
/** Parameters of libpq that are no setting of a session. */
const OWN_PARAMETERS = [
  'host',
  'port',
  'ssl',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'target_session_attrs',
  'channel_binding',
  'gssencmode',
];

function open(text: string): { readonly url: URL; readonly hosts: string } {
  const [, before, hosts, after] = FORM.exec(text) ?? [];
  const whole = `${before}${PLACEHOLDER}${after}`;
  if (hosts === undefined || !URL.canParse(whole)) throw new Error('not a PostgreSQL URL');
  return { url: new URL(whole), hosts };
}

/** Returns the parts of an address. Throws an Error that says what is wrong. */
export function parsePostgresAddress(text: string): PostgresAddress {
  const { url, hosts } = open(text);
  const { searchParams: query } = url;
  const parsed = parseHosts(query.get('host') ?? hosts, query.get('port'));
  const target = query.get('target_session_attrs') ?? undefined;
  if (target !== undefined && !TARGETS.includes(target))
    throw new Error(`target_session_attrs is one of ${TARGETS.join(', ')}`);
  const tls = parseTls(query);
  for (const name of OWN_PARAMETERS) query.delete(name);
  return {
    hosts: parsed,
    tls,
    targetSessionAttrs: target,
    url: url.href,
  };
}

function parseHosts(text: string, ports: string | null): PostgresHost[] {
  const listed = ports?.split(',') ?? [];
  const hosts = text.split(',').map((one, at) => {
    const [whole, bracketed, name = '', port] = /^(?:\[(.*)\]|([^:]*))(?::(\d*))?$/.exec(one) ?? [];
    const wanted = port || listed[listed.length === 1 ? 0 : at];
    const number = wanted ? Number(wanted) : DEFAULT_PORT;
    if (whole === undefined || !(number > 0 && number <= 65_535))
      throw new Error(`${one} is no host with a port`);
    return { host: bracketed ?? (decodeURIComponent(name) || 'localhost'), port: number };
  });
  const isSocket = ({ host }: PostgresHost) => host.startsWith('/');
  if (hosts.length > 1 && hosts.some(isSocket))
    throw new Error('the folder of a socket is the only host');
  return hosts;
}

function parseTls(query: URLSearchParams): PostgresTls {
  const text = query.get('sslmode') ?? query.get('ssl') ?? 'disable';
  const wanted = text === 'true' ? 'require' : text;
  const rootCert = query.get('sslrootcert') ?? undefined;
  if (wanted === 'disable' || wanted === 'false') return false;
  const mode = SSL_MODES.find((known) => known === wanted);
  if (mode === undefined) throw new Error(`sslmode is disable, ${SSL_MODES.join(', ')}`);
  const [cert, key] = [query.get('sslcert') ?? undefined, query.get('sslkey') ?? undefined];
  if ((cert === undefined) !== (key === undefined))
    throw new Error('sslcert and sslkey need each other');
  // As libpq does: nobody names a file of certificates in order not to use it.
  if (rootCert === 'system') return { mode: 'verify-full', rootCert: undefined, cert, key };
  return { mode: mode === 'require' && rootCert ? 'verify-ca' : mode, rootCert, cert, key };
}

export type AddressChange = {
  readonly database?: string;
  readonly user?: string;
  readonly password?: string;
  /** Role that the session takes after the login. */
  readonly role?: string;
};

/** Returns the address with these parts in place of its own. */
export function changeAddress(text: string, change: AddressChange): string {
  const { url, hosts } = open(text);
  const { database, user, password, role } = change;
  if (database !== undefined) url.pathname = `/${encodeURIComponent(database)}`;
  if (user !== undefined) url.username = encodeURIComponent(user);
  if (password !== undefined) url.password = encodeURIComponent(password);
  if (role !== undefined) url.searchParams.set('role', role);
  return url.href.replace(PLACEHOLDER, () => hosts);
}

export const getDatabaseName = (text: string): string =>
  decodeURIComponent(open(text).url.pathname.slice(1));

/** Returns the password of an address; '' if it has none. */
export const getPassword = (text: string): string => decodeURIComponent(open(text).url.password);
