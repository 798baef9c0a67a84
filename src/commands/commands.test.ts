import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../test/support/command-line.ts';
import { getProgram } from '../../test/support/program.ts';
import { VERSION } from '../core/version.ts';

// Commands that need no database, and how all of them treat bad arguments.
setDefaultTimeout(300_000);

const folder = mkdtempSync(join(tmpdir(), 'commands-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const safelight = (...args: string[]) => runCommand(folder, args);

test('version prints one line', async () => {
  expect(await safelight('version')).toEqual({ code: 0, out: `safelight ${VERSION}`, err: '' });
  expect((await safelight('--version')).out).toBe(`safelight ${VERSION}`);
});

test('--help lists the commands and the settings, and every command has its own --help', async () => {
  const { code, out } = await safelight('--help');
  expect(code).toBe(0);
  expect(out).toContain('--database-url URL');
  const names = [...out.matchAll(/^ {2}([a-z][a-z-]+) {2,}\S/gm)].map(([, name]) => name!);
  expect(names).toContain('serve');
  expect(names).toContain('doctor');
  for (const name of names) {
    const own = await safelight(name, '--help');
    expect([own.code, own.out.split('\n')[0]]).toEqual([
      0,
      expect.stringContaining(`usage: safelight ${name}`) as never,
    ]);
  }
});

const WRONG: [string[], string][] = [
  [['sevre'], `Unknown command 'sevre'`],
  [['constructor'], `Unknown command 'constructor'`],
  [['serve', '--prot', '1'], 'Unknown flag --prot'],
  [['--port', 'x'], '--port must be a whole number'],
  [['version', 'now'], `Unexpected argument 'now'`],
  [['admin'], 'Say what to do'],
  [['admin', 'create'], 'e-mail address'],
  [['admin', 'create', 'a@b', '--password', 'short'], 'Unknown flag --password'],
  [['admin', 'create', 'a@b', '--password-file', '-'], 'at least 8 characters'],
  [['admin', 'api-key', 'a@b', '--permissions', 'asset.fly'], `'asset.fly'`],
  [['maintenance', 'verify', '--slice', '3/2'], '--slice must be I/N'],
  [['maintenance', 'restore', '/nowhere.dump'], 'no file /nowhere.dump'],
];
test.each(WRONG)(
  '%p exits with code 2 and an explanation, and creates no file',
  async (args, words) => {
    const { code, err } = await safelight(...args);
    expect(err).toContain(words);
    expect(code).toBe(2);
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('an unreachable database exits with code 1 and a message without a stack trace', async () => {
  const { code, err } = await safelight('migrate', '--database-url', 'postgres://127.0.0.1:1/x');
  expect(err).toContain('The database cannot be reached');
  expect(err).not.toContain('    at ');
  expect(code).toBe(1);
});

test('openapi prints the OpenAPI document', async () => {
  const { code, out } = await safelight('openapi');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toHaveProperty('paths');
});

test('exits with code 0 when the reader of its output closes the pipe', async () => {
  const pipe = `"$@" openapi 2>errors | head -c 1; echo "\${PIPESTATUS[0]}"; cat errors`;
  const cwd = mkdtempSync(join(tmpdir(), 'commands-pipe-'));
  const child = Bun.spawn(['bash', '-c', pipe, 'bash', ...getProgram()], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(await new Response(child.stdout).text()).toBe('{0\n');
  rmSync(cwd, { recursive: true });
});

test('doctor reports how the data folder would be created, and does not create it', async () => {
  const { out } = await safelight('doctor', '--data', join(folder, 'later'));
  expect(out).toMatch(/^ok +database +PostgreSQL \d+, to be made at the first start$/m);
  expect(out).toMatch(/^ok +ffmpeg +\S+ffmpeg, \d/m);
  expect(out).toMatch(/^ok +exiftool +\S+exiftool, 13\.59$/m);
  expect(readdirSync(folder)).toEqual([]);
});

test('doctor reports a missing tool with its Debian package and exits with code 1', async () => {
  const child = Bun.spawn([...getProgram(), 'doctor', '--json'], {
    cwd: folder,
    env: { PATH: '/nowhere' },
    stdout: 'pipe',
  });
  const found = (await new Response(child.stdout).json()) as { name: string }[];
  expect(await child.exited).toBe(1);
  expect(found.find(({ name }) => name === 'exiftool')).toEqual({
    name: 'exiftool',
    state: 'missing',
    detail: 'needed for dates, places, cameras',
    remedy: 'apt-get install perl',
  } as never);
  expect(found.find(({ name }) => name === 'brotli')).toEqual({
    name: 'brotli',
    state: 'missing',
    detail: 'needed for dates, places, cameras of JPEG XL',
    remedy: 'apt-get install brotli',
  } as never);
  expect(found.find(({ name }) => name === 'Compress::Zlib')).toEqual({
    name: 'Compress::Zlib',
    state: 'absent',
    detail: 'packed texts of PNG and HEIF are not read',
    remedy: 'apt-get install perl',
  } as never);
});
