import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Lane, LANES } from './lanes.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import {
  chooseProfile,
  getInferenceMemory,
  type Profile,
  PROFILES,
  readMemoryBytes,
} from './machine.ts';
import { defaultTrustedProxies } from './network.ts';
import { parseS3Address, type S3Address } from './s3-address.ts';
import {
  parseBytes,
  parseHttpOrigin,
  parseInteger,
  parseChoices,
  parseNetworks,
  parseChoice,
  parsePortRange,
  parsePostgresUrl,
  type PortRange,
  parseText,
  parseToken,
} from './setting-parsers.ts';

/** All settings. They are read once at start, and `loadSettings` alone reads the environment. */
export type Settings = {
  readonly dataDir: string;
  /** The kind of machine: other settings and a new library follow it. */
  readonly profile: Profile;
  /** Undefined: the binary runs its own PostgreSQL below the data folder. */
  readonly databaseUrl: string | undefined;
  /** Standbys of that server, for expensive reads. */
  readonly databaseReadUrl: string | undefined;
  /** Where originals are; undefined: in the data folder. */
  readonly objectStore: S3Address | undefined;
  /** File with the key pair of the object store. */
  readonly objectStoreCredentials: string | undefined;
  /** Bytes of originals of the object store that the data folder keeps for the next use. */
  readonly objectCacheBytes: number;
  /** A bucket of an S3 store for dumps of the database; undefined: they are in the data folder only. */
  readonly backupStore: S3Address | undefined;
  /** File with the key pair of the backup store; undefined: that of the object store. */
  readonly backupStoreCredentials: string | undefined;
  /** Whether accounts fetch large originals and converted videos from the object store itself. */
  readonly objectStoreRedirect: 'never' | 'large';
  /** The access of the folder's group to originals, derived files and dumps. */
  readonly groupAccess: 'none' | 'read';
  readonly host: string;
  readonly port: number;
  /** The kind of HTTPS of a server without `tlsCert`. */
  readonly https: 'off' | 'self-signed';
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** Addresses and networks whose X-Forwarded-* headers are trusted. */
  readonly trustedProxies: readonly string[];
  /** Undefined: as administrators have configured. */
  readonly logLevel: LogLevel | undefined;
  readonly logFormat: 'json' | 'pretty';
  /** Secret of programs that read /metrics; undefined: there are no metrics. */
  readonly metricsToken: string | undefined;
  /** Days that a trashed item is kept, 0 for ever; undefined: as administrators have configured. */
  readonly trashDays: number | undefined;
  /** Days that archives and films of memories can be downloaded. */
  readonly exportDays: number;
  /** Largest accepted JSON body, in bytes. */
  readonly maxBodyBytes: number;
  /** Free bytes that uploads leave on the disk, so that the database can continue. */
  readonly reserveBytes: number;
  /** Whether resumable uploads are told early where to continue: 104, which not all proxies know. */
  readonly uploadInterim: 'auto' | 'always' | 'never';
  /** Where the media host listens that starts decoders and models; undefined: this process starts them. */
  readonly mediaSocket: string | undefined;
  /** Concurrent jobs of the image and metadata lanes; undefined: as administrators have configured. */
  readonly mediaConcurrency: number | undefined;
  /** Bytes per second that the integrity check reads of originals at most. */
  readonly integrityRate: number;
  /** Models besides those below the data folder: they come with a package, or several share them. */
  readonly modelsDir: string | undefined;
  /** The process that runs the models is restarted when it uses more. */
  readonly inferenceMemoryBytes: number;
  /** The bytes of everything that the process remembers of the database between requests. */
  readonly readCacheBytes: number;
  /** Preview streams of the studio that an account may have open. */
  readonly studioStreams: number;
  /** UDP ports of preview streams; undefined: those that the system chooses. */
  readonly studioPorts: PortRange | undefined;
  /** Lanes whose jobs this process runs. */
  readonly lanes: readonly Lane[];
  /** Time in which a server that stops says that it is not ready, in seconds, where there are others. */
  readonly drainSeconds: number;
  /** URL at which other servers of the library reach this one; undefined: at its name and port. */
  readonly nodeAddress: string | undefined;
};

export type Setting<T> = {
  readonly flag: string;
  readonly env: string;
  readonly placeholder: string;
  readonly initial: (profile: Profile) => T;
  /** The default as the documentation shows it. */
  readonly initialText: string;
  /** Throws an Error that says what is expected. */
  readonly parse: (text: string) => T;
  readonly doc: string;
};

