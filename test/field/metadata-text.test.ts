import { expect, test } from 'bun:test';
import { type FieldPhoto, translate, useFieldPhotos } from '../support/field-photos.ts';

// Descriptions in the encodings and languages of programs: README.md has the public threads.

const { database, get, read, show } = await useFieldPhotos();

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
