import { expect, test } from 'bun:test';
import { toSafeFileName } from './file-names.ts';

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