/** Returns the models that a package installed beside the binary. */
function findPackagedModels(): string | undefined {
  const folder = join(dirname(process.execPath), 'models');
  return existsSync(folder) ? folder : undefined;
}
/** Returns the number of cores, at most 8. */
export const countCores = () => Math.max(1, Math.min(8, navigator.hardwareConcurrency));

const READ_CACHE_MIB: Readonly<Record<Profile, number>> = { small: 24, medium: 48, large: 96 };

/** The table of all settings: flags, environment, `--help` and the documentation come from it. */
export const SETTINGS: { readonly [Key in keyof Settings]: Setting<Settings[Key]> } = {
  dataDir: {
    flag: '--data',
    env: 'SAFELIGHT_DATA',
    placeholder: 'DIR',
    initial: () => './data',
    initialText: './data',
    parse: parseText,
    doc: 'Data folder: originals, derived files, database, models, backups',
  },
  profile: {
    flag: '--profile',
    env: 'SAFELIGHT_PROFILE',
    placeholder: 'NAME',
    initial: () => chooseProfile(readMemoryBytes()),
    initialText: 'by memory: small below 3GiB, medium below 6GiB, else large',
    parse: parseChoice(PROFILES),
    doc:
      'Size of the machine: large keeps all models in memory, medium one at a time; on a small one, a new ' +
      'library starts without recognition and processes one photo at a time. Administrators can change this',
  },
  databaseUrl: {
    flag: '--database-url',
    env: 'DATABASE_URL',
    placeholder: 'URL',
    initial: () => undefined,
    initialText: 'own server',
    parse: parsePostgresUrl,
    doc: 'A PostgreSQL server, 15 or newer, instead of our own',
  },
  databaseReadUrl: {
    flag: '--database-read-url',
    env: 'DATABASE_READ_URL',
    placeholder: 'URL',
    initial: () => undefined,
    initialText: 'none',
    parse: parsePostgresUrl,
    doc: 'Standbys of that server: expensive reads use one that is up to date with the primary',
  },
  objectStore: {
    flag: '--object-store',
    env: 'SAFELIGHT_OBJECT_STORE',
    placeholder: 'URL',
    initial: () => undefined,
    initialText: 'the data folder',
    parse: parseS3Address,
    doc: 'S3 bucket for the files of this library alone, as https://HOST/BUCKET?region=NAME',
  },
  objectStoreCredentials: {
    flag: '--object-store-credentials',
    env: 'SAFELIGHT_OBJECT_STORE_CREDENTIALS',
    placeholder: 'FILE',
    initial: () => undefined,
    initialText: 'none',
    parse: parseText,
    doc: 'File with aws_access_key_id and aws_secret_access_key, one per line, as NAME = VALUE',
  },
  objectCacheBytes: {
    flag: '--object-cache',
    env: 'SAFELIGHT_OBJECT_CACHE',
    placeholder: 'BYTES',
    initial: () => 10 * 1024 ** 3,
    initialText: '10GiB',
    parse: parseBytes(0, 2 ** 52),
    doc: 'Most disk space for local copies of files in the object store',
  },
  objectStoreRedirect: {
    flag: '--object-store-redirect',
    env: 'SAFELIGHT_OBJECT_STORE_REDIRECT',
    placeholder: 'WHAT',
    initial: () => 'never',
    initialText: 'never',
    parse: parseChoice(['never', 'large']),
    doc:
      'Whether clients fetch originals and converted videos from the object store itself: large means files ' +
      'above 1 MB, for accounts only, by an address that is valid for a minute; clients must reach the store',
  },
  backupStore: {
    flag: '--backup-store',
    env: 'SAFELIGHT_BACKUP_STORE',
    placeholder: 'URL',
    initial: () => undefined,
    initialText: 'backups in the data folder only',
    parse: parseS3Address,
    doc: 'S3 bucket, best in a second store, that gets a copy of each backup of the database',
  },
  backupStoreCredentials: {
    flag: '--backup-store-credentials',
    env: 'SAFELIGHT_BACKUP_STORE_CREDENTIALS',
    placeholder: 'FILE',
    initial: () => undefined,
    initialText: 'those of the object store',
    parse: parseText,
    doc: 'File with the key pair of the backup store',
  },
  groupAccess: {
    flag: '--group-access',
    env: 'SAFELIGHT_GROUP_ACCESS',
    placeholder: 'WHAT',
    initial: () => 'none',
    initialText: 'none',
    parse: parseChoice(['none', 'read']),
    doc:
      'Rights of the group of the data folder: read lets it read originals, derived files, models and dumps ' +
      'of the database. Others never have any',
  },
  host: {
    flag: '--host',
    env: 'SAFELIGHT_HOST',
    placeholder: 'ADDRESS',
    initial: () => '0.0.0.0',
    initialText: '0.0.0.0',
    parse: parseText,
    doc: 'Address to listen on',
  },
  port: {
    flag: '--port',
    env: 'SAFELIGHT_PORT',
    placeholder: 'NUMBER',
    initial: () => 2283,
    initialText: '2283',
    parse: parseInteger(0, 65_535),
    doc: 'Port to listen on; 0 takes a free one',
  },
  https: {
    flag: '--https',
    env: 'SAFELIGHT_HTTPS',
    placeholder: 'HOW',
    initial: () => 'off',
    initialText: 'off',
    parse: parseChoice(['off', 'self-signed']),
    doc:
      'self-signed serves HTTPS with a certificate made at the first start: browsers ask once whether ' +
      'to trust it, and the log and status show its fingerprint',
  },
  tlsCert: {
    flag: '--tls-cert',
    env: 'SAFELIGHT_TLS_CERT',
    placeholder: 'FILE',
    initial: () => undefined,
    initialText: 'plain HTTP',
    parse: parseText,
    doc: 'Certificate chain (PEM); needs --tls-key too. Renewed files are loaded without a restart',
  },
  tlsKey: {
    flag: '--tls-key',
    env: 'SAFELIGHT_TLS_KEY',
    placeholder: 'FILE',
    initial: () => undefined,
    initialText: 'plain HTTP',
    parse: parseText,
    doc: 'Private key of the certificate (PEM)',
  },
  trustedProxies: {
    flag: '--trusted-proxies',
    env: 'SAFELIGHT_TRUSTED_PROXIES',
    placeholder: 'LIST',
    initial: defaultTrustedProxies,
    initialText: 'loopback; in a container also its default gateway',
    parse: parseNetworks,
    doc: 'Reverse proxies whose X-Forwarded-* headers are trusted, as 10.0.0.2,172.18.0.0/16; or none',
  },
  logLevel: {
    flag: '--log-level',
    env: 'SAFELIGHT_LOG_LEVEL',
    placeholder: 'LEVEL',
    initial: () => undefined,
    initialText: 'as configured, else info',
    parse: parseChoice(LOG_LEVELS),
    doc: `Lowest level that is logged: ${LOG_LEVELS.join(', ')}`,
  },
  logFormat: {
    flag: '--log-format',
    env: 'SAFELIGHT_LOG_FORMAT',
    placeholder: 'FORMAT',
    initial: () => (process.stderr.isTTY ? 'pretty' : 'json'),
    initialText: 'pretty on a terminal, else json',
    parse: parseChoice(['json', 'pretty']),
    doc: 'Format of log lines: json, pretty',
  },
  metricsToken: {
    flag: '--metrics-token',
    env: 'SAFELIGHT_METRICS_TOKEN',
    placeholder: 'TEXT',
    initial: () => undefined,
    initialText: 'no metrics',
    parse: parseToken,
    doc:
      'Enables GET /metrics (OpenMetrics) for programs that send this token as Authorization: Bearer; set it ' +
      'in the environment, which other users cannot read',
  },
  maxBodyBytes: {
    flag: '--max-body',
    env: 'SAFELIGHT_MAX_BODY',
    placeholder: 'SIZE',
    initial: () => 10 * 1024 ** 2,
    initialText: '10MiB',
    parse: parseBytes(64 * 1024, 1024 ** 3),
    doc: 'Largest request body other than an uploaded file',
  },
  reserveBytes: {
    flag: '--reserve',
    env: 'SAFELIGHT_RESERVE',
    placeholder: 'SIZE',
    initial: () => 512 * 1024 ** 2,
    initialText: '512MiB',
    parse: parseBytes(0, 1024 ** 4),
    doc: 'Disk space that uploads leave free, for the database; thumbnails and videos leave half of it',
  },
  uploadInterim: {
    flag: '--upload-interim',
    env: 'SAFELIGHT_UPLOAD_INTERIM',
    placeholder: 'WHEN',
    initial: () => 'auto',
    initialText: 'auto',
    parse: parseChoice(['auto', 'always', 'never']),
    doc:
      'Interim responses (104) to resumable uploads: auto sends none through a proxy; use always behind Caddy ' +
      'or HAProxy, and never behind an nginx that adds no X-Forwarded-For',
  },
  trashDays: {
    flag: '--trash-days',
    env: 'SAFELIGHT_TRASH_DAYS',
    placeholder: 'DAYS',
    initial: () => undefined,
    initialText: 'as configured, else 30',
    parse: parseInteger(0, 36_500),
    doc: 'Days until a trashed item is deleted; 0 keeps it until the trash is emptied',
  },
  exportDays: {
    flag: '--export-days',
    env: 'SAFELIGHT_EXPORT_DAYS',
    placeholder: 'DAYS',
    initial: () => 7,
    initialText: '7',
    parse: parseInteger(1, 365),
    doc: 'Days that an archive or a film of a memory can be downloaded',
  },
  mediaSocket: {
    flag: '--media-socket',
    env: 'SAFELIGHT_MEDIA_SOCKET',
    placeholder: 'PATH',
    initial: () => undefined,
    initialText: 'children of the server',
    parse: parseText,
    doc:
      'Socket of safelight media-host, which then starts all decoders and models except those of preview ' +
      'streams; while it is away, jobs that need it wait',
  },
  mediaConcurrency: {
    flag: '--media-concurrency',
    env: 'SAFELIGHT_MEDIA_CONCURRENCY',
    placeholder: 'NUMBER',
    initial: () => undefined,
    initialText: 'as configured, else the number of cores, at most 8',
    parse: parseInteger(1, 64),
    doc: 'Photos processed at the same time',
  },
  integrityRate: {
    flag: '--integrity-rate',
    env: 'SAFELIGHT_INTEGRITY_RATE',
    placeholder: 'SIZE',
    initial: () => 100 * 1024 ** 2,
    initialText: '100MiB',
    parse: parseBytes(1024 ** 2, 100 * 1024 ** 3),
    doc: 'Most bytes per second that the check of checksums reads',
  },
  modelsDir: {
    flag: '--models',
    env: 'SAFELIGHT_MODELS',
    placeholder: 'DIR',
    initial: findPackagedModels,
    initialText: 'models beside the binary',
    parse: parseText,
    doc: 'Second folder of models; those in the data folder take precedence',
  },
  inferenceMemoryBytes: {
    flag: '--inference-memory',
    env: 'SAFELIGHT_INFERENCE_MEMORY',
    placeholder: 'SIZE',
    initial: getInferenceMemory,
    initialText: '1GiB; 512MiB with the profiles small and medium',
    parse: parseBytes(128 * 1024 ** 2, 1024 ** 4),
    doc: 'Most memory of the process that runs the models; below 700MiB only one is loaded at a time',
  },
  readCacheBytes: {
    flag: '--read-cache',
    env: 'SAFELIGHT_READ_CACHE',
    placeholder: 'SIZE',
    initial: (profile) => READ_CACHE_MIB[profile] * 1024 ** 2,
    initialText: '96MiB; 48MiB with the profile medium, 24MiB with small',
    parse: parseBytes(1024 ** 2, 1024 ** 4),
    doc: 'Most memory for cached responses and rows',
  },
  studioStreams: {
    flag: '--studio-streams',
    env: 'SAFELIGHT_STUDIO_STREAMS',
    placeholder: 'NUMBER',
    initial: () => 2,
    initialText: '2',
    parse: parseInteger(1, 64),
    doc: 'Most preview streams of the studio per account; all accounts together have two per core',
  },
  studioPorts: {
    flag: '--studio-ports',
    env: 'SAFELIGHT_STUDIO_PORTS',
    placeholder: 'RANGE',
    initial: () => undefined,
    initialText: 'chosen by the system',
    parse: parsePortRange,
    doc:
      'UDP ports of preview streams, as 50000-50099, to open in a firewall: each stream needs one, and more ' +
      'streams than ports are refused',
  },
  lanes: {
    flag: '--lanes',
    env: 'SAFELIGHT_LANES',
    placeholder: 'LIST',
    initial: () => LANES,
    initialText: 'all',
    parse: parseChoices(LANES),
    doc: `Kinds of jobs this process runs: ${LANES.join(',')}`,
  },
  drainSeconds: {
    flag: '--drain',
    env: 'SAFELIGHT_DRAIN',
    placeholder: 'SECONDS',
    initial: () => 5,
    initialText: '5',
    parse: parseInteger(0, 300),
    doc:
      'Seconds for which a stopping server still answers but is not ready at /readyz, so that a load balancer ' +
      'uses others; a single server stops at once',
  },
  nodeAddress: {
    flag: '--node-address',
    env: 'SAFELIGHT_NODE_ADDRESS',
    placeholder: 'URL',
    initial: () => undefined,
    initialText: 'its name and port',
    parse: parseHttpOrigin,
    doc:
      'Address at which other servers of the library reach this one, as http://10.0.0.2:2283, with requests ' +
      'for files on this machine',
  },
};
