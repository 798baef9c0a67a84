import { afterAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripSymbols } from './strip-symbols.ts';
import { unpackFile } from './unpack.ts';

const base = mkdtempSync(join(tmpdir(), 'unpack-'));
afterAll(() => rmSync(base, { recursive: true }));

const makeFolder = () => mkdtempSync(join(base, 'folder-'));

function makeEmbedded(bytes: Uint8Array<ArrayBuffer>) {
  const path = join(makeFolder(), 'library.zst');
  writeFileSync(path, Bun.zstdCompressSync(bytes, { level: 1 }));
  return { path, size: bytes.length };
}

const startUnpacking = (embedded: ReturnType<typeof makeEmbedded>, path: string) => {
  const module = join(import.meta.dir, 'unpack.ts');
  const script = `(await import('${module}')).unpackFile(${JSON.stringify(embedded)}, '${path}', 0o644)`;
  return Bun.spawn([process.execPath, '-e', script], { stdout: 'ignore', stderr: 'inherit' });
};

test('processes that unpack the same file at once leave one whole file', async () => {
  const bytes = Buffer.from(randomBytes(4_000_000));
  const embedded = makeEmbedded(bytes);
  const folder = makeFolder();
  const path = join(folder, 'libraries/library.so');
  const children = Array.from({ length: 4 }, () => startUnpacking(embedded, path));
  expect(await Promise.all(children.map(({ exited }) => exited))).toEqual([0, 0, 0, 0]);
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(readdirSync(join(folder, 'libraries'))).toEqual(['library.so']);
});

test('a process that is killed while it unpacks leaves nothing under the name', async () => {
  const embedded = makeEmbedded(Buffer.alloc(64_000_000, 'pixels'));
  const folder = makeFolder();
  const path = join(folder, 'library.so');
  const child = startUnpacking(embedded, path);
  while (readdirSync(folder).length === 0) await Bun.sleep(1);
  child.kill('SIGKILL');
  await child.exited;
  expect(existsSync(path)).toBe(false);
  unpackFile(embedded, path, 0o644);
  expect(Bun.file(path).size).toBe(embedded.size);
});

test('a file that cannot be read leaves nothing behind', () => {
  const folder = makeFolder();
  const embedded = makeEmbedded(Buffer.from('text'));
  writeFileSync(embedded.path, 'damaged');
  expect(() => unpackFile(embedded, join(folder, 'library.so'), 0o644)).toThrow();
  expect(readdirSync(folder)).toEqual([]);
});

test('a library without its symbols is shorter and is loaded', () => {
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
  const file = `../node_modules/@roamhq/wrtc-linux-${arch}/wrtc.node`;
  const whole = readFileSync(join(import.meta.dir, file));
  const stripped = stripSymbols(whole);
  expect(stripped.length).toBeLessThan(whole.length * 0.85);
  const path = join(makeFolder(), 'wrtc.node');
  writeFileSync(path, stripped);
  // In a process of its own: this library cannot be unloaded.
  const script = `const m = { exports: {} }; process.dlopen(m, '${path}'); console.log(typeof m.exports.RTCPeerConnection)`;
  const { stdout } = Bun.spawnSync([process.execPath, '-e', script]);
  expect(stdout.toString().trim()).toBe('function');
  expect(() => stripSymbols(Buffer.alloc(100))).toThrow('not ELF64');
});
