import { expect, test } from 'bun:test';
import { type FieldPhoto, useFieldPhotos } from '../support/field-photos.ts';

// Where a picture was taken, by its file and its sidecar: README.md has the public threads.

const { show } = await useFieldPhotos();

const place = (latitude: string, longitude: string, more = '') =>
  `<exif:GPSLatitude>${latitude}</exif:GPSLatitude><exif:GPSLongitude>${longitude}</exif:GPSLongitude>${more}`;
const refs = (latitude: string, longitude: string) =>
  `<exif:GPSLatitudeRef>${latitude}</exif:GPSLatitudeRef><exif:GPSLongitudeRef>${longitude}</exif:GPSLongitudeRef>`;
const SYDNEY = [
  '-GPSLatitude=33.86',
  '-GPSLatitudeRef=S',
  '-GPSLongitude=151.21',
  '-GPSLongitudeRef=E',
];
const PERU = ['-GPSLatitude=12', '-GPSLatitudeRef=S', '-GPSLongitude=77', '-GPSLongitudeRef=W'];

test.each<[string, FieldPhoto, [number | null, number | null]]>([
  [
    '126: west of Greenwich in a sidecar of Photos',
    { sidecar: place('28.184478333333335', '14.160669499999999', refs('N', 'W')) },
    [28.1845, -14.1607],
  ],
  [
    '127: south of the equator in a sidecar of Photos',
    { sidecar: place('33.86', '151.21', refs('S', 'E')) },
    [-33.86, 151.21],
  ],
  ['128: the same in the file', { xmp: place('33.86', '14.16', refs('S', 'W')) }, [-33.86, -14.16]],
  [
    '129a: the reference in words',
    { sidecar: place('33.86', '70.6', refs('South', 'West')) },
    [-33.86, -70.6],
  ],
  [
    '129b: a sign and the reference',
    { sidecar: place('-38.0253', '145.289', refs('S', 'E')) },
    [-38.0253, 145.289],
  ],
  ['129c: a sign alone', { sidecar: place('-38.0253', '-145.289') }, [-38.0253, -145.289]],
  [
    '130: the reference of a file says nothing of its sidecar',
    { tags: SYDNEY, sidecar: place('48.8566', '2.3522') },
    [48.8566, 2.3522],
  ],
  [
    '131: the reference in XMP beside EXIF that has its own',
    { tags: PERU, xmp: place('12', '77', refs('S', 'W')) },
    [-12, -77],
  ],
  [
    '132: a sidecar with the zero of a receiver without a fix',
    { tags: SYDNEY, sidecar: place('0', '0') },
    [-33.86, 151.21],
  ],
  [
    '133: a sidecar with half of a position',
    { tags: SYDNEY, sidecar: '<exif:GPSLatitude>48.8566</exif:GPSLatitude>' },
    [-33.86, 151.21],
  ],
  [
    '134: a sidecar corrects the position',
    { tags: SYDNEY, sidecar: place('48,51.396N', '2,21.132E') },
    [48.8566, 2.3522],
  ],
  [
    '135a: a sidecar with an impossible position',
    { tags: SYDNEY, sidecar: place('148.8', '2.3') },
    [-33.86, 151.21],
  ],
  [
    '135b: a sidecar with other things leaves the position',
    { tags: SYDNEY, sidecar: '<xmp:Rating>3</xmp:Rating>' },
    [-33.86, 151.21],
  ],
  [
    '129d: degrees, minutes and seconds in XMP',
    { xmp: place('48,51,23.76N', '2,21,7.92E') },
    [48.8566, 2.3522],
  ],
  ['129e: west by a letter behind the degrees', { sidecar: place('60.5N', '68W') }, [60.5, -68]],
])('%s', async (_, photo, expected) => {
  const { exifInfo } = await show(photo);
  const round = (degrees: number | null) => degrees && Math.round(degrees * 10_000) / 10_000;
  expect([round(exifInfo.latitude), round(exifInfo.longitude)]).toEqual(expected);
});

test('136: the zone follows the hemisphere', async () => {
  const photo = {
    tags: ['-DateTimeOriginal=2019:05:19 12:40:50'],
    sidecar: place('40.7', '74', refs('N', 'W')),
  };
  const { fileCreatedAt, localDateTime } = await show(photo);
  expect([fileCreatedAt, localDateTime]).toEqual([
    '2019-05-19T16:40:50.000Z',
    '2019-05-19T12:40:50.000Z',
  ]);
});
