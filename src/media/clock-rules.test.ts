import { describe, expect, test } from 'bun:test';
import { toOffset } from './clock.ts';
import { toMetadata } from './metadata.ts';

const FALLBACK = new Date('2001-02-03T04:05:06Z');
type Tags = Readonly<Record<string, unknown>>;

/** The clock on the wall, its zone, and the instant. */
function read(tags: Tags, { fileName = 'x.jpg', ownerZone = 'Europe/Berlin' } = {}) {
  const found = toMetadata(tags, { fileName, fallbackTime: FALLBACK, ownerZone });
  const { localTakenAt, zone, takenAt } = found;
  return [localTakenAt.slice(0, 19), zone, takenAt.toISOString().slice(0, 19)];
}
const FILM = { MIMEType: 'video/mp4' };
const TOKYO = { GPSLatitude: 35.7, GPSLongitude: 139.7 };

describe('a film tells its zone', () => {
  test.each<[string, Tags]>([
    ['Samsung', { CreateDate: '2024:05:11 03:20:00', AndroidTimeZone: '+0900' }],
    ['Sony', { CreateDate: '2024:05:11 03:20:00', CreationDateValue: '2024:05:11 12:20:00+09:00' }],
    ['Apple', { CreateDate: '2024:05:11 03:20:00', CreationDate: '2024:05:11 12:20:00+09:00' }],
    [
      'GoPro',
      {
        CreateDate: '2024:05:11 12:20:00',
        CreationDate: '2024:05:11 12:20:00',
        TimeZone: '+09:00',
        'UserData:FirmwareVersion': 'H22.01.02.32.00',
      },
    ],
    [
      'GoPro, which writes UTC since HERO12',
      {
        CreateDate: '2024:05:11 03:20:00',
        TimeZone: '+09:00',
        'UserData:FirmwareVersion': 'H23.01.02.20.00',
      },
    ],
    [
      'Nikon',
      { Make: 'NIKON CORPORATION', DateTimeOriginal: '2024:05:11 12:20:00', TimeZone: 540 },
    ],
    [
      'Nikon, by the container',
      { Make: 'NIKON', CreateDate: '2024:05:11 12:20:00', TimeZone: 540 },
    ],
  ])('%s', (_, tags) => {
    const expected = ['2024-05-11T12:20:00', 'UTC+9', '2024-05-11T03:20:00'];
    expect(read({ ...FILM, ...tags })).toEqual(expected);
    expect(read({ ...FILM, ...tags }, { ownerZone: 'UTC' })).toEqual(expected);
  });
});

