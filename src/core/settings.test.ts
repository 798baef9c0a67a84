import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { describeFlags, parseCommandLine, UsageError } from './command-line.ts';
import { SETTINGS } from './setting-table.ts';
import {
  defaultSettings,
  loadCommand,
  loadSettings,
  SETTING_FLAGS,
  settingsTable,
} from './settings.ts';

test('without flags and environment all settings have their default', () => {
  expect(loadSettings([], {})).toEqual(defaultSettings());
  expect(loadSettings([], {})).toMatchObject({ dataDir: './data', port: 2283 });
});

test('flags override the environment, which overrides the defaults', () => {
  const env = { SAFELIGHT_PORT: '80', SAFELIGHT_HOST: '::1', DATABASE_URL: 'postgres://db/x' };
  expect(loadSettings(['--port', '90'], env)).toMatchObject({
    port: 90,
    host: '::1',
    databaseUrl: 'postgres://db/x',
    logLevel: undefined,
  });
});

test('an empty variable is an unset one', () => {
  expect(loadSettings([], { SAFELIGHT_PORT: '', DATABASE_URL: '' })).toEqual(defaultSettings());
});

test('the profile changes the defaults of other settings, and not what is set', () => {
  const memory = (...argv: string[]) => loadSettings(argv, {}).inferenceMemoryBytes / 1024 ** 2;
  expect(memory('--profile', 'large')).toBe(1024);
  expect(memory('--profile', 'medium')).toBe(512);
  expect(memory('--profile', 'small', '--inference-memory', '300m')).toBe(300);
});

test('parses sizes with units and lists with commas', () => {
  const settings = (argv: string[]) => loadSettings(argv, {});
  expect(settings(['--max-body=1MiB']).maxBodyBytes).toBe(1024 ** 2);
  expect(settings(['--max-body', '128k']).maxBodyBytes).toBe(128 * 1024);
  expect(settings(['--lanes', 'image, video,image']).lanes).toEqual(['image', 'video']);
  const proxies = (text: string) => settings(['--trusted-proxies', text]).trustedProxies;
  expect(proxies('10.0.0.2, fd00::/8')).toEqual(['10.0.0.2', 'fd00::/8']);
  expect(proxies('none')).toEqual([]);
});

const WRONG: [string[], Record<string, string>, string][] = [
  [['--port', '70000'], {}, `--port must be a whole number from 0 to 65535, not '70000'`],
  [['--port', '1e3'], {}, `--port must be a whole number from 0 to 65535, not '1e3'`],
  [[], { SAFELIGHT_PORT: 'x' }, `SAFELIGHT_PORT must be a whole number from 0 to 65535, not 'x'`],
  [['--log-level', 'all'], {}, `--log-level must be one of debug, info, warn, error, not 'all'`],
  [['--max-body', '1GB2'], {}, '--max-body must be a size'],
  [['--lanes', 'image,sound'], {}, '--lanes must be one of'],
  [['--trusted-proxies', 'nginx'], {}, '--trusted-proxies must be a list of addresses'],
  [['--trusted-proxies', '10.0.0.0/33'], {}, '--trusted-proxies must be a list of addresses'],
  [[], { DATABASE_URL: 'mysql://x' }, 'DATABASE_URL must be a PostgreSQL URL'],
  [['--data', ' '], {}, '--data must be a text'],
  [['--tls-cert', 'a.pem'], {}, '--tls-cert and --tls-key need each other'],
  [['--prot', '1'], {}, 'Unknown flag --prot'],
  [['--port'], {}, '--port needs a value: NUMBER'],
  [['extra'], {}, `Unexpected argument 'extra'`],
  [[], { SAFELIGHT_PROT: '1' }, 'Unknown setting SAFELIGHT_PROT in the environment'],
];

describe('an invalid setting is named', () => {
  test.each(WRONG)('%p %p', (argv, env, message) => {
    expect(() => loadSettings(argv, env)).toThrow(UsageError);
    expect(() => loadSettings(argv, env)).toThrow(message);
  });
});

test('a command has flags and words of its own', () => {
  const own = { flags: [{ flag: '--json', doc: 'as JSON' }], words: 1 };
  const { settings, flags, words } = loadCommand(['list', '--json', '--port=1'], {}, own);
  expect([settings.port, flags.get('--json'), words]).toEqual([1, 'true', ['list']]);
  expect(() => loadCommand(['--json=yes'], {}, own)).toThrow('--json takes no value');
});

test('"--" ends the flags', () => {
  expect(parseCommandLine(['--', '--port'], SETTING_FLAGS).words).toEqual(['--port']);
});

test('flags and variables are unique, and every one is documented', () => {
  const all = Object.values(SETTINGS);
  expect(new Set(all.map((setting) => setting.flag)).size).toBe(all.length);
  expect(new Set(all.map((setting) => setting.env)).size).toBe(all.length);
  for (const { flag } of all) expect(describeFlags(SETTING_FLAGS)).toContain(flag);
});

test('the documentation has the table of settings (make fmt renews it)', async () => {
  const path = join(import.meta.dir, '../../appliance/docs/configuration.md');
  const text = await Bun.file(path).text();
  const [table = ''] = /^\| flag +\|.*\n(?:\|.*\n)+/m.exec(text) ?? [];
  // Formatting aligns the cells.
  const readCells = (rows: string) =>
    rows.split('\n').map((row) => row.split('|').map((cell) => cell.trim().replace(/^-+$/, '---')));
  expect(readCells(table.trimEnd())).toEqual(readCells(settingsTable()));
});
