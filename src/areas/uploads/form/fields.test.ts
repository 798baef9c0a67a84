import { describe, expect, test } from 'bun:test';
import { parseUploadFields } from './fields.ts';

const WHEN = '2024-05-06T07:08:09.000Z';
const read = (fields: Record<string, string>) =>
  parseUploadFields(
    new Map(Object.entries({ fileCreatedAt: WHEN, fileModifiedAt: WHEN, ...fields })),
  );

test('requires only the two dates and ignores unknown fields', () => {
  expect(read({ deviceAssetId: 'x', fileSize: 'no number', isReadOnly: 'maybe' })).toEqual({
    fileCreatedAt: new Date(WHEN),
    fileModifiedAt: new Date(WHEN),
    fileName: undefined,
    isFavorite: false,
    visibility: 'timeline',
    liveVideoId: undefined,
    metadata: [],
    durationMs: undefined,
  });
});

describe('dates of the form', () => {
  const cases: [string, string][] = [
    ['2024-05-06T07:08:09Z', '2024-05-06T07:08:09.000Z'],
    ['2024-05-06T07:08:09.123456Z', '2024-05-06T07:08:09.123Z'],
    ['2024-05-06T07:08:09.123456789+02:00', '2024-05-06T05:08:09.123Z'],
    ['2024-05-06T07:08:09-0330', '2024-05-06T10:38:09.000Z'],
    ['2024-02-29T07:08Z', '2024-02-29T07:08:00.000Z'],
  ];
  for (const [text, instant] of cases) {
    test(`${text} is parsed as ${instant}`, () => {
      expect(read({ fileCreatedAt: text }).fileCreatedAt.toISOString()).toBe(instant);
    });
  }
  for (const text of [
    '',
    'yesterday',
    '0000-00-00T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '1714979289',
    '2023-02-29T00:00:00Z',
    '2024-02-30T00:00:00.000Z',
    '2024-05-06T24:00:00Z',
    '2024-05-06T07:08:09',
    '2024-05-06 07:08:09Z',
    '2024-05-06',
  ]) {
    test(`'${text}' is refused`, () => {
      expect(() => read({ fileCreatedAt: text })).toThrow('Validation failed');
    });
  }
});

test('a duration is given in milliseconds or as h:mm:ss, and zero means none', () => {
  const parseDuration = (duration: string) => read({ duration }).durationMs;
  expect(parseDuration('1234')).toBe(1234);
  expect(parseDuration('0')).toBeUndefined();
  expect(parseDuration('00:00:00.000000')).toBeUndefined();
  expect(parseDuration('01:02:03.500000')).toBe(3_723_500);
  expect(() => parseDuration('long')).toThrow();
  for (const wrong of ['99999999999', '2147483648', '1.5', '-1', '1e3', ' 1', '']) {
    expect(() => parseDuration(wrong)).toThrow('Validation failed');
  }
  expect(parseDuration('2147483647')).toBe(2 ** 31 - 1);
});

test('metadata is a JSON array of {key, value}; the last of two values for one key wins', () => {
  const metadata = JSON.stringify([
    { key: 'mobile-app', value: { iCloudId: '1' } },
    { key: 'mobile-app', value: { iCloudId: '2' } },
  ]);
  expect(read({ metadata }).metadata).toEqual([{ key: 'mobile-app', value: { iCloudId: '2' } }]);
  for (const wrong of ['{', '{}', '[1]', '[{"key":""}]', '[{"key":"a","value":1}]']) {
    expect(() => read({ metadata: wrong })).toThrow('Validation failed');
  }
  expect(() => read({ metadata: '[{"key":"a","value":{"b":"\\u0000"}}]' })).toThrow();
  expect(() => read({ metadata: '[{"key":"a","value":{"b":"\\ud83d"}}]' })).toThrow();
  expect(read({ metadata: '[{"key":"a","value":{"b":"\\\\u0000"}}]' }).metadata).toHaveLength(1);
});

test('an invalid flag, visibility or id is refused', () => {
  expect(read({ isFavorite: 'true' }).isFavorite).toBe(true);
  expect(() => read({ isFavorite: 'yes' })).toThrow();
  expect(() => read({ visibility: 'public' })).toThrow();
  expect(() => read({ livePhotoVideoId: '1' })).toThrow();
  for (const flag of ['TRUE', 'False', ' true', '1']) {
    expect(() => read({ isFavorite: flag })).toThrow('Validation failed');
  }
});

test('an empty text is a value that only a file name may have', () => {
  for (const name of ['isFavorite', 'visibility', 'livePhotoVideoId', 'metadata', 'duration']) {
    expect(() => read({ [name]: '' })).toThrow('Validation failed');
  }
  expect(read({ filename: '' }).fileName).toBeUndefined();
});
