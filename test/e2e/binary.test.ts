import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { VERSION } from '../../src/core/version.ts';

setDefaultTimeout(120_000);

const ROOT = join(import.meta.dir, '../..');
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

let base = '';
let binary = '';
let model = '';

beforeAll(() => {
  const built = join(ROOT, 'dist/safelight');
  if (!isUpToDate(built)) {
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, 'native/build.ts'], {
      cwd: ROOT,
    });
    if (exitCode !== 0) throw new Error(stderr.toString());
  }
  // Away from the sources, so that nothing of node_modules can be found.
  base = mkdtempSync(join(tmpdir(), 'binary-'));
  chmodSync(base, 0o755);
  binary = join(base, 'safelight');
  copyFileSync(built, binary);
  chmodSync(binary, 0o755);
  model = join(base, 'double.onnx');
  writeFileSync(model, doublingModel());
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Slow to build: a binary that is newer than every source is taken as it is. */
function isUpToDate(path: string): boolean {
  if (!existsSync(path)) return false;
  const built = statSync(path).mtimeMs;
  const files = ['src', 'workers', 'native', 'migrations'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.endsWith('.test.ts'))
      .map((name) => join(ROOT, folder, name)),
  );
  return [...files, join(ROOT, 'bun.lock')].every((file) => statSync(file).mtimeMs <= built);
}

/** An ONNX model that adds x to itself, in the wire format of protobuf. */
function doublingModel(): Buffer {
  const field = (number: number, value: string | Buffer): Buffer => {
    const bytes = Buffer.from(value);
    return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
  };
  const int = (number: number, value: number) => Buffer.from([number << 3, value]);
  const message = (...fields: Buffer[]) => Buffer.concat(fields);
  const vector = (name: string) => {
    const shape = field(2, field(1, int(1, 2)));
    return message(field(1, name), field(2, field(1, message(int(1, 1), shape))));
  };
  const node = message(field(1, 'x'), field(1, 'x'), field(2, 'y'), field(4, 'Add'));
  const graph = message(
    field(1, node),
    field(2, 'g'),
    field(11, vector('x')),
    field(12, vector('y')),
  );
  return message(int(1, 8), field(7, graph), field(8, int(2, 13)));
}

type Place = { readonly cwd: string; readonly home: string };

/** An empty working folder and an empty home, of an ordinary user. */
function emptyPlace(): Place {
  const cwd = mkdtempSync(join(base, 'cwd-'));
  const home = mkdtempSync(join(base, 'home-'));
  if (isRoot) for (const folder of [cwd, home]) chownSync(folder, NOBODY, NOBODY);
  return { cwd, home };
}

const asOrdinaryUser = isRoot
  ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
  : [];

