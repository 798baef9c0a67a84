import { expect, test } from 'bun:test';
import {
  EXTENSIONS,
  getExtension,
  isRaw,
  isSidecar,
  getMimeType,
  getMediaType,
  toSafeFileName,
} from './formats.ts';

test('the type and mime of a file come from its extension in any case', () => {
  expect(getMediaType('IMG_1.HEIC')).toBe('IMAGE');
  expect(getMediaType('a/b.c/clip.MOV')).toBe('VIDEO');
  expect(getMediaType('memo.m4a')).toBe('AUDIO');
  expect(getMimeType('x.JPG')).toBe('image/jpeg');
  expect(getMimeType('x.cr3')).toBe('image/x-canon-cr3');
  expect(getMimeType('x.unknown')).toBe('application/octet-stream');
  expect(isRaw('x.NEF')).toBe(true);
  expect(isRaw('x.jpg')).toBe(false);
});

test('refuses files that are no photo, video or audio', () => {
  for (const name of [
    'x.svgz',
    'x.html',
    'x.exe',
    'jpg',
    '.jpg',
    'x.',
    '',
    'x.m3u8',
    'constructor.constructor',
  ])
    expect(getMediaType(name)).toBeUndefined();
});

test('a dot in a folder name is no extension', () => {
  expect(getExtension('2020.jpg/readme')).toBe('');
});

test('sidecars are recognised with either name style', () => {
  expect(isSidecar('a.jpg.xmp')).toBe(true);
  expect(isSidecar('a.XMP')).toBe(true);
  expect(isSidecar('.xmp')).toBe(false);
  expect(isSidecar('a.xmp.jpg')).toBe(false);
});

test('the lists for clients carry dots, are sorted, and share no extension', () => {
  const all = [
    ...EXTENSIONS.image,
    ...EXTENSIONS.video,
    ...EXTENSIONS.audio,
    ...EXTENSIONS.sidecar,
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(all.every((extension) => /^\.[a-z0-9]+$/.test(extension))).toBe(true);
  expect(EXTENSIONS.image).toEqual([...EXTENSIONS.image].sort());
  for (const extension of ['.heic', '.avif', '.jxl', '.dng', '.insp', '.svg'])
    expect(EXTENSIONS.image).toContain(extension);
  for (const extension of ['.insv', '.mxf', '.m2ts']) expect(EXTENSIONS.video).toContain(extension);
});

test('a file name keeps printable characters of any script', () => {
  for (const name of ['IMG_1.HEIC', '東京 – été 🗾 (2).jpg', '.hidden.jpg', 'a"b\'c.jpg']) {
    expect(toSafeFileName(name)).toBe(name);
  }
});

test('folders, control characters and bidirectional overrides are removed', () => {
  const cases: [string, string][] = [
    ['../../etc/passwd.jpg', 'passwd.jpg'],
    ['C:\\Users\\me\\a.jpg', 'a.jpg'],
    ['/a/b/', 'unnamed'],
    ['..', 'unnamed'],
    ['', 'unnamed'],
    ['a\u0000b\r\n\t.jpg', 'ab.jpg'],
    ['photo\u202Egpj.exe', 'photogpj.exe'],
    ['  a.jpg  ', 'a.jpg'],
    ['\uD800a.jpg', '\uFFFDa.jpg'],
    // Composed: the same name from a Mac and from anywhere else is the same text.
    ['e\u0301te\u0301.jpg', 'été.jpg'],
  ];
  for (const [given, clean] of cases) expect(toSafeFileName(given)).toBe(clean);
});

test('a long name is cut between grapheme clusters and keeps its extension', () => {
  const name = toSafeFileName(`${'👨‍👩‍👧'.repeat(50)}.jpeg`);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
  expect(name).toMatch(/^(?:👨‍👩‍👧)+\.jpeg$/u);
  expect(Buffer.byteLength(toSafeFileName('x'.repeat(5000)))).toBe(255);
  expect(Buffer.byteLength(toSafeFileName(`a.${'x'.repeat(5000)}`))).toBe(255);
});
