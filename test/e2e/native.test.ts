import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { effort } from '../support/effort.ts';
import {
  asOrdinaryUser,
  filesBelow,
  installBinary,
  type Installed,
  isRoot,
  NOBODY,
} from './installed.ts';
import { skipWithout } from '../support/requirements.ts';

// The native libraries in the binary: unpacking, caching and loading.

setDefaultTimeout(300_000);

let installed: Installed;

beforeAll(() => void (installed = installBinary()));
afterAll(() => installed?.remove());

const EXPECTED = {
  sharp: { vips: expect.any(String), width: 64, height: 48 },
  onnx: { output: [2, 4] },
  wrtc: { offers: true },
};

test('sharp, ONNX Runtime and WebRTC work and unpack only their libraries into the cache', async () => {
  const place = installed.emptyPlace();
  const { output, errors, code } = await installed.run(place, ['selftest-native', installed.model]);
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

test('processes that start concurrently on an empty cache all work', async () => {
  const place = installed.emptyPlace();
  const runs = await Promise.all(
    Array.from({ length: effort({ quick: 4, full: 8 }) }, () =>
      installed.run(place, ['selftest-native', installed.model]),
    ),
  );
  for (const { output, errors, code } of runs) {
    expect({ code, errors }).toEqual({ code: 0, errors: '' });
    expect(JSON.parse(output)).toEqual(EXPECTED);
  }
  expect(filesBelow(place.home)).toHaveLength(5);
});

test('a truncated library in the cache is written again', async () => {
  const place = installed.emptyPlace();
  await installed.run(place, ['selftest-native', installed.model]);
  for (const name of filesBelow(place.home)) writeFileSync(join(place.home, name), 'torn');
  const { output, code } = await installed.run(place, ['selftest-native', installed.model]);
  expect(code).toBe(0);
  expect(JSON.parse(output)).toEqual(EXPECTED);
});

test('libraries of other versions are removed after a day', async () => {
  const place = installed.emptyPlace();
  const cache = join(place.home, '.cache/safelight');
  const [old, recent] = [
    join(cache, 'native-0000000000000000'),
    join(cache, 'native-1111111111111111'),
  ];
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000);
  for (const folder of [old, recent, join(cache, 'other')]) mkdirSync(folder, { recursive: true });
  utimesSync(old, yesterday, yesterday);
  if (isRoot) Bun.spawnSync(['chown', '-R', String(NOBODY), place.home]);
  expect((await installed.run(place, ['selftest-native', installed.model])).code).toBe(0);
  const left = readdirSync(cache).filter((name) => !existsSync(join(cache, name, 'wrtc')));
  expect(left.sort()).toEqual(['native-1111111111111111', 'other']);
});

test('a cache folder that others can write to is not used', async () => {
  const place = installed.emptyPlace();
  const cache = join(place.home, '.cache/safelight');
  mkdirSync(cache, { recursive: true });
  chmodSync(cache, 0o777);
  if (isRoot) chownSync(cache, NOBODY, NOBODY);
  const { code } = await installed.run(place, ['selftest-native', installed.model]);
  expect(code).toBe(0);
  expect(filesBelow(place.home)).toEqual([]);
});

skipWithout('root', 'mount namespaces').test.each([
  ['without a folder where programs may run', 'noexec'],
  ['on a full disk', 'size=1m'],
])('%s the libraries are loaded from memory', async (_, options) => {
  const place = installed.emptyPlace();
  // A mount namespace of its own, in which this is so wherever can be written.
  const script =
    `mount -t tmpfs -o ${options},mode=1777 none ${place.home} && ` +
    `mount -t tmpfs -o ${options},mode=1777 none /var/tmp && ` +
    `HOME=${place.home} ${asOrdinaryUser.join(' ')} ${installed.binary} selftest-native ${installed.model} && ` +
    `find ${place.home} /var/tmp -name '*.tmp' >&2`;
  const jailed = Bun.spawnSync(['unshare', '-m', 'bash', '-c', script], {
    cwd: place.cwd,
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
  });
  expect({ code: jailed.exitCode, errors: jailed.stderr.toString() }).toEqual({
    code: 0,
    errors: '',
  });
  expect(JSON.parse(jailed.stdout.toString())).toEqual(EXPECTED);
});

test('no data is sent over the network', async () => {
  const place = installed.emptyPlace();
  const trace = join(place.cwd, 'trace');
  const { code } = await installed.run(place, ['selftest-native', installed.model], {
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
