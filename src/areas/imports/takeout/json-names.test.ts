import { expect, test } from 'bun:test';
import { createJsonFinder, findOriginalStem } from './json-names.ts';

const LONG = 'Screenshot_2020-01-01-12-00-00-000_com.example.gallery';

const MATCHES: [media: string, json: string][] = [
  ['IMG_1.jpg', 'IMG_1.jpg.json'],
  ['IMG_1.jpg', 'IMG_1.jpg.supplemental-metadata.json'],
  ['Screenshot_20190317-234331.jpg', 'Screenshot_20190317-234331.jpg.supplemental-me.json'],
  ['IMG_1.jpg', 'IMG_1.jpg..json'],
  ['IMG_1(2).jpg', 'IMG_1.jpg(2).json'],
  ['IMG_1(2).jpg', 'IMG_1.jpg.supplemental-metadata(2).json'],
  ['IMG_1(2).jpg', 'IMG_1.jpg.suppl(2).json'],
  ['IMG_1(2).jpg', 'IMG_1(2).jpg.supplemental-metadata.json'],
  [`${LONG.slice(0, 47)}.jpg`, `${LONG.slice(0, 46)}.json`],
  [`${LONG.slice(0, 47)}.jpg`, `${`${LONG.slice(0, 47)}.jpg`.slice(0, 51 - 3)}.json`],
  [`${LONG.slice(0, 47)}(1).jpg`, `${LONG.slice(0, 46)}(1).json`],
  ['IMG_1-edited.jpg', 'IMG_1.jpg.json'],
  ['IMG_1-bearbeitet(3).jpg', 'IMG_1.jpg.supplemental-metadata(3).json'],
  ['IMG_1(2).jpg', 'IMG_1.supplemental-metadata(2).json'],
  ['Mum _ Dad_s 50_.jpg', "Mum & Dad's 50%.jpg.json"],
  ["Dad's.jpg", 'Dad_s.jpg.supplemental-metadata.json'],
  ['IMG_1.jpg', 'IMG_1.supplem.json'],
  ['P7040106.jpg', 'P7040106.JPG.json'],
  ['IMG_4081(1).jpg', 'IMG_4081.JPG(1).json'],
  // As macOS writes accents.
  ['e\u0301te\u0301-modifie\u0301.jpg', 'été.jpg.json'],
];
test.each(MATCHES)('%s is described by %s', (media, json) => {
  const others = ['IMG_2.jpg.json', 'metadata.json', `${LONG.slice(0, 44)}.json`, 'IMG_1.jpg'];
  expect(createJsonFinder([...others, json])(media)?.json).toBe(json);
});

const STRANGERS: [media: string, json: string][] = [
  ['IMG_1.jpg', 'IMG_1.jpg(2).json'],
  ['IMG_1(2).jpg', 'IMG_1.jpg.json'],
  ['IMG_1.jpg', 'IMG_11.jpg.json'],
  ['IMG_1.jpg', 'IMG_1.jpg.supplemental-x.json'],
  ['IMG_1.jpg', 'metadata.json'],
  ['short.jpg', 'short.json'],
  ['short.jpg', 'short.s.json'],
];
test.each(STRANGERS)('%s is not described by %s', (media, json) => {
  expect(createJsonFinder([json])(media)).toBeUndefined();
});

test('each of two photos of one name has its own description', () => {
  const find = createJsonFinder(['A.jpg.json', 'A.jpg(1).json']);
  expect([find('A.jpg')?.json, find('A(1).jpg')?.json]).toEqual(['A.jpg.json', 'A.jpg(1).json']);
});

test('a name in another case is that of another photo if there is one', () => {
  const find = createJsonFinder(['A.jpg', 'a.JPG', 'A.jpg.json']);
  expect([find('A.jpg')?.json, find('a.JPG')?.json]).toEqual(['A.jpg.json', undefined]);
});

test('edited versions are told by the words of Google, also when they are cut', () => {
  const cut = `${'x'.repeat(42)}-edit`;
  expect(
    [
      'IMG_1-edited',
      'IMG_1-EDITED(2)',
      'a-編集済み',
      cut,
      'IMG_1-edit',
      'edited',
      'un-edited-x',
    ].map(findOriginalStem),
  ).toEqual(['IMG_1', 'IMG_1(2)', 'a', 'x'.repeat(42), undefined, undefined, undefined]);
});
