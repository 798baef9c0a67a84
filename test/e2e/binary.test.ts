import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { VERSION } from '../../src/core/version.ts';
import { doublingModel, filesBelow, installBinary, type Installed } from './installed.ts';
import { readyUrl, signUp } from './server.ts';

setDefaultTimeout(300_000);

let installed: Installed;

beforeAll(() => void (installed = installBinary()));
afterAll(() => installed?.remove());

test('the version command works for an unprivileged user in an empty folder and writes no file', async () => {
  const place = installed.emptyPlace();
  expect(await installed.run(place, ['version'])).toEqual({
    output: `safelight ${VERSION}\n`,
    errors: '',
    code: 0,
  });
  expect([...filesBelow(place.cwd), ...filesBelow(place.home)]).toEqual([]);
});

test('models beside the binary are used, models below the data folder are not', async () => {
  const place = installed.emptyPlace();
  const beside = join(installed.base, 'models');
  mkdirSync(join(beside, 'clip/mine'), { recursive: true });
  writeFileSync(join(beside, 'clip/mine/model.onnx'), doublingModel());
  const { output, code } = await installed.run(place, [
    'models',
    'list',
    '--data',
    join(place.cwd, 'data'),
  ]);
  rmSync(beside, { recursive: true });
  expect(code).toBe(0);
  expect(output).toMatch(/^clip\/mine +installed/m);
  const { output: after } = await installed.run(place, [
    'models',
    'list',
    '--data',
    join(place.cwd, 'data'),
  ]);
  expect(after).not.toContain('clip/mine');
});

test('.env and bunfig.toml in the working directory are not read', async () => {
  const place = installed.emptyPlace();
  writeFileSync(
    join(place.cwd, '.env'),
    'SAFELIGHT_PORT=not-a-port\nSAFELIGHT_LOG_LEVEL=nonsense\n',
  );
  writeFileSync(join(place.cwd, 'bunfig.toml'), 'preload = ["./evil.ts"]\n');
  writeFileSync(join(place.cwd, 'evil.ts'), 'process.exit(66);\n');
  expect((await installed.run(place, ['version'])).code).toBe(0);
  // The same words in the environment are an error, so the file would have been one too.
  expect(
    (await installed.run(place, ['version'], { env: { SAFELIGHT_PORT: 'not-a-port' } })).code,
  ).toBe(2);
});

test('the page and the API documentation are served precompressed from the binary', async () => {
  const place = installed.emptyPlace();
  const server = installed.start(place, [
    'serve',
    '--host',
    '127.0.0.1',
    '--port',
    '0',
    '--log-format',
    'json',
  ]);
  try {
    const url = await readyUrl(server.stderr, []);
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

test('a server writes lines of its log, and nothing else, from its start to its end', async () => {
  const place = installed.emptyPlace();
  const options = ['--host', '127.0.0.1', '--port', '0', '--log-format', 'json'];
  const server = installed.start(place, ['serve', ...options]);
  const output = new Response(server.stdout).text();
  const log: string[] = [];
  const url = await readyUrl(server.stderr, log);
  const { apiKey } = await signUp(url);
  const headers = { 'x-api-key': apiKey };
  for (const path of ['users/me', 'timeline/buckets', 'search/explore', 'nothing']) {
    await fetch(`${url}/api/${path}`, { headers });
  }
  server.kill();
  expect(await server.exited).toBe(0);
  expect(await output).toBe('');
  expect(log.length).toBeGreaterThan(1);
  const isLogged = (line: string) =>
    /^{"time":"[^"]+","level":"(?:info|warn|error)",.*}$/.test(line);
  expect(log.filter((line) => !isLogged(line))).toEqual([]);
});

const DECODERS = [
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const;

const asEncoding = (encoding: string) => ({
  headers: { 'accept-encoding': encoding },
  decompress: false,
});
