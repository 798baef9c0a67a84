import { expect, test } from 'bun:test';
import type { Asset } from '../../data/types.ts';
import { compareFacts } from './facts.ts';

const asset = (over: object, exifInfo: object = {}): Asset =>
  ({
    localDateTime: '2024-05-01T12:00:00.000Z',
    originalFileName: 'a.jpg',
    originalMimeType: 'image/jpeg',
    type: 'IMAGE',
    width: 100,
    height: 50,
    exifInfo: { fileSizeInByte: 1000, ...exifInfo },
    ...over,
  }) as unknown as Asset;

const findFact = (assets: readonly Asset[], name: string) =>
  compareFacts(assets).find((fact) => fact.name === name);

test('what is the same for all is no difference; more of it is best', () => {
  const copies = [asset({}), asset({ width: 200, height: 100 }, { fileSizeInByte: 500 })];
  expect(findFact(copies, 'Size')).toEqual({
    name: 'Size',
    values: ['1.0 KB', '500 B'],
    isDifferent: true,
    best: new Set([0]),
  });
  expect(findFact(copies, 'Resolution')!.best).toEqual(new Set([1]));
  expect(findFact(copies, 'Format')).toMatchObject({
    values: ['JPEG', 'JPEG'],
    isDifferent: false,
  });
  expect(findFact(copies, 'Format')!.best.size).toBe(0);
});

test('what nobody says has no row; what one says is a difference', () => {
  const copies = [asset({}, { rating: 3, city: 'Rome', country: 'Italy' }), asset({})];
  expect(findFact(copies, 'Rating')).toMatchObject({ values: ['★★★', ''], isDifferent: true });
  expect(findFact(copies, 'Place')).toMatchObject({ values: ['Rome, Italy', ''] });
  expect(findFact(copies, 'Tags')).toBeUndefined();
  expect(findFact(copies, 'Length')).toBeUndefined();
});

test('a camera is not named twice', () => {
  const cameras = [
    { make: 'Canon', model: 'Canon EOS R5' },
    { make: 'Apple', model: 'iPhone 15' },
    { make: 'Leica', model: null },
    {},
  ];
  expect(
    findFact(
      cameras.map((exif) => asset({}, exif)),
      'Camera',
    )!.values,
  ).toEqual(['Canon EOS R5', 'Apple iPhone 15', 'Leica', '']);
});

test('a raw file is called by its ending', () => {
  const raw = asset({ originalFileName: 'x.CR3', originalMimeType: 'image/x-canon-cr3' });
  expect(findFact([raw, asset({})], 'Format')!.values).toEqual(['CR3', 'JPEG']);
});
