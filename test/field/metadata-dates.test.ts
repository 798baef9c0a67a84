import { describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import { makeClip } from '../fixtures/clips.ts';
import { tag } from '../fixtures/index.ts';
import { type FieldPhoto, useFieldPhotos } from '../support/field-photos.ts';

// When a picture was taken, by its file and its sidecar: README.md has the public threads.

const { add, folder, get, show } = await useFieldPhotos();

type Taken = { readonly localDateTime: string; readonly fileCreatedAt: string };

/** The clock where it was taken, and the instant. */
const readTime = ({ localDateTime, fileCreatedAt }: Taken): [string, string] => [
  localDateTime.replace('Z', ''),
  fileCreatedAt,
];

const at = (clock: string, instant: string): [string, string] => [clock, `${instant}Z`];
/** The time that the client sent: nothing else tells. */
const UPLOAD = at('2024-05-06T09:08:09.123', '2024-05-06T07:08:09.123');

const PHONE = [
  '-DateTimeOriginal=2021:08:14 18:30:00',
  '-SubSecTimeOriginal=123',
  '-OffsetTimeOriginal=+02:00',
];
const PHONE_TIME = at('2021-08-14T18:30:00.123', '2021-08-14T16:30:00.123');
const CAMERA = ['-DateTimeOriginal=2021:08:14 18:30:00'];
const CAMERA_TIME = at('2021-08-14T18:30:00.000', '2021-08-14T16:30:00.000');
const ANCHORAGE = [
  '-GPSLatitude=61.2',
  '-GPSLatitudeRef=N',
  '-GPSLongitude=149.9',
  '-GPSLongitudeRef=W',
];

type Row = readonly [string, FieldPhoto, [string, string]];

const SIDECARS: readonly Row[] = [
  [
    '100: a sidecar with an old time of satellites does not move a photo',
    {
      tags: PHONE,
      sidecar:
        '<exif:GPSTimeStamp>2009-01-01T00:00:00Z</exif:GPSTimeStamp><exif:GPSLongitudeRef>W</exif:GPSLongitudeRef>' +
        '<exif:GPSLongitude>68</exif:GPSLongitude><exif:GPSLatitude>60.5</exif:GPSLatitude><exif:GPSLatitudeRef>N</exif:GPSLatitudeRef>',
    },
    PHONE_TIME,
  ],
  [
    '101: a sidecar that says when it was made does not date a photo',
    { tags: CAMERA, sidecar: '<xmp:CreateDate>2024-07-02T10:00:00</xmp:CreateDate>' },
    CAMERA_TIME,
  ],
  [
    '102: the day of a photo in its sidecar leaves its time',
    { tags: PHONE, sidecar: '<photoshop:DateCreated>2021-08-14</photoshop:DateCreated>' },
    PHONE_TIME,
  ],
  [
    '103a: a sidecar that tells the same moment in UTC leaves the clock of the place',
    {
      tags: ['-DateTimeOriginal=2019:07:21 23:06:38', ...ANCHORAGE],
      sidecar: '<exif:DateTimeOriginal>2019-07-22T07:06:38Z</exif:DateTimeOriginal>',
    },
    at('2019-07-21T23:06:38.000', '2019-07-22T07:06:38.000'),
  ],
  [
    '103b: the same where only the account has a zone',
    {
      tags: CAMERA,
      sidecar: '<exif:DateTimeOriginal>2021-08-14T16:30:00Z</exif:DateTimeOriginal>',
    },
    CAMERA_TIME,
  ],
  [
    '104: a sidecar of a script of exiv2 corrects the clock of a camera',
    { tags: CAMERA, sidecar: '<exif:DateTimeOriginal>2017:10:23 12:34:56</exif:DateTimeOriginal>' },
    at('2017-10-23T12:34:56.000', '2017-10-23T10:34:56.000'),
  ],
  [
    '105: a sidecar of Photos with the second and the zone leaves the fraction',
    {
      tags: ['-DateTimeOriginal=2022:09:03 17:48:27', '-SubSecTimeOriginal=083'],
      sidecar: '<photoshop:DateCreated>2022-09-03T17:48:27-07:00</photoshop:DateCreated>',
    },
    at('2022-09-03T17:48:27.083', '2022-09-04T00:48:27.083'),
  ],
  [
    '106: a sidecar of Photos dates a scan',
    {
      tags: ['-CreateDate=2012:02:03 10:00:00', '-ModifyDate=2012:02:03 10:00:00'],
      sidecar: '<photoshop:DateCreated>1972-06-04T12:00:00+01:00</photoshop:DateCreated>',
    },
    at('1972-06-04T12:00:00.000', '1972-06-04T11:00:00.000'),
  ],
  [
    '107: a sidecar with the year of a scan dates it',
    {
      tags: ['-CreateDate=2012:02:03 10:00:00'],
      sidecar: '<photoshop:DateCreated>1985</photoshop:DateCreated>',
    },
    at('1985-01-01T12:00:00.000', '1985-01-01T11:00:00.000'),
  ],
  [
    '108: a sidecar with the year and month of a photo leaves its time',
    { tags: CAMERA, sidecar: '<photoshop:DateCreated>2021-08</photoshop:DateCreated>' },
    CAMERA_TIME,
  ],
  [
    '109: a sidecar without seconds leaves those of the photo',
    {
      tags: ['-DateTimeOriginal=2021:08:14 18:30:45'],
      sidecar: '<exif:DateTimeOriginal>2021-08-14T18:30</exif:DateTimeOriginal>',
    },
    at('2021-08-14T18:30:45.000', '2021-08-14T16:30:45.000'),
  ],
  [
    '110: a sidecar of digiKam repeats the clock in all tags',
    {
      tags: PHONE,
      sidecar:
        '<exif:DateTimeOriginal>2021-08-14T18:30:00</exif:DateTimeOriginal><xmp:CreateDate>2021-08-14T18:30:00</xmp:CreateDate>' +
        '<xmp:ModifyDate>2024-01-01T10:00:00</xmp:ModifyDate><photoshop:DateCreated>2021-08-14T18:30:00</photoshop:DateCreated>',
    },
    PHONE_TIME,
  ],
  [
    '111: a sidecar of Lightroom has its own times of change only',
    {
      tags: CAMERA,
      sidecar:
        '<xmp:MetadataDate>2023-03-04T05:06:07+01:00</xmp:MetadataDate><xmp:ModifyDate>2023-03-04T05:06:07+01:00</xmp:ModifyDate>',
    },
    CAMERA_TIME,
  ],
  [
    '112: a sidecar without a zone is in the zone of the file',
    {
      tags: ['-DateTimeOriginal=2021:08:14 18:30:00', '-OffsetTimeOriginal=-07:00'],
      sidecar: '<exif:DateTimeOriginal>2021-08-14T19:30:00</exif:DateTimeOriginal>',
    },
    at('2021-08-14T19:30:00.000', '2021-08-15T02:30:00.000'),
  ],
  [
    '113: a sidecar with an empty date leaves the date of the file',
    { tags: CAMERA, sidecar: '<exif:DateTimeOriginal>0000:00:00 00:00:00</exif:DateTimeOriginal>' },
    CAMERA_TIME,
  ],
  [
    '114: a sidecar dates what was changed only',
    {
      tags: ['-ModifyDate=2019:01:01 10:00:00'],
      sidecar: '<xmp:CreateDate>2004-05-06T07:08:09</xmp:CreateDate>',
    },
    at('2004-05-06T07:08:09.000', '2004-05-06T05:08:09.000'),
  ],
];

const FILES: readonly Row[] = [
  [
    '115: the zone of the exposure, not that of the last change',
    {
      tags: [
        '-DateTimeOriginal=2024:10:20 12:00:00',
        '-OffsetTime=+01:00',
        '-OffsetTimeOriginal=+02:00',
      ],
    },
    at('2024-10-20T12:00:00.000', '2024-10-20T10:00:00.000'),
  ],
  [
    '116: the zone that satellite time tells',
    {
      tags: [
        '-DateTimeOriginal=2024:01:18 12:35:41',
        '-GPSDateStamp=2024:01:18',
        '-GPSTimeStamp=11:35:40',
      ],
    },
    at('2024-01-18T12:35:41.000', '2024-01-18T11:35:41.000'),
  ],
  [
    '117: an offset of half an hour west',
    { xmp: '<exif:DateTimeOriginal>2024-02-21T10:14:22.27-05:30</exif:DateTimeOriginal>' },
    at('2024-02-21T10:14:22.270', '2024-02-21T15:44:22.270'),
  ],
  [
    '118: the day and the time of IPTC',
    { tags: ['-IPTC:DateCreated=2018:08:18', '-IPTC:TimeCreated=21:05:02+00:00'] },
    at('2018-08-18T21:05:02.000', '2018-08-18T21:05:02.000'),
  ],
  [
    '119: a day of XMP beside the time on that day',
    {
      xmp: '<photoshop:DateCreated>2021-08-14</photoshop:DateCreated><xmp:CreateDate>2021-08-14T18:30:00+02:00</xmp:CreateDate>',
    },
    CAMERA_TIME,
  ],
  [
    '120a: a year that cannot be is none, and the name tells',
    {
      xmp: '<xmp:CreateDate>9119-06-23T19:45:17.834</xmp:CreateDate>',
      name: '2014-09-28 153216.jpg',
    },
    at('2014-09-28T15:32:16.000', '2014-09-28T13:32:16.000'),
  ],
  [
    '120b: a camera without a set clock',
    { tags: ['-DateTimeOriginal=0000:00:00 00:00:00'] },
    UPLOAD,
  ],
  [
    '121: a clock that was skipped in spring',
    { tags: ['-DateTimeOriginal=2021:03:28 02:30:00'] },
    at('2021-03-28T03:30:00.000', '2021-03-28T01:30:00.000'),
  ],
  [
    '122: a screenshot of a phone, edited there',
    { xmp: '<photoshop:DateCreated>2025-11-02T10:11:12</photoshop:DateCreated>' },
    at('2025-11-02T10:11:12.000', '2025-11-02T09:11:12.000'),
  ],
  [
    '194a: slashes between year, month and day',
    { xmp: '<exif:DateTimeOriginal>2007/06/30 18:45:17</exif:DateTimeOriginal>' },
    at('2007-06-30T18:45:17.000', '2007-06-30T16:45:17.000'),
  ],
  [
    '194b: the form of XMP in EXIF',
    { tags: ['-DateTimeOriginal=2004-09-04T23:39:06-08:00'] },
    at('2004-09-04T23:39:06.000', '2004-09-05T07:39:06.000'),
  ],
  [
    '194c: an afternoon of twelve hours',
    { xmp: '<exif:DateTimeOriginal>2004:10:04 5:33:18 PM</exif:DateTimeOriginal>' },
    at('2004-10-04T17:33:18.000', '2004-10-04T15:33:18.000'),
  ],
  [
    '194d: words behind the offset',
    { xmp: '<exif:DateTimeOriginal>2018:05:10 13:23:29+02:00 DST</exif:DateTimeOriginal>' },
    at('2018-05-10T13:23:29.000', '2018-05-10T11:23:29.000'),
  ],
];

describe('a photo with a sidecar is of', () => {
  test.each(SIDECARS)('%s', async (_, photo, expected) => {
    expect(readTime(await show(photo))).toEqual(expected);
  });
});

describe('a photo is of', () => {
  test.each(FILES)('%s', async (_, photo, expected) => {
    expect(readTime(await show(photo))).toEqual(expected);
  });
});

describe('a PNG is of its creation time', () => {
  const addPng = async (value: string) => {
    const path = `${folder}/made.png`;
    await sharp({ create: { width: 32, height: 20, channels: 3, background: '#369' } }).toFile(
      path,
    );
    const bytes = Buffer.from(await Bun.file(path).bytes());
    const text = Buffer.from(`tEXtCreation Time\0${value}`, 'latin1');
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(text.length - 4);
    sum.writeUInt32BE(Bun.hash.crc32(text));
    const end = bytes.length - 12;
    const png = Buffer.concat([bytes.subarray(0, end), size, text, sum, bytes.subarray(end)]);
    return readTime(await get(`/assets/${await add(png, { name: 'a.png' })}`));
  };

  test.each([
    [
      '123a: as Windows writes it',
      '2024:01:16 21:15:29',
      at('2024-01-16T21:15:29.000', '2024-01-16T20:15:29.000'),
    ],
    [
      '123b: as the format asks for',
      'Tue, 16 Jan 2024 21:15:29 +0530',
      at('2024-01-16T21:15:29.000', '2024-01-16T15:45:29.000'),
    ],
    ['123c: in words of a language', 'mardi, 16 janvier 2024', UPLOAD],
  ] as const)('%s', async (_, value, expected) => {
    expect(await addPng(value)).toEqual(expected);
  });
});

describe('a video with a sidecar is of', () => {
  let made = 0;
  const addClip = async (sidecar: string, ...tags: string[]) => {
    const path = `${folder}/${++made}.mp4`;
    makeClip(path, ['-f', 'lavfi', '-i', 'color=size=64x48:color=blue', '-frames:v', '2']);
    const bytes = await Bun.file(tag(path, ...tags)).bytes();
    return readTime(await get(`/assets/${await add(bytes, { name: 'a.mp4', sidecar })}`));
  };
  const UTC = '-QuickTime:CreateDate=2023:07:04 22:30:00';

  test('124: the clock there, which is no UTC', async () => {
    const xmp = '<xmp:CreateDate>2016-11-19T21:33:34</xmp:CreateDate>';
    expect(await addClip(xmp, UTC)).toEqual(
      at('2016-11-19T21:33:34.000', '2016-11-19T20:33:34.000'),
    );
  });

  test('125: its own clock where the sidecar has a position only', async () => {
    const xmp =
      '<exif:GPSLatitude>48,51.396N</exif:GPSLatitude><exif:GPSLongitude>2,21.132E</exif:GPSLongitude>';
    expect(await addClip(xmp, UTC)).toEqual(
      at('2023-07-05T00:30:00.000', '2023-07-04T22:30:00.000'),
    );
  });
});