describe('a picture tells its zone', () => {
  const at = (hours: number) => {
    const minute = Date.UTC(2024, 8, 15, 9) - hours * 3_600_000;
    return [
      '2024-09-15T09:00:00',
      `UTC${hours < 0 ? '' : '+'}${hours}`,
      new Date(minute).toISOString().slice(0, 19),
    ];
  };
  test.each<[string, Tags, number]>([
    ['by Image_UTC_Data of a Galaxy', { 'Samsung:TimeStamp': '2024:09:15 16:00:00.000+00:00' }, -7],
    ['printed in another zone', { 'Samsung:TimeStamp': '2024:09:15 18:00:00.000+02:00' }, -7],
    [
      'by the settings of a Canon',
      { Make: 'Canon', TimeZone: '+09:00', DaylightSavings: 'Yes' },
      9,
    ],
    [
      'by those of a Nikon',
      { Make: 'NIKON CORPORATION', TimeZone: '+01:00', DaylightSavings: 'No' },
      1,
    ],
    [
      'with summer time',
      { Make: 'NIKON CORPORATION', TimeZone: '+01:00', DaylightSavings: 'Yes' },
      2,
    ],
    ['in hours', { TimeZoneOffset: 9 }, 9],
    ['in hours, also of the last change', { TimeZoneOffset: '-5 -4' }, -5],
    ['by XMP with the same clock', { 'XMP-exif:DateTimeOriginal': '2024:09:15 09:00:00+04:00' }, 4],
    ['by XMP of Photoshop', { 'XMP-photoshop:DateCreated': '2024:09:15 09:00:00.25+04:00' }, 4],
    [
      'by EXIF rather than by its maker',
      {
        OffsetTimeOriginal: '+03:00',
        TimeZone: '+09:00',
        'XMP-xmp:CreateDate': '2024:09:15 09:00:00+04:00',
      },
      3,
    ],
  ])('%s', (_, tags, hours) => {
    expect(read({ DateTimeOriginal: '2024:09:15 09:00:00', ...tags })).toEqual(at(hours));
  });

  test.each<[string, Tags]>([
    ['XMP with another clock', { 'XMP-exif:DateTimeOriginal': '2024:09:15 10:00:00+04:00' }],
    [
      'XMP that marks the same clock as UTC',
      { 'XMP-exif:DateTimeOriginal': '2024:09:15 09:00:00Z' },
    ],
    ['a zone that there is not', { TimeZone: '+27:00' }],
    ['nonsense', { TimeZone: 'Berlin', TimeZoneOffset: 900 }],
  ])('but not by %s', (_, tags) => {
    const found = read({ DateTimeOriginal: '2024:09:15 09:00:00', ...tags });
    expect(found).toEqual(['2024-09-15T09:00:00', 'Europe/Berlin', '2024-09-15T07:00:00']);
  });

  test.each<[string, Tags]>([
    [
      'of XMP, which may be that of a computer',
      { 'XMP-exif:DateTimeOriginal': '2024:09:15 09:00:00+02:00' },
    ],
    ['of a camera, which may never have been set', { Make: 'Canon', TimeZone: '+00:00' }],
  ])('the place goes before a zone %s', (_, tags) => {
    const found = read({ DateTimeOriginal: '2024:09:15 09:00:00', ...tags, ...TOKYO });
    expect(found).toEqual(['2024-09-15T09:00:00', 'Asia/Tokyo', '2024-09-15T00:00:00']);
  });

  test('so does satellite time without a place', () => {
    const tags = { Make: 'Canon', TimeZone: '+00:00', GPSDateTime: '2024:09:15 00:00:10Z' };
    expect(read({ DateTimeOriginal: '2024:09:15 09:00:00', ...tags })[1]).toBe('UTC+9');
  });
});

test.each<[string, Tags]>([
  ['MP4 and MOV', { MIMEType: 'video/quicktime', CreateDate: '2025:06:07 19:30:00' }],
  ['a track', { MIMEType: 'video/3gpp', MediaCreateDate: '2025:06:07 19:30:00' }],
  ['a recording', { MIMEType: 'audio/mp4', CreateDate: '2025:06:07 19:30:00' }],
  ['MXF', { MIMEType: 'application/mxf', CreateDate: '2025:06:07 19:30:00.000' }],
  ...(['video/x-matroska', 'video/webm'] as const).map((MIMEType): [string, Tags] => [
    MIMEType,
    {
      MIMEType,
      'Info:DateTimeOriginal': '2025:06:07 19:30:00Z',
      DateTimeOriginal: '2025:06:07 19:30:00Z',
    },
  ]),
  [
    'WMV',
    {
      MIMEType: 'video/x-ms-wmv',
      'ASF:CreationDate': '2025:06:07 19:30:00Z',
      CreationDate: '2025:06:07 19:30:00Z',
    },
  ],
])('the date of %s is UTC, on the clock of the place, else of the account', (_, tags) => {
  const options = { fileName: 'a.mxf' };
  const instant = '2025-06-07T19:30:00';
  expect(read(tags, options)).toEqual(['2025-06-07T21:30:00', 'Europe/Berlin', instant]);
  expect(read({ ...tags, ...TOKYO }, options)).toEqual([
    '2025-06-08T04:30:00',
    'Asia/Tokyo',
    instant,
  ]);
});

