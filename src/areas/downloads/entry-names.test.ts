import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { createEntryNames, toSafeEntryName } from './entry-names.ts';

test('a name that was used gets a number, ignoring case', () => {
  const toEntryName = createEntryNames();
  expect(
    ['a.jpg', 'A.JPG', 'a.jpg', 'a+1.jpg', 'a', 'a', '.hidden', '.hidden'].map((name) =>
      toEntryName(name),
    ),
  ).toEqual(['a.jpg', 'A+1.JPG', 'a+2.jpg', 'a+1+1.jpg', 'a', 'a+1', '.hidden', '.hidden+1']);
});

test('no entry name leaves the target folder', () => {
  const names: [string, string][] = [
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['/abs/a.jpg', 'a.jpg'],
    ['..', 'file'],
    ['a/', 'file'],
    ['', 'file'],
    ['C:evil.jpg', 'C_evil.jpg'],
    ['a\u0000b.jpg', 'a_b.jpg'],
    ['été 🌞.jpg', 'été 🌞.jpg'],
    ['trailing. ', 'trailing'],
  ];
  for (const [given, expected] of names) expect(toSafeEntryName(given)).toBe(expected);
});

test('entry names are unique and safe for any input', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 30 }), (given) => {
      const toEntryName = createEntryNames();
      const names = given.map((name) => toEntryName(name));
      expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
      for (const name of names) expect(toSafeEntryName(name)).toBe(name);
      for (const name of names) expect(['.', '..']).not.toContain(name);
    }),
  );
});
