import { expect, test } from 'bun:test';
import {
  parseCsv,
  findListedAlbum,
  isPhotosFolder,
  parseAlbumList,
  parsePhotoDetails,
} from './icloud.ts';

const HEADER =
  'imgName,fileChecksum,favorite,hidden,deleted,originalCreationDate,viewCount,importDate';

test('CSV: quotes, commas and line breaks inside them, a byte order mark, a last line without an end', () => {
  expect(parseCsv('\uFEFFa,b\r\n"x, ""y""","1\n2"\n\n,z')).toEqual([
    ['a', 'b'],
    ['x, "y"', '1\n2'],
    ['', 'z'],
  ]);
  expect(parseCsv('a,b,')).toEqual([['a', 'b']]);
  expect(parseCsv('a,"b"c\nd,e')).toEqual([['d', 'e']]);
  expect(parseCsv('')).toEqual([]);
});

test('details of photos: dates in GMT, flags; another file gives none', () => {
  const details = parsePhotoDetails(
    [
      HEADER,
      'A.HEIC,x,yes,no,no,"Saturday June 4,2022 12:11 PM GMT",10,"Saturday June 4,2022 12:11 PM GMT"',
      'B.JPG,x,no,yes,yes,Monday January 2,2023 9:05 AM GMT,0,',
      'C.JPG,x,no,no,no,soon,0,',
    ].join('\n'),
  );
  expect(Object.fromEntries(details)).toEqual({
    'A.HEIC': {
      takenAt: new Date('2022-06-04T12:11:00Z'),
      isFavorite: true,
      isTrashed: false,
      visibility: undefined,
    },
    'B.JPG': {
      takenAt: new Date('2023-01-02T09:05:00Z'),
      isFavorite: false,
      isTrashed: true,
      visibility: 'locked',
    },
    'C.JPG': {
      isOdd: true,
      takenAt: undefined,
      isFavorite: false,
      isTrashed: false,
      visibility: undefined,
    },
  });
  expect(parsePhotoDetails('a,b\n1,2').size).toBe(0);
});

test('albums: lists of names, without memories and the albums that every account has', () => {
  expect(parseAlbumList('Images\nA.HEIC\nB.JPG\n')).toEqual(['A.HEIC', 'B.JPG']);
  expect(parseAlbumList('name,size\nA.HEIC,1\n')).toEqual([]);
  const part = '/x/iCloud Photos Part 1 of 2';
  expect(
    ['Albums/Rome.csv', 'Memories/Summer.csv', 'Albums/Hidden.csv', 'Albums/a.txt'].map((name) =>
      findListedAlbum(`${part}/${name}`),
    ),
  ).toEqual(['Rome', undefined, undefined, undefined]);
  expect([isPhotosFolder(`${part}/Photos`), isPhotosFolder('/x/Photos')]).toEqual([true, false]);
});