test('the clock of an AVI is that of its camera', () => {
  const tags = { MIMEType: 'video/x-msvideo', DateTimeOriginal: '2009:08:07 06:05:04' };
  expect(read(tags)[0]).toBe('2009-08-07T06:05:04');
});

test.each([
  ['UserData:FirmwareVersion', 'HD2.08.12.198.WIFI.R47.00', true],
  ['UserData:FirmwareVersion', 'HX1.01.01.00.00', true],
  ['UserData:FirmwareVersion', 'FS1.04.01.80.00', true],
  ['UserData:FirmwareVersion', 'HD7.01.01.90.00', true],
  ['UserData:FirmwareVersion', 'H19.03.02.00.00', true],
  ['UserData:FirmwareVersion', 'H21.01.01.46.00', true],
  ['UserData:FirmwareVersion', 'H24.01.02.02.00', false],
  ['UserData:FirmwareVersion', '1.02', false],
  ['Make', 'NIKON', true],
  ['Make', 'samsung', false],
])('%s %s: whether the field of UTC has the clock on the wall is %p', (tag, value, isWall) => {
  const found = read({ ...FILM, CreateDate: '2024:07:05 17:02:03', [tag]: value });
  expect(found[0]).toBe(isWall ? '2024-07-05T17:02:03' : '2024-07-05T19:02:03');
});

describe('the name of a film', () => {
  const film = { ...FILM, CreateDate: '2024:05:11 03:20:00', Duration: 30 };
  const UTC_TIME = '2024-05-11T03:20:00';
  test.each([
    ['tells the zone', 'VID_20240511_122000.mp4', ['2024-05-11T12:20:00', 'UTC+9', UTC_TIME]],
    [
      'tells it of a film that is dated by its end',
      'VID_20240511_121930.mp4',
      ['2024-05-11T12:20:00', 'UTC+9', UTC_TIME],
    ],
    [
      'agrees with the account',
      'VID_20240511_052000.mp4',
      ['2024-05-11T05:20:00', 'Europe/Berlin', UTC_TIME],
    ],
    [
      'tells that the field has the clock on the wall',
      'DJI_20240511032000_0001_D.MP4',
      ['2024-05-11T03:20:00', 'Europe/Berlin', '2024-05-11T01:20:00'],
    ],
    ...[
      ['of a Pixel is UTC', 'PXL_20240511_032000123.mp4'],
      ['tells when a message came', 'signal-2024-05-11-12-20-00-123.mp4'],
      ['tells a day only', 'VID-20240511-WA0001.mp4'],
      ['tells no offset that there is', 'VID_20240511_124700.mp4'],
      ['tells another day', 'VID_20240501_122000.mp4'],
    ].map(([what, name]): [string, string, string[]] => [
      what!,
      name!,
      ['2024-05-11T05:20:00', 'Europe/Berlin', UTC_TIME],
    ]),
  ])('%s: %s', (_, fileName, expected) => {
    expect(read(film, { fileName })).toEqual(expected);
  });

  test('decides between the two readings of a place, and no third one', () => {
    const at = (fileName: string) => read({ ...film, ...TOKYO }, { fileName });
    expect(at('20240511_122000.mp4')[0]).toBe('2024-05-11T12:20:00');
    expect(at('20240511_032000.mp4')[0]).toBe('2024-05-11T03:20:00');
    expect(at('20240511_052000.mp4')[0]).toBe('2024-05-11T12:20:00');
  });
});

test('a zone is told in minutes, in hours or as a text', () => {
  const told = [540, -300, 9, -5, 0, 330, '+0900', '-05:30', 'Z', '9', '-5 -4'];
  expect(told.map(toOffset)).toEqual([540, -300, 540, -300, 0, 330, 540, -330, 0, 540, -300]);
  expect([900, 'PST', null].map(toOffset)).toEqual([undefined, undefined, undefined]);
});