function start(
  { cwd, home }: Place,
  args: readonly string[],
  { env = {}, through = [] }: { env?: Record<string, string>; through?: readonly string[] } = {},
) {
  return Bun.spawn([...asOrdinaryUser, ...through, binary, ...args], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: home, ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

async function run(...params: Parameters<typeof start>) {
  const child = start(...params);
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { output, errors, code };
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

const EXPECTED = {
  sharp: { vips: expect.any(String), width: 64, height: 48 },
  onnx: { output: [2, 4] },
  wrtc: { offers: true },
};

test('an ordinary user in an empty folder gets the version, and no file is written', async () => {
  const place = emptyPlace();
  expect(await run(place, ['version'])).toEqual({
    output: `safelight ${VERSION}\n`,
    errors: '',
    code: 0,
  });
  expect([...filesBelow(place.cwd), ...filesBelow(place.home)]).toEqual([]);
});

test('sharp, ONNX Runtime and WebRTC work, and leave only their libraries in the cache', async () => {
  const place = emptyPlace();
  const { output, errors, code } = await run(place, ['selftest-native', model]);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(JSON.parse(output)).toEqual(EXPECTED);
  expect(filesBelow(place.cwd)).toEqual([]);
  // A device id or a queue of ONNX Runtime's telemetry would lie here as well.
  const inCache = filesBelow(place.home).map((name) =>
    name.replace(/^\.cache\/safelight\/native-[\da-f]{16}\//, ''),
  );
  expect(inCache.map((name) => name.replace(/^.*\//, ''))).toEqual([
    expect.stringMatching(/^libvips-cpp\.so/),
    'sharp.node',
    'libonnxruntime.so.1',
    'onnxruntime_binding.node',
    'wrtc.node',
  ]);
});

test('eight processes that start on an empty cache at once all work', async () => {
  const place = emptyPlace();
  const runs = await Promise.all(
    Array.from({ length: 8 }, () => run(place, ['selftest-native', model])),
  );
  for (const { output, errors, code } of runs) {
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(JSON.parse(output)).toEqual(EXPECTED);
  }
  expect(filesBelow(place.home)).toHaveLength(5);
});

test('models that lie beside the binary are used, below the data folder there are none', async () => {
  const place = emptyPlace();
  const beside = join(base, 'models');
  mkdirSync(join(beside, 'clip/mine'), { recursive: true });
  writeFileSync(join(beside, 'clip/mine/model.onnx'), doublingModel());
  const { output, code } = await run(place, ['models', 'list', '--data', join(place.cwd, 'data')]);
  rmSync(beside, { recursive: true });
  expect(code).toBe(0);
  expect(output).toMatch(/^clip\/mine +installed/m);
  const { output: after } = await run(place, ['models', 'list', '--data', join(place.cwd, 'data')]);
  expect(after).not.toContain('clip/mine');
});

test('a copy that was cut short is written again', async () => {
  const place = emptyPlace();
  await run(place, ['selftest-native', model]);
  for (const name of filesBelow(place.home)) writeFileSync(join(place.home, name), 'torn');
  const { output, code } = await run(place, ['selftest-native', model]);
  expect(code).toBe(0);
  expect(JSON.parse(output)).toEqual(EXPECTED);
});

test('libraries of versions that are gone are removed after a day', async () => {
  const place = emptyPlace();
  const cache = join(place.home, '.cache/safelight');
  const [old, recent] = [
    join(cache, 'native-0000000000000000'),
    join(cache, 'native-1111111111111111'),
  ];
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
  for (const folder of [old, recent, join(cache, 'other')]) mkdirSync(folder, { recursive: true });
  utimesSync(old, yesterday, yesterday);
  if (isRoot) Bun.spawnSync(['chown', '-R', String(NOBODY), place.home]);
  expect((await run(place, ['selftest-native', model])).code).toBe(0);
  const left = readdirSync(cache).filter((name) => !existsSync(join(cache, name, 'wrtc')));
  expect(left.sort()).toEqual(['native-1111111111111111', 'other']);
});

test('a folder that others may write to is not trusted', async () => {
  const place = emptyPlace();
  const cache = join(place.home, '.cache/safelight');
  mkdirSync(cache, { recursive: true });
  chmodSync(cache, 0o777);
  if (isRoot) chownSync(cache, NOBODY, NOBODY);
  const { code } = await run(place, ['selftest-native', model]);
  expect(code).toBe(0);
  expect(filesBelow(place.home)).toEqual([]);
});

test.skipIf(!isRoot)(
  'without any folder to unpack to, the libraries are loaded from memory',
  async () => {
    const place = emptyPlace();
    // A mount namespace of its own, in which nothing can be run from any place to write.
    const script =
      `mount -t tmpfs -o noexec,mode=1777 none ${place.home} && ` +
      'mount -t tmpfs -o noexec,mode=1777 none /var/tmp && ' +
      `HOME=${place.home} exec ${asOrdinaryUser.join(' ')} ${binary} selftest-native ${model}`;
    const jailed = Bun.spawnSync(['unshare', '-m', 'bash', '-c', script], {
      cwd: place.cwd,
      env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
    });
    // Containers may forbid namespaces; then there is nothing to see here.
    if (/unshare|mount/.test(jailed.stderr.toString())) return;
    expect({ code: jailed.exitCode, errors: jailed.stderr.toString() }).toEqual({
      code: 0,
      errors: '',
    });
    expect(JSON.parse(jailed.stdout.toString())).toEqual(EXPECTED);
  },
);

test.skipIf(!Bun.which('strace'))('nothing is sent to anybody', async () => {
  const place = emptyPlace();
  const trace = join(place.cwd, 'trace');
  const { code } = await run(place, ['selftest-native', model], {
    through: [
      'strace',
      '-f',
      '-qq',
      '-e',
      'trace=execve,connect,sendto,sendmsg,sendmmsg',
      '-o',
      trace,
    ],
  });
  expect(code).toBe(0);
  const seen = readFileSync(trace, 'utf8');
  expect(seen).toContain('execve(');
  const outside = seen
    .split('\n')
    .filter((line) => /AF_INET6?/.test(line) && !/127\.0\.0\.1|"::1"/.test(line));
  expect(outside).toEqual([]);
});

test('.env and bunfig.toml in the working folder are not read', async () => {
  const place = emptyPlace();
  writeFileSync(
    join(place.cwd, '.env'),
    'SAFELIGHT_PORT=not-a-port\nSAFELIGHT_LOG_LEVEL=nonsense\n',
  );
  writeFileSync(join(place.cwd, 'bunfig.toml'), 'preload = ["./evil.ts"]\n');
  writeFileSync(join(place.cwd, 'evil.ts'), 'process.exit(66);\n');
  expect((await run(place, ['version'])).code).toBe(0);
  // The same words in the environment are an error, so the file would have been one too.
  expect((await run(place, ['version'], { env: { SAFELIGHT_PORT: 'not-a-port' } })).code).toBe(2);
});

test('the page and the API documentation come out of the binary, compressed in advance', async () => {
  const place = emptyPlace();
  const server = start(place, [
    'serve',
    '--host',
    '127.0.0.1',
    '--port',
    '0',
    '--log-format',
    'json',
  ]);
  try {
    const url = await readUrl(server.stderr);
    const page = await (await fetch(url)).text();
    expect(page).toContain('<div id="root">');
    const docs = await (await fetch(`${url}/api/docs`)).text();
    const scripts = [...`${page}${docs}`.matchAll(/src="([^"]+)"/g)].map((match) => match[1]!);
    expect(scripts.length).toBeGreaterThanOrEqual(3);
    for (const script of scripts) {
      const plain = await (await fetch(`${url}${script}`, asEncoding('identity'))).bytes();
      for (const [encoding, decode] of DECODERS) {
        const response = await fetch(`${url}${script}`, asEncoding(encoding));
        expect(response.headers.get('content-encoding')).toBe(encoding);
        expect(response.headers.get('etag')).toStartWith('W/"');
        expect(Buffer.compare(decode(await response.bytes()), plain)).toBe(0);
      }
    }
  } finally {
    server.kill();
    expect(await server.exited).toBe(0);
  }
});

const DECODERS = [
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const;

const asEncoding = (encoding: string) => ({
  headers: { 'accept-encoding': encoding },
  decompress: false,
});

/** The log ends with the address once the server answers. */
async function readUrl(log: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of log) {
    text += new TextDecoder().decode(chunk);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0];
    if (url) return url;
  }
  throw new Error(`The server has not started:\n${text}`);
}
