import { describe, expect, test } from 'bun:test';
import { brotliCompressSync } from 'node:zlib';
import { makeClip } from '../fixtures/clips.ts';
import { flat, H264, tag } from '../fixtures/index.ts';
import { box, insertBox } from '../support/boxes.ts';
import { type FieldPhoto, useFieldPhotos } from '../support/field-photos.ts';
import { skipWithout } from '../support/requirements.ts';

// Dates of containers, maker notes and file names, besides EXIF: README.md lists the public threads.

const { add, folder, get, show } = await useFieldPhotos();

type Taken = { readonly localDateTime: string; readonly fileCreatedAt: string };

/** The clock where it was taken, and the instant. */
const readTime = ({ localDateTime, fileCreatedAt }: Taken) =>
  [localDateTime, fileCreatedAt].map((text) => text.slice(0, 19));

let made = 0;
/** Makes a film that ffmpeg dates. */
async function makeFilm(extension: string, date: string, ...more: string[]): Promise<Buffer> {
  const path = `${folder}/${++made}.${extension}`;
  const source = ['-f', 'lavfi', '-i', 'color=size=64x48:rate=10:duration=1:color=blue'];
  makeClip(path, [...source, '-metadata', `creation_time=${date}`, ...more]);
  return Buffer.from(await Bun.file(path).bytes());
}

const showFile = async (bytes: Uint8Array, photo: FieldPhoto) =>
  get(`/assets/${await add(bytes, photo)}`);

/** A value of GPMF: its key, type, size of a sample and number of samples, filled up to 4 bytes. */
function gpmf(key: string, type: string, size: number, value: Uint8Array | string): Buffer {
  const bytes = Buffer.from(value as string);
  const head = Buffer.alloc(8);
  head.write(`${key}${type}`, 'latin1');
  head.writeUInt8(size, 5);
  head.writeUInt16BE(bytes.length / size, 6);
  return Buffer.concat([head, bytes, Buffer.alloc(-bytes.length & 3)]);
}

const toBytes = (size: 2 | 8, value: number): Buffer => {
  const bytes = Buffer.alloc(size);
  bytes.writeUIntBE(value, Math.max(0, size - 6), Math.min(6, size));
  return bytes;
};

/** The boxes of a GoPro: its firmware, its model, and what else. */
const toGoPro = (firmware: string, model: string, ...more: readonly Buffer[]): Buffer => {
  const values = Buffer.concat([gpmf('MINF', 'c', model.length, model), ...more]);
  const device = gpmf('DEVC', '\0', 1, values);
  return box('udta', box('FIRM', `${firmware}\0\0`), box('GPMF', device));
};

/** The box of a Nikon with tags of text and of one number. */
const toNikon = (tags: Readonly<Record<number, string | number>>): Buffer => {
  const values = Object.entries(tags).map(([id, value]) => {
    const content = typeof value === 'number' ? toBytes(2, value) : Buffer.from(`${value}\0`);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(Number(id));
    head.writeUInt16BE(typeof value === 'number' ? 8 : 2, 4);
    head.writeUInt16BE(typeof value === 'number' ? 1 : content.length, 6);
    return Buffer.concat([head, content]);
  });
  return box('udta', box('NCDT', box('NCTG', ...values)));
};

const SONY = box(
  'meta',
  '\0\0\0\0',
  box('hdlr', `${'\0'.repeat(8)}nrtm${'\0'.repeat(13)}`),
  box(
    'xml ',
    '\0\0\0\0<?xml version="1.0"?><NonRealTimeMeta xmlns="urn:schemas-professionalDisc:nonRealTimeMeta:ver.2.00">' +
      '<CreationDate value="2024-04-02T07:30:00+09:00"/></NonRealTimeMeta>',
  ),
);

