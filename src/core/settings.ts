import { type Flag, parseCommandLine, UsageError } from './command-line.ts';
import type { Profile } from './machine.ts';
import { type Setting, type Settings, SETTINGS } from './setting-table.ts';

export type { Settings } from './setting-table.ts';

export const SETTING_FLAGS: readonly Flag[] = Object.values(SETTINGS);

type Environment = Readonly<Record<string, string | undefined>>;

export const defaultSettings = (): Settings =>
  buildSettings((setting, profile) => setting.initial(profile));

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
  const { flags, words } = parseCommandLine(argv, [...SETTING_FLAGS, ...(own.flags ?? [])]);
  const unexpected = words[own.words ?? 0];
  if (unexpected !== undefined) throw new UsageError(`Unexpected argument '${unexpected}'`);
  rejectUnknownVariables(env);

  const settings = buildSettings((setting, profile) => {
    const flag = flags.get(setting.flag);
    if (flag !== undefined) return parseSetting(setting.flag, setting, flag);
    const value = env[setting.env];
    // An empty variable is an unset one: unit files and compose files produce them.
    return value ? parseSetting(setting.env, setting, value) : setting.initial(profile);
  });
  if ((settings.tlsCert === undefined) !== (settings.tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key need each other');
  }
  return { settings, flags, words };
}

/** The table of appliance/docs/configuration.md. */
export function settingsTable(): string {
  const rows = Object.values(SETTINGS).map(
    ({ flag, placeholder, env, initialText, doc }) =>
      `| \`${flag} ${placeholder}\` | \`${env}\` | ${initialText} | ${doc} |`,
  );
  return ['| flag | environment | default | what it does |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
}

type ReadSetting = (setting: Setting<unknown>, profile: Profile) => unknown;

/** The profile comes first: defaults of others depend on it. */
function buildSettings(read: ReadSetting): Settings {
  const profile = read(SETTINGS.profile as Setting<unknown>, 'large') as Profile;
  return Object.fromEntries(
    Object.entries(SETTINGS).map(([key, setting]) => [
      key,
      read(setting as Setting<unknown>, profile),
    ]),
  ) as Settings;
}

function parseSetting(name: string, setting: Setting<unknown>, value: string): unknown {
  try {
    return setting.parse(value);
  } catch (error) {
    throw new UsageError(`${name} must be ${(error as Error).message}, not '${value}'`);
  }
}

/** Read where no settings exist yet: where the binary unpacks its native libraries. */
const NATIVE_DIR_VARIABLE = 'SAFELIGHT_NATIVE_DIR';

/** A misspelt variable would be ignored in silence, and the owner would believe it works. */
function rejectUnknownVariables(env: Environment): void {
  const known = new Set([
    NATIVE_DIR_VARIABLE,
    ...Object.values(SETTINGS).map((setting) => setting.env),
  ]);
  const unknown = Object.keys(env).find(
    (name) =>
      name.startsWith('SAFELIGHT_') && !name.startsWith('SAFELIGHT_TEST_') && !known.has(name),
  );
  if (unknown) throw new UsageError(`Unknown setting ${unknown} in the environment`);
}
