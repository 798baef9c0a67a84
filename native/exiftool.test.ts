import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtBinary } from '../test/e2e/installed.ts';
import { readExifTool } from './exiftool-archive.ts';

const folder = mkdtempSync(join(tmpdir(), 'unpacked-exiftool-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('what is packed is the program with the modules that it loads, and no documentation', () => {
  const { version, files, contents } = readExifTool();
  expect(version).toBe('13.59');
  const names = files.map(({ name }) => name);
  expect(names).toContain('exiftool');
  expect(names).toContain('lib/Image/ExifTool/XMP.pm');
  expect(names).toContain('lib/IO/Uncompress/Brotli.pm');
  expect(names.filter((name) => /Lang\/|\.pod$|^config_files/.test(name))).toEqual([]);
  expect(files.reduce((sum, { size }) => sum + size, 0)).toBe(contents.length);
});

type Check = { readonly name: string; readonly state: string; readonly detail: string };

/** Returns the line of `doctor` about exiftool, with this cache folder and the programs of these folders. */
async function checkExifTool(cache: string, path = process.env['PATH']!): Promise<Check> {
  const child = Bun.spawn([builtBinary(), 'doctor', '--json', '--data', join(folder, 'data')], {
    env: { PATH: path, CACHE_DIRECTORY: cache },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const checks = (await new Response(child.stdout).json()) as Check[];
  return checks.find(({ name }) => name === 'exiftool')!;
}

test('the binary unpacks exiftool as a whole, also when many do at once, and mends a damaged one', async () => {
  const cache = join(folder, 'cache');
  const found = await Promise.all([1, 2, 3].map(() => checkExifTool(cache)));
  const program = /^(\S+\/exiftool), 13\.59$/.exec(found[0]!.detail)![1]!;
  expect(program).toStartWith(`${cache}/native-`);
  expect(found.every(({ detail }) => detail === `${program}, 13.59`)).toBe(true);
  const unpacked = program.replace(/\/exiftool$/, '');
  expect(readdirSync(join(unpacked, '..')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  const { files } = readExifTool();
  expect(readdirSync(unpacked, { recursive: true })).toEqual(
    expect.arrayContaining(files.map(({ name }) => name)),
  );

  const module = join(unpacked, 'lib/Image/ExifTool.pm');
  const { size } = Bun.file(module);
  writeFileSync(module, ' '.repeat(size));
  rmSync(join(unpacked, 'lib/Image/ExifTool/XMP.pm'));
  expect((await checkExifTool(cache)).detail).toBe(`${program}, 13.59`);
  expect(await Bun.file(module).text()).toContain('package Image::ExifTool;');
  expect(await Bun.file(join(unpacked, 'lib/Image/ExifTool/XMP.pm')).exists()).toBe(true);
});

test('a newer exiftool of the system is not used', async () => {
  const bin = mkdtempSync(join(folder, 'bin-'));
  writeFileSync(join(bin, 'exiftool'), '#!/bin/sh\necho 99.99\n');
  chmodSync(join(bin, 'exiftool'), 0o755);
  const { state, detail } = await checkExifTool(
    join(folder, 'cache'),
    `${bin}:${process.env['PATH']}`,
  );
  expect([state, detail]).toEqual(['ok', expect.stringMatching(/, 13\.59$/)]);
});