describe('a film is of the zone that it tells', () => {
  test('701: Samsung, beside the time of UTC', async () => {
    const keys = [
      '-movflags',
      'use_metadata_tags',
      '-metadata',
      'com.samsung.android.utc_offset=+0900',
    ];
    const film = await makeFilm('mp4', '2024-05-11T03:20:00Z', ...keys);
    const expected = ['2024-05-11T12:20:00', '2024-05-11T03:20:00'];
    expect(readTime(await showFile(film, { name: '20240511_122000.mp4' }))).toEqual(expected);
    expect(readTime(await showFile(film, { name: 'a.mp4' }))).toEqual(expected);
  });

  test('702: Sony, in NonRealTimeMeta', async () => {
    const film = await makeFilm('mp4', '2024-04-01T22:30:00Z');
    const bytes = Buffer.concat([film, SONY]);
    expect(readTime(await showFile(bytes, { name: 'C0001.MP4' }))).toEqual([
      '2024-04-02T07:30:00',
      '2024-04-01T22:30:00',
    ]);
  });

  test('703: GoPro, beside its clock', async () => {
    const clock = Date.UTC(2025, 3, 23, 19, 7, 5) / 1000;
    const film = insertBox(
      await makeFilm('mp4', '2025-04-23T19:07:05Z'),
      ['moov'],
      toGoPro(
        'H22.01.02.32.00',
        'HERO11 Black',
        gpmf('CDAT', 'J', 8, toBytes(8, clock)),
        gpmf('TZON', 's', 2, toBytes(2, 420)),
      ),
    );
    expect(readTime(await showFile(film, { name: 'GX010001.MP4' }))).toEqual([
      '2025-04-23T19:07:05',
      '2025-04-23T12:07:05',
    ]);
  });

  test('704: Nikon, in minutes', async () => {
    const tags = { 1: 'NIKON CORPORATION', 18: '2025:03:29 20:14:32', 25: 480 };
    const film = insertBox(await makeFilm('mov', '2025-03-29T20:14:32Z'), ['moov'], toNikon(tags));
    expect(readTime(await showFile(film, { name: 'DSC_0001.MOV' }))).toEqual([
      '2025-03-29T20:14:32',
      '2025-03-29T12:14:32',
    ]);
  });
});

test('705: a Galaxy tells the zone of a photo by the time of UTC in its trailer', async () => {
  const path = `${folder}/galaxy.jpg`;
  await flat([90, 120, 60]).jpeg().toFile(path);
  tag(path, '-Make=samsung', '-DateTimeOriginal=2024:09:15 09:00:00');
  const name = 'Image_UTC_Data';
  const value = Buffer.from(`${name}${Date.UTC(2024, 8, 15, 16)}`);
  const head = Buffer.from([0, 0, 0x01, 0x0a, name.length, 0, 0, 0]);
  const entry = Buffer.alloc(24);
  entry.write('SEFH');
  entry.writeUInt32LE(101, 4);
  entry.writeUInt32LE(1, 8);
  head.copy(entry, 12, 0, 4);
  entry.writeUInt32LE(head.length + value.length, 16);
  entry.writeUInt32LE(head.length + value.length, 20);
  const end = Buffer.from('\x18\0\0\0SEFT');
  const bytes = Buffer.concat([await Bun.file(path).bytes(), head, value, entry, end]);
  expect(readTime(await showFile(bytes, { isExact: true }))).toEqual([
    '2024-09-15T09:00:00',
    '2024-09-15T16:00:00',
  ]);
});

test('706: XMP has the zone of the clock that EXIF has without one', async () => {
  const tags = ['-EXIF:DateTimeOriginal=2014:09:21 16:00:56'];
  const xmp = '<exif:DateTimeOriginal>2014-09-21T16:00:56+05:00</exif:DateTimeOriginal>';
  expect(readTime(await show({ tags, xmp }))).toEqual([
    '2014-09-21T16:00:56',
    '2014-09-21T11:00:56',
  ]);
});

const FORMATS: readonly (readonly [string, ...string[]])[] = [
  ['mkv'],
  ['webm', '-c:v', 'libvpx'],
  ['wmv', '-c:v', 'wmv2'],
  ['mxf', '-c:v', 'mpeg2video', '-r', '25'],
  ['3gp', '-c:v', 'mpeg4'],
];
test.each(FORMATS)('707: the date of a film as %s is UTC', async (extension, ...codec) => {
  const film = await makeFilm(extension, '2025-06-07T19:30:00Z', ...codec);
  expect(readTime(await showFile(film, { name: `a.${extension}` }))).toEqual([
    '2025-06-07T21:30:00',
    '2025-06-07T19:30:00',
  ]);
});

test('708: older GoPros write the clock on the wall as UTC', async () => {
  const clip = await makeFilm('mp4', '2024-07-05T17:02:03Z');
  const film = insertBox(clip, ['moov'], toGoPro('HD7.01.01.90.00', 'HERO7 Black'));
  expect(readTime(await showFile(film, { name: 'GH010001.MP4' }))).toEqual([
    '2024-07-05T17:02:03',
    '2024-07-05T15:02:03',
  ]);
});

test('709: a name with the clock of a film decides how its date is read', async () => {
  const film = await makeFilm('mp4', '2024-05-11T03:20:00Z');
  const read = async (name: string) => readTime(await showFile(film, { name }));
  expect(await read('DJI_20240511032000_0001_D.MP4')).toEqual([
    '2024-05-11T03:20:00',
    '2024-05-11T01:20:00',
  ]);
  expect(await read('VID_20240511_122000.mp4')).toEqual([
    '2024-05-11T12:20:00',
    '2024-05-11T03:20:00',
  ]);
  expect(await read('VID_20240511_052000.mp4')).toEqual([
    '2024-05-11T05:20:00',
    '2024-05-11T03:20:00',
  ]);
  expect(await read('PXL_20240511_032000123.mp4')).toEqual([
    '2024-05-11T05:20:00',
    '2024-05-11T03:20:00',
  ]);
});

