import { existsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { type Flag, readCommandLine, UsageError } from './command-line.ts';
import { type Lane, LANES } from './lanes.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import { defaultTrustedProxies, isNetwork } from './network.ts';

/** What the owner may set. Read once at start; `loadSettings` is the only reader of the environment. */
export type Settings = {
  readonly dataDir: string;
  /** Undefined: the binary runs its own PostgreSQL below the data folder. */
  readonly databaseUrl: string | undefined;
  /** What the group of the data folder may do with originals, derived files and dumps. */
  readonly groupAccess: 'none' | 'read';
  readonly host: string;
  readonly port: number;
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** Addresses and networks whose X-Forwarded-* headers are believed. */
  readonly trustedProxies: readonly string[];
  readonly logLevel: LogLevel;
  readonly logFormat: 'json' | 'pretty';
  /** Days that a trashed item is kept; 0 keeps it until the trash is emptied. */
  readonly trashDays: number;
  /** Largest accepted JSON body, in bytes. */
  readonly maxBodyBytes: number;
  /** Free bytes that uploads leave on the disk, so that the database can go on. */
  readonly reserveBytes: number;
  /** Whether resumable uploads are told early where to continue: 104, which not all proxies know. */
  readonly uploadInterim: 'auto' | 'always' | 'never';
  /** Concurrent jobs of the image and metadata lanes; by default the number of cores. */
  readonly mediaConcurrency: number;
  /** Models besides those below the data folder: they come with a package, or several share them. */
  readonly modelsDir: string | undefined;
  /** The process that runs the models is started afresh when it has more. */
  readonly inferenceMemoryBytes: number;
  /** Lanes whose jobs this process runs. */
  readonly lanes: readonly Lane[];
};

type Setting<T> = {
  readonly flag: string;
  readonly env: string;
  readonly placeholder: string;
  readonly initial: () => T;
  /** The default in words, where the value says nothing or differs by machine. */
  readonly initialText: string;
  /** Throws an Error that says what is expected. */
  readonly parse: (text: string) => T;
  readonly doc: string;
};

/** In bytes: less than what the database, the pictures and all models want together. */
const SMALL_MACHINE = 6 * 1024 ** 3;
/** A package lays them beside the binary. */
function packagedModels(): string | undefined {
  const folder = join(dirname(process.execPath), 'models');
  return existsSync(folder) ? folder : undefined;
}
const cores = () => Math.max(1, Math.min(8, navigator.hardwareConcurrency));

/** The one table: flags, environment, `--help` and the README come from it. */
export const SETTINGS: { readonly [Key in keyof Settings]: Setting<Settings[Key]> } = {
  dataDir: {
    flag: '--data',
    env: 'SAFELIGHT_DATA',
    placeholder: 'DIR',
    initial: () => './data',
    initialText: './data',
    parse: text,
    doc: 'Folder of everything: originals, derived files, database, models, backups',
  },
  databaseUrl: {
    flag: '--database-url',
    env: 'DATABASE_URL',
    placeholder: 'URL',
    initial: () => undefined,
    initialText: 'own server',
    parse: postgresUrl,
    doc: 'A PostgreSQL server, 15 or newer, instead of the one that Safelight runs itself',
  },
  groupAccess: {
    flag: '--group-access',
    env: 'SAFELIGHT_GROUP_ACCESS',
    placeholder: 'WHAT',
    initial: () => 'none',
    initialText: 'none',
    parse: oneOf(['none', 'read']),
    doc:
      'What the group of the data folder may do, others never can: read lets it read originals, ' +
      'derived files, models and dumps of the database',
  },
  host: {
    flag: '--host',
    env: 'SAFELIGHT_HOST',
    placeholder: 'ADDRESS',
    initial: () => '0.0.0.0',
    initialText: '0.0.0.0',
    parse: text,
    doc: 'Address to listen on',
  },
  port: {
    flag: '--port',
    env: 'SAFELIGHT_PORT',
    placeholder: 'NUMBER',
    initial: () => 2283,
    initialText: '2283',
    parse: integer(0, 65_535),
    doc: 'Port to listen on; 0 takes a free one',
  },
  tlsCert: {
    flag: '--tls-cert',
    env: 'SAFELIGHT_TLS_CERT',
    placeholder: 'FILE',
    initial: () => undefined,
    initialText: 'plain HTTP',
    parse: text,
    doc: 'Certificate chain (PEM); needs --tls-key too',
  },
  tlsKey: {
    flag: '--tls-key',
    env: 'SAFELIGHT_TLS_KEY',
    placeholder: 'FILE',
    initial: () => undefined,
    initialText: 'plain HTTP',
    parse: text,
    doc: 'Private key of the certificate (PEM)',
  },
  trustedProxies: {
    flag: '--trusted-proxies',
    env: 'SAFELIGHT_TRUSTED_PROXIES',
    placeholder: 'LIST',
    initial: defaultTrustedProxies,
    initialText: 'loopback; in a container also its default gateway',
    parse: networks,
    doc: 'Reverse proxies whose X-Forwarded-* headers are believed, as 10.0.0.2,172.18.0.0/16; or none',
  },
  logLevel: {
    flag: '--log-level',
    env: 'SAFELIGHT_LOG_LEVEL',
    placeholder: 'LEVEL',
    initial: () => 'info',
    initialText: 'info',
    parse: oneOf(LOG_LEVELS),
    doc: `Least weight of a logged line: ${LOG_LEVELS.join(', ')}`,
  },
  logFormat: {
    flag: '--log-format',
    env: 'SAFELIGHT_LOG_FORMAT',
    placeholder: 'FORMAT',
    initial: () => (process.stderr.isTTY ? 'pretty' : 'json'),
    initialText: 'pretty on a terminal, else json',
    parse: oneOf(['json', 'pretty']),
    doc: 'Form of a logged line: json, pretty',
  },
  maxBodyBytes: {
    flag: '--max-body',
    env: 'SAFELIGHT_MAX_BODY',
    placeholder: 'SIZE',
    initial: () => 10 * 1024 ** 2,
    initialText: '10MiB',
    parse: bytes(64 * 1024, 1024 ** 3),
    doc: 'Largest request body other than an uploaded file',
  },
  reserveBytes: {
    flag: '--reserve',
    env: 'SAFELIGHT_RESERVE',
    placeholder: 'SIZE',
    initial: () => 512 * 1024 ** 2,
    initialText: '512MiB',
    parse: bytes(0, 1024 ** 4),
    doc:
      'Free disk space that uploads never use up, and thumbnails and videos not below half of it: ' +
      'the database and reading go on',
  },
  uploadInterim: {
    flag: '--upload-interim',
    env: 'SAFELIGHT_UPLOAD_INTERIM',
    placeholder: 'WHEN',
    initial: () => 'auto',
    initialText: 'auto',
    parse: oneOf(['auto', 'always', 'never']),
    doc:
      'Interim answers (104) to resumable uploads: auto sends none through a proxy; always for ' +
      'Caddy and HAProxy; never for an nginx that adds no X-Forwarded-For',
  },
  trashDays: {
    flag: '--trash-days',
    env: 'SAFELIGHT_TRASH_DAYS',
    placeholder: 'DAYS',
    initial: () => 30,
    initialText: '30',
    parse: integer(0, 36_500),
    doc: 'Days that a trashed item is kept; 0 keeps it until the trash is emptied',
  },
  mediaConcurrency: {
    flag: '--media-concurrency',
    env: 'SAFELIGHT_MEDIA_CONCURRENCY',
    placeholder: 'NUMBER',
    initial: cores,
    initialText: 'number of cores, at most 8',
    parse: integer(1, 64),
    doc: 'Photos worked on at the same time',
  },
  modelsDir: {
    flag: '--models',
    env: 'SAFELIGHT_MODELS',
    placeholder: 'DIR',
    initial: packagedModels,
    initialText: 'models beside the binary',
    parse: text,
    doc: 'Folder of models besides the one below the data folder, whose models go first',
  },
  inferenceMemoryBytes: {
    flag: '--inference-memory',
    env: 'SAFELIGHT_INFERENCE_MEMORY',
    placeholder: 'SIZE',
    initial: () => (totalmem() < SMALL_MACHINE ? 512 * 1024 ** 2 : 1024 ** 3),
    initialText: '1GiB; 512MiB on a machine with less than 6GiB',
    parse: bytes(128 * 1024 ** 2, 1024 ** 4),
    doc: 'Most memory of the process that runs the models; below 700MiB they take turns',
  },
  lanes: {
    flag: '--lanes',
    env: 'SAFELIGHT_LANES',
    placeholder: 'LIST',
    initial: () => LANES,
    initialText: 'all',
    parse: listOf(LANES),
    doc: `Kinds of jobs this process runs: ${LANES.join(',')}`,
  },
};

export const SETTING_FLAGS: readonly Flag[] = Object.values(SETTINGS);

type Environment = Readonly<Record<string, string | undefined>>;

export const defaultSettings = (): Settings =>
  fromTable((setting) => (setting as Setting<unknown>).initial());

/** Flags over environment over defaults. Throws UsageError with the name of what is wrong. */
export const loadSettings = (argv: readonly string[], env: Environment): Settings =>
  loadCommand(argv, env).settings;

export type Command = {
  readonly settings: Settings;
  /** Values of the command's own flags. */
  readonly flags: ReadonlyMap<string, string>;
  readonly words: readonly string[];
};

/** The settings, and what the command itself was told: its own flags and at most `words` words. */
export function loadCommand(
  argv: readonly string[],
  env: Environment,
  own: { readonly flags?: readonly Flag[]; readonly words?: number } = {},
): Command {
  const { flags, words } = readCommandLine(argv, [...SETTING_FLAGS, ...(own.flags ?? [])]);
  const unexpected = words[own.words ?? 0];
  if (unexpected !== undefined) throw new UsageError(`Unexpected argument '${unexpected}'`);
  refuseUnknown(env);

  const settings = fromTable((setting) => {
    const flag = flags.get(setting.flag);
    if (flag !== undefined) return parse(setting.flag, setting, flag);
    const value = env[setting.env];
    // An empty variable is an unset one: unit files and compose files produce them.
    return value ? parse(setting.env, setting, value) : setting.initial();
  });
  if ((settings.tlsCert === undefined) !== (settings.tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key need each other');
  }
  return { settings, flags, words };
}

/** The README's configuration table. */
export function settingsTable(): string {
  const rows = Object.values(SETTINGS).map(
    ({ flag, placeholder, env, initialText, doc }) =>
      `| \`${flag} ${placeholder}\` | \`${env}\` | ${initialText} | ${doc} |`,
  );
  return ['| flag | environment | default | what it does |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
}

const fromTable = (read: (setting: Setting<unknown>) => unknown): Settings =>
  Object.fromEntries(
    Object.entries(SETTINGS).map(([key, setting]) => [key, read(setting as Setting<unknown>)]),
  ) as Settings;

function parse(name: string, setting: Setting<unknown>, value: string): unknown {
  try {
    return setting.parse(value);
  } catch (error) {
    throw new UsageError(`${name} must be ${(error as Error).message}, not '${value}'`);
  }
}

/** Read where no settings exist yet: where the binary unpacks its native libraries. */
const EARLY = 'SAFELIGHT_NATIVE_DIR';

/** A misspelt variable would be ignored in silence, and the owner would believe it works. */
function refuseUnknown(env: Environment): void {
  const known = new Set([EARLY, ...Object.values(SETTINGS).map((setting) => setting.env)]);
  const unknown = Object.keys(env).find(
    (name) =>
      name.startsWith('SAFELIGHT_') && !name.startsWith('SAFELIGHT_TEST_') && !known.has(name),
  );
  if (unknown) throw new UsageError(`Unknown setting ${unknown} in the environment`);
}

function text(value: string): string {
  if (value.trim() === '') throw new Error('a text');
  return value;
}

function integer(min: number, max: number) {
  return (value: string): number => {
    const number = Number(value);
    if (/^\d+$/.test(value) && number >= min && number <= max) return number;
    throw new Error(`a whole number from ${min} to ${max}`);
  };
}

const UNITS: Record<string, number> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

function bytes(min: number, max: number) {
  return (value: string): number => {
    const [, number, unit] = /^(\d+)\s*([kmg]?)(?:i?b)?$/i.exec(value) ?? [];
    const size = Number(number) * (UNITS[unit?.toLowerCase() ?? ''] ?? Number.NaN);
    if (size >= min && size <= max) return size;
    throw new Error(`a size from ${min} to ${max} bytes, as 10MiB`);
  };
}

function oneOf<const T extends string>(values: readonly T[]) {
  return (value: string): T => {
    const found = values.find((candidate) => candidate === value);
    if (found) return found;
    throw new Error(`one of ${values.join(', ')}`);
  };
}

function networks(value: string): readonly string[] {
  if (value === 'none') return [];
  const list = value.split(',').map((part) => part.trim());
  if (list.every(isNetwork)) return list;
  throw new Error('a list of addresses and networks, as 10.0.0.2,172.18.0.0/16, or none');
}

function listOf<const T extends string>(values: readonly T[]) {
  return (value: string): readonly T[] => {
    const one = oneOf(values);
    return [...new Set(value.split(',').map((part) => one(part.trim())))];
  };
}

function postgresUrl(value: string): string {
  if (/^postgres(ql)?:\/\/./.test(value) && URL.canParse(value)) return value;
  throw new Error('a PostgreSQL URL, as postgres://user:password@host:5432/name');
}
