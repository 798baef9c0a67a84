import { expect, test } from 'bun:test';
import { listMediaFiles } from '../../src/areas/imports/media-files.ts';
import { type FieldPhoto, translate, useFieldPhotos } from '../support/field-photos.ts';

// Positions, texts and names of files: README.md has the public threads.

const { database, get, read, show } = await useFieldPhotos();

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

const latin = (tag: string, text: string) => [
  '-charset',
  'exif=latin',
  '-charset',
  'iptc=latin',
  `-${tag}=${text}`,
];
/** UTF-8 without the marker of IPTC. */
const unmarked = (text: string) => ['-charset', 'iptc=utf8', `-IPTC:Caption-Abstract=${text}`];
const marked = (text: string) => ['-IPTC:CodedCharacterSet=UTF8', `-IPTC:Caption-Abstract=${text}`];
const OWN = ['-ImageDescription=from the file'];

test.each<[string, FieldPhoto, string]>([
  [
    '137a: EXIF in Latin-1',
    { tags: latin('ImageDescription', 'Bébé à la plage') },
    'Bébé à la plage',
  ],
  ['138a: EXIF in UTF-8', { tags: ['-ImageDescription=Подъезд, 京都 🌊'] }, 'Подъезд, 京都 🌊'],
  [
    '138b: EXIF in UTF-8 that ends with a letter of two bytes',
    { tags: ['-ImageDescription=Voilà'] },
    'Voilà',
  ],
  [
    '137b: EXIF of Windows with quotation marks',
    { tags: latin('ImageDescription', '“Été” – 5 €') },
    '“Été” – 5 €',
  ],
  [
    '139a: IPTC in UTF-8 without a marker',
    { tags: unmarked('Carrer de Sepúlveda, São Paulo') },
    'Carrer de Sepúlveda, São Paulo',
  ],
  [
    '140: IPTC in Latin-1',
    { tags: latin('IPTC:Caption-Abstract', 'Heinrichshütte') },
    'Heinrichshütte',
  ],
  ['141: IPTC in UTF-8 with a marker', { tags: marked('Jönköping, 京都') }, 'Jönköping, 京都'],
  [
    '139b: IPTC in UTF-8 without a marker, in other letters',
    { tags: unmarked('東京の夜') },
    '東京の夜',
  ],
  [
    '142: a description in one language',
    { xmp: translate('dc:description', { 'en-US': 'Beach day' }) },
    'Beach day',
  ],
  [
    '143: the same in a sidecar',
    { tags: OWN, sidecar: translate('dc:description', { de: 'Strand bei Föhr' }) },
    'Strand bei Föhr',
  ],
  [
    '144a: the first of several languages',
    { xmp: translate('dc:description', { de: 'Am Strand', fr: 'À la plage' }) },
    'Am Strand',
  ],
  [
    '144b: the default language',
    { xmp: translate('dc:description', { de: 'Am Strand', 'x-default': 'On the beach' }) },
    'On the beach',
  ],
  [
    '145a: a comment of Windows',
    { tags: ['-UserComment=Garten in Kyōto „Test“'] },
    'Garten in Kyōto „Test“',
  ],
  [
    '145b: a comment in Latin-1 that says to be ASCII',
    { tags: latin('UserComment', 'Fête à Orléans') },
    'Fête à Orléans',
  ],
  [
    '146a: a comment is no description where there is one',
    { tags: [...OWN, '-UserComment=other'] },
    'from the file',
  ],
  [
    '146b: a comment in a sidecar leaves the description',
    { tags: OWN, sidecar: translate('exif:UserComment', { 'x-default': 'other' }) },
    'from the file',
  ],
  [
    '147a: settings that a phone notes',
    { tags: ['-UserComment={"mirror":false,"sensor_type":"rear"}'] },
    '',
  ],
  [
    '147c: a person who writes like a program',
    { tags: ['-ImageDescription=Who: Ada; where: Rome;'] },
    'Who: Ada; where: Rome;',
  ],
  [
    '147b: settings of a filter',
    { tags: ['-UserComment=filter: 0; fileterIntensity: 0.0; filterMask: 0;'] },
    '',
  ],
  [
    '148: a description of TIFF in a sidecar',
    {
      xmp: translate('dc:description', { 'x-default': 'old' }),
      sidecar: translate('tiff:ImageDescription', { 'x-default': 'new' }),
    },
    'new',
  ],
  [
    '149: an empty description in a sidecar',
    { tags: OWN, sidecar: translate('dc:description', { 'x-default': '' }) },
    'from the file',
  ],
  [
    '150: a description of XMP that is no list',
    { xmp: '<dc:description>Größe</dc:description>' },
    'Größe',
  ],
  [
    '145c: a comment of XMP in one language',
    { xmp: translate('exif:UserComment', { it: 'Al mare' }) },
    'Al mare',
  ],
])('%s', async (_, photo, expected) => {
  expect((await show(photo)).exifInfo.description).toBe(expected);
});

test('151: what was read in the wrong encoding is right once it is read again', async () => {
  const { id } = await show({ tags: latin('ImageDescription', 'Bébé à la plage') });
  await database.sql`update asset_exif set description = 'B?b? ? la plage' where asset_id = ${id}`;
  await read(id);
  expect((await get(`/assets/${id}`)).exifInfo.description).toBe('Bébé à la plage');
});

test('137c: a camera whose name is not ASCII', async () => {
  expect((await show({ tags: latin('Make', 'Müller & Söhne') })).exifInfo.make).toBe(
    'Müller & Söhne',
  );
});

/** The names of sidecars by the names of their photos. */
const pair = (...names: string[]) =>
  Object.fromEntries(
    listMediaFiles([{ path: '/x', names }]).map(({ name, sidecarPath }) => [
      name,
      sidecarPath?.slice(3),
    ]),
  );

const [COMPOSED, DECOMPOSED] = ['Köln'.normalize('NFC'), 'Köln'.normalize('NFD')];

test.each([
  [
    '190: a photo of a Mac with a sidecar of another system',
    `${DECOMPOSED}.jpg`,
    `${COMPOSED}.jpg.xmp`,
  ],
  [
    '191: a photo of another system with a sidecar of a Mac',
    `${COMPOSED}.JPG`,
    `${DECOMPOSED}.xmp`,
  ],
])('%s', (_, photo, sidecar) => {
  expect(pair(photo, sidecar)).toEqual({ [photo]: sidecar });
});

test('192: a photo that a browser has saved as .jfif', async () => {
  const asset = await show({ name: 'photo.jfif', tags: ['-DateTimeOriginal=2021:08:14 18:30:00'] });
  expect(asset).toMatchObject({
    type: 'IMAGE',
    originalMimeType: 'image/jpeg',
    localDateTime: '2021-08-14T18:30:00.000Z',
  });
  expect((await get('/server/media-types')).image).toContain('.jfif');
});

test('193: pixels are turned by their own file, not by the orientation in a sidecar', async () => {
  const { exifInfo, width } = await show({ sidecar: '<tiff:Orientation>6</tiff:Orientation>' });
  expect([exifInfo.orientation, width]).toEqual([null, 320]);
});

test('195: a photo and its raw file share a sidecar, which gives way to one of their own', () => {
  expect(pair('image1.jpg', 'image1.ARW', 'IMAGE1.XMP', 'image1.arw.xmp')).toEqual({
    'image1.jpg': 'IMAGE1.XMP',
    'image1.ARW': 'image1.arw.xmp',
  });
});