test.each([
  ['00001IMG_00001_BURST20171111030039.jpg', '2017-11-11T03:00:39'],
  ['00000IMG_00000_BURST20180901101751159_COVER.jpg', '2018-09-01T10:17:51'],
  ['Bildschirmfoto 2024-01-02 um 15.04.05.png', '2024-01-02T15:04:05'],
  ['Capture d’écran 2024-01-02 à 15.04.05.png', '2024-01-02T15:04:05'],
  ['Schermafbeelding 2024-01-02 om 15.04.05.png', '2024-01-02T15:04:05'],
  ['WhatsApp Bild 2024-01-02 um 15.04.05.jpeg', '2024-01-02T15:04:05'],
  ['photo_12@02-01-2024_15-04-05.jpg', '2024-01-02T15:04:05'],
  ['2024_0102_150405_001.MP4', '2024-01-02T15:04:05'],
])('710: the name %s dates a file without a date', async (name, clock) => {
  expect(readTime(await show({ name }))[0]).toBe(clock);
});

skipWithout('brotli').test(
  '711: JPEG XL of a JPEG keeps date, camera and text, which are packed',
  async () => {
    const path = `${folder}/packed.jpg`;
    await flat([90, 120, 60]).jpeg().toFile(path);
    tag(path, '-Make=Fuji', '-DateTimeOriginal=2021:05:06 07:08:09', '-ImageDescription=words');
    const jpeg = Buffer.from(await Bun.file(path).bytes());
    const at = jpeg.indexOf('Exif\0\0');
    const exif = jpeg.subarray(at + 6, at - 2 + jpeg.readUInt16BE(at - 2));
    const packed = brotliCompressSync(Buffer.concat([Buffer.alloc(4), exif]));
    const jxl = Buffer.concat([
      box('JXL ', Buffer.from([0x0d, 0x0a, 0x87, 0x0a])),
      box('ftyp', 'jxl \0\0\0\0jxl '),
      box('brob', 'Exif', packed),
    ]);
    const found = await showFile(jxl, { name: 'a.jxl' });
    expect(readTime(found)[0]).toBe('2021-05-06T07:08:09');
    expect(found.exifInfo).toMatchObject({ make: 'Fuji', description: 'words' });
  },
);

test('712: ISO above 65,535 is that of EXIF 2.3', async () => {
  const tags = ['-ISO=65535', '-SensitivityType=2', '-RecommendedExposureIndex=102400'];
  expect((await show({ tags })).exifInfo.iso).toBe(102_400);
});

test('713: a film with Spherical Video V2 is a panorama', async () => {
  const projection = box('proj', box('prhd', Buffer.alloc(16)), box('equi', Buffer.alloc(20)));
  const sphere = box('sv3d', box('svhd', '\0\0\0\0test\0'), projection);
  const path = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd', 'avc1'];
  const film = insertBox(await makeFilm('mp4', '2024-05-11T03:20:00Z', ...H264), path, sphere);
  expect((await showFile(film, { name: 'a.mp4' })).exifInfo.projectionType).toBe('EQUIRECTANGULAR');
});

test('714: a picture that asks to be shown flat is no panorama', async () => {
  const tags = ['-XMP-GPano:ProjectionType=equirectangular'];
  expect((await show({ tags })).exifInfo.projectionType).toBe('EQUIRECTANGULAR');
  const flatTags = [...tags, '-XMP-GPano:UsePanoramaViewer=False'];
  expect((await show({ tags: flatTags })).exifInfo.projectionType).toBeNull();
});

test('715: a film has the stars that Windows gave it', async () => {
  const property = 'WM/SharedUserRating';
  const size = (value: number) => Buffer.from([0, 0, 0, value]);
  const value = Buffer.from([0, 0, 0, 14, 0, 19, 75, 0, 0, 0, 0, 0, 0, 0]);
  const entry = [
    size(4 + 4 + property.length + 4 + 14),
    size(property.length),
    property,
    size(1),
    value,
  ];
  const stars = box('udta', box('Xtra', ...entry));
  const film = insertBox(await makeFilm('mp4', '2024-05-11T03:20:00Z'), ['moov'], stars);
  expect((await showFile(film, { name: 'a.mp4' })).exifInfo.rating).toBe(4);
});

test('716: commas within a keyword are letters', async () => {
  const id = (await show({ tags: ['-Subject=Rome, Italy'] })).tags;
  expect(id.map(({ value }: { value: string }) => value)).toEqual(['Rome, Italy']);
});
