import { expect, test } from 'bun:test';
import { createLicenceList, isCompatible, listLicences } from './licences.ts';
import { buildWebFiles } from './web-files.ts';

const licences = listLicences();
const names = new Set(licences.map(({ name }) => name));

test('lists the dependencies and what they need, and nothing of the tests', () => {
  for (const name of ['Bun', 'react', 'elysia', 'vue', 'libvips', 'onnxruntime-node']) {
    expect(names).toContain(name);
  }
  for (const name of ['axe-core', 'playwright-core', 'oxlint', '@types/react', 'bun-types']) {
    expect(names).not.toContain(name);
  }
});

test('every package has a version and the text of its licence', () => {
  const incomplete = licences.filter(
    ({ version, text }) => !/^\d+\.\d+/.test(version) || text.length < 200,
  );
  expect(incomplete.map(({ name, text }) => [name, text])).toEqual([]);
  // A template that nobody has filled in.
  expect(licences.filter(({ text }) => /\(c\) <year>/.test(text)).map(({ name }) => name)).toEqual(
    [],
  );
});

test('ExifTool is under the licence of Perl, whatever its package says', () => {
  const exifTool = licences.find(({ name }) => name === 'exiftool-vendored.pl')!;
  expect(exifTool.licence).toBe('Artistic-1.0-Perl OR GPL-1.0-or-later');
  for (const words of ['Phil Harvey', 'Artistic License', 'GNU GENERAL PUBLIC LICENSE'])
    expect(exifTool.text).toContain(words);
});

test('every licence is known to go together with the GPL', () => {
  const others = licences.filter(({ licence }) => !isCompatible(licence));
  expect(others.map(({ name, licence }) => `${name}: ${licence}`)).toEqual([]);
});

test('alternatives count one by one, parts all together', () => {
  expect(isCompatible('AFL-2.1 OR BSD-3-Clause')).toBe(true);
  expect(isCompatible('MIT AND SSPL-1.0')).toBe(false);
  expect(isCompatible('')).toBe(false);
});

test('the list is served once for each text', async () => {
  const list = createLicenceList(licences);
  expect(list.packages.length).toBe(licences.length);
  expect(new Set(list.texts).size).toBe(list.texts.length);
  list.packages.forEach(({ text }, index) => {
    expect(list.texts[text]).toBe(licences[index]!.text);
  });
  const file = (await buildWebFiles()).find(({ path }) => path === '/licences.json')!;
  expect(JSON.parse(new TextDecoder().decode(file.bytes))).toEqual(list);
});
