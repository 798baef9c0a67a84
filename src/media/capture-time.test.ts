import { afterAll, describe, expect, test } from 'bun:test';
import { FULL_FILE_ACCESS } from '../../test/support/file-access.ts';
import { flat, openFixtures, tag } from '../../test/fixtures/index.ts';
import { createExifTool } from './exiftool.ts';
import { toMetadata, readMetadata } from './metadata.ts';

const fixtures = openFixtures();
const exiftool = createExifTool({ files: FULL_FILE_ACCESS });
afterAll(async () => {
  await exiftool.close();
  fixtures.remove();
});

const FALLBACK = new Date('2001-02-03T04:05:06Z');
const OPTIONS = { fileName: 'x.jpg', fallbackTime: FALLBACK, ownerZone: 'Europe/Berlin' };

const read = (path: string) => readMetadata(exiftool, path, { ...OPTIONS, fileName: path });

let made = 0;
async function photo(...tags: string[]): Promise<string> {
  const path = fixtures.path(`photo${made++}.jpg`);
  await flat([90, 120, 60]).jpeg().toFile(path);
  return tags.length ? tag(path, ...tags) : path;
}

const NEW_YORK = [
  '-GPSLatitude=40.7128',
  '-GPSLatitudeRef=N',
  '-GPSLongitude=74.006',
  '-GPSLongitudeRef=W',
];

describe('when a photo was taken', () => {
  const taken = '-DateTimeOriginal=2023:07:04 21:30:15';
  const rows: [name: string, tags: string[], wanted: [string, string, string, string]][] = [
    [
      'its own offset comes first',
      [
        taken,
        '-OffsetTimeOriginal=-04:00',
        '-OffsetTime=+09:00',
        '-GPSLatitude=52',
        '-GPSLatitudeRef=N',
        '-GPSLongitude=13',
        '-GPSLongitudeRef=E',
      ],
      ['2023-07-05T01:30:15.000Z', '2023-07-04T21:30:15.000', 'UTC-4', 'DateTimeOriginal'],
    ],
    [
      'then the general offset, also of half hours',
      [taken, '-OffsetTime=+05:30', ...NEW_YORK],
      ['2023-07-04T16:00:15.000Z', '2023-07-04T21:30:15.000', 'UTC+5:30', 'DateTimeOriginal'],
    ],
    [
      'then the zone of the place, with its summer time',
      [taken, ...NEW_YORK],
      [
        '2023-07-05T01:30:15.000Z',
        '2023-07-04T21:30:15.000',
        'America/New_York',
        'DateTimeOriginal',
      ],
    ],
    [
      'then the zone of the owner',
      [taken],
      ['2023-07-04T19:30:15.000Z', '2023-07-04T21:30:15.000', 'Europe/Berlin', 'DateTimeOriginal'],
    ],
    [
      'with fractions of a second, leading zeroes kept',
      [taken, '-SubSecTimeOriginal=064'],
      ['2023-07-04T19:30:15.064Z', '2023-07-04T21:30:15.064', 'Europe/Berlin', 'DateTimeOriginal'],
    ],
    [
      'by the date of digitising where there is no other',
      ['-CreateDate=2020:01:01 00:00:01', '-OffsetTimeDigitized=+00:00'],
      ['2020-01-01T00:00:01.000Z', '2020-01-01T00:00:01.000', 'UTC', 'CreateDate'],
    ],
    [
      'by satellite time, which is UTC, shown on the clock of the place',
      ['-GPSDateStamp=2023:11:15', '-GPSTimeStamp=12:30:00', ...NEW_YORK],
      ['2023-11-15T12:30:00.000Z', '2023-11-15T07:30:00.000', 'America/New_York', 'GPSDateTime'],
    ],
    [
      'satellite time tells the offset where there is no place',
      [taken, '-GPSDateStamp=2023:07:04', '-GPSTimeStamp=12:31:02'],
      ['2023-07-04T12:30:15.000Z', '2023-07-04T21:30:15.000', 'UTC+9', 'DateTimeOriginal'],
    ],
    [
      'also of half hours, and over midnight',
      [
        '-DateTimeOriginal=2023:07:05 01:00:00',
        '-GPSDateStamp=2023:07:04',
        '-GPSTimeStamp=19:29:58',
      ],
      ['2023-07-04T19:30:00.000Z', '2023-07-05T01:00:00.000', 'UTC+5:30', 'DateTimeOriginal'],
    ],
    [
      'but its own offset, and the zone of the place, go before it',
      [taken, '-GPSDateStamp=2023:07:04', '-GPSTimeStamp=12:30:15', ...NEW_YORK],
      [
        '2023-07-05T01:30:15.000Z',
        '2023-07-04T21:30:15.000',
        'America/New_York',
        'DateTimeOriginal',
      ],
    ],
    [
      'and satellite time of another day tells none',
      [taken, '-GPSDateStamp=2023:07:01', '-GPSTimeStamp=12:30:15'],
      ['2023-07-04T19:30:15.000Z', '2023-07-04T21:30:15.000', 'Europe/Berlin', 'DateTimeOriginal'],
    ],
    [
      'nor does one that is no offset from it',
      [taken, '-GPSDateStamp=2023:07:04', '-GPSTimeStamp=06:50:15'],
      ['2023-07-04T19:30:15.000Z', '2023-07-04T21:30:15.000', 'Europe/Berlin', 'DateTimeOriginal'],
    ],
    [
      'a day of IPTC is at noon',
      ['-IPTC:DateCreated=1985:07:14'],
      ['1985-07-14T10:00:00.000Z', '1985-07-14T12:00:00.000', 'Europe/Berlin', 'DateCreated'],
    ],
    [
      'and goes before the scan',
      ['-IPTC:DateCreated=1985:07:14', '-CreateDate=2020:05:05 10:00:00'],
      ['1985-07-14T10:00:00.000Z', '1985-07-14T12:00:00.000', 'Europe/Berlin', 'DateCreated'],
    ],
    [
      'IPTC date and time are one',
      ['-IPTC:DateCreated=1985:07:14', '-IPTC:TimeCreated=09:08:07+02:00'],
      ['1985-07-14T07:08:07.000Z', '1985-07-14T09:08:07.000', 'UTC+2', 'DateTimeOriginal'],
    ],
    [
      'a day of XMP is at noon',
      ['-XMP-photoshop:DateCreated=1962:03:09'],
      ['1962-03-09T11:00:00.000Z', '1962-03-09T12:00:00.000', 'Europe/Berlin', 'DateCreated'],
    ],
    [
      'a month of XMP is its first day',
      ['-XMP-photoshop:DateCreated=1962:03'],
      ['1962-03-01T11:00:00.000Z', '1962-03-01T12:00:00.000', 'Europe/Berlin', 'DateCreated'],
    ],
    [
      'a year of XMP is its first day',
      ['-XMP-photoshop:DateCreated=1962'],
      ['1962-01-01T11:00:00.000Z', '1962-01-01T12:00:00.000', 'Europe/Berlin', 'DateCreated'],
    ],
    [
      'a day does not take the time of a satellite',
      [
        '-XMP-exif:DateTimeOriginal=1962:03:09',
        '-GPSDateStamp=1962:03:09',
        '-GPSTimeStamp=03:00:00',
      ],
      ['1962-03-09T11:00:00.000Z', '1962-03-09T12:00:00.000', 'Europe/Berlin', 'DateTimeOriginal'],
    ],
    [
      'the last change alone counts, with its offset',
      ['-ModifyDate=1998:08:07 06:05:04', '-OffsetTime=+01:00'],
      ['1998-08-07T05:05:04.000Z', '1998-08-07T06:05:04.000', 'UTC+1', 'ModifyDate'],
    ],
    [
      'but after every other tag',
      [
        '-ModifyDate=1998:08:07 06:05:04',
        '-GPSDateStamp=1999:08:07',
        '-GPSTimeStamp=06:05:04',
        ...NEW_YORK,
      ],
      ['1999-08-07T06:05:04.000Z', '1999-08-07T02:05:04.000', 'America/New_York', 'GPSDateTime'],
    ],
    [
      'a clock that was never set is no date',
      ['-DateTimeOriginal=0000:00:00 00:00:00', '-CreateDate=2020:05:05 10:00:00'],
      ['2020-05-05T08:00:00.000Z', '2020-05-05T10:00:00.000', 'Europe/Berlin', 'CreateDate'],
    ],
    [
      'without any date, the time that the client gave',
      [],
      ['2001-02-03T04:05:06.000Z', '2001-02-03T05:05:06.000', 'Europe/Berlin', 'FileModified'],
    ],
  ];
  for (const [name, tags, wanted] of rows)
    test(name, async () => {
      const found = await read(await photo(...tags));
      const got = [found.takenAt.toISOString(), found.localTakenAt, found.zone, found.dateSource];
      expect(got).toEqual(wanted);
    });

  test('a date that carries its zone needs no other tag', () => {
    const found = toMetadata({ DateTimeOriginal: '2020:06:01 12:00:00.5+02:00' }, OPTIONS);
    expect(found.takenAt.toISOString()).toBe('2020-06-01T10:00:00.500Z');
    expect(found.zone).toBe('UTC+2');
  });

  test('an unknown time zone is read as UTC', () => {
    const options = { ...OPTIONS, ownerZone: 'Mars/Olympus' };
    const found = toMetadata({ DateTimeOriginal: '2020:06:01 12:00:00' }, options);
    expect(found.takenAt.toISOString()).toBe('2020-06-01T12:00:00.000Z');
  });

  test('an invalid date is skipped for the next source', () => {
    for (const value of [
      '2020:13:45 99:99:99',
      'yesterday',
      '',
      5,
      ['x'],
      { a: 1 },
      null,
      '9999:01:01 00:00:00',
      '1904:01:01 00:00:00',
    ])
      expect(toMetadata({ DateTimeOriginal: value }, OPTIONS).dateSource).toBe('FileModified');
  });
});

test('the order of the tags', () => {
  const order = [
    'DateTimeOriginal',
    'DateTimeCreated',
    'DateCreated',
    'CreationDate',
    'CreateDate',
    'MediaCreateDate',
    'GPSDateTime',
    'DateTimeUTC',
    'SonyDateTime2',
    'SourceImageCreateTime',
    'ModifyDate',
  ];
  const tags = Object.fromEntries(
    order.map((tag, index) => [tag, `2000:01:${String(index + 10)} 12:00:00`]),
  );
  const found = order.map((_, index) => {
    const rest = Object.fromEntries(Object.entries(tags).slice(index));
    return toMetadata(rest, OPTIONS).dateSource;
  });
  expect(found).toEqual(order as never);
  expect(toMetadata({}, OPTIONS).dateSource).toBe('FileModified');
});

describe('maker notes and panoramas', () => {
  const taken = (tags: Record<string, unknown>) => {
    const { takenAt, localTakenAt, zone } = toMetadata(tags, OPTIONS);
    return [takenAt.toISOString(), localTakenAt, zone];
  };
  test.each(['SonyDateTime2', 'DateTimeUTC'])('%s is UTC', (tag) => {
    expect(taken({ [tag]: '2015:07:01 22:30:00' })).toEqual([
      '2015-07-01T22:30:00.000Z',
      '2015-07-02T00:30:00.000',
      'Europe/Berlin',
    ]);
    expect(
      taken({ DateTimeOriginal: '2015:07:02 07:30:00', [tag]: '2015:07:01 22:30:00' }),
    ).toEqual(['2015-07-01T22:30:00.000Z', '2015-07-02T07:30:00.000', 'UTC+9']);
  });
  test('SourceImageCreateTime is local time, or has its zone', () => {
    expect(taken({ SourceImageCreateTime: '2015:07:01 22:30:00' })).toEqual([
      '2015-07-01T20:30:00.000Z',
      '2015-07-01T22:30:00.000',
      'Europe/Berlin',
    ]);
    expect(taken({ SourceImageCreateTime: '2015:07:01 22:30:00-03:00' })[0]).toBe(
      '2015-07-02T01:30:00.000Z',
    );
  });
});

describe('without a tag of the capture', () => {
  const FILE = new Date('2024-05-06T07:08:09Z');
  const EXPORT = new Date('2019-01-01T00:00:00Z');
  const options = { fallbackTime: FILE, ownerZone: 'Europe/Berlin' };
  test.each([
    ['the name', 'IMG_20240102_030405.jpg', {}, undefined, '2024-01-02T03:04:05.000', 'FileName'],
    [
      'the name in UTC',
      'PXL_20240102_030405678.jpg',
      {},
      undefined,
      '2024-01-02T04:04:05.678',
      'FileName',
    ],
    [
      'the day of the name',
      'IMG-20240102-WA0001.jpg',
      {},
      undefined,
      '2024-01-02T12:00:00.000',
      'FileName',
    ],
    [
      'on the same day the time of the file',
      'IMG-20240506-WA0001.jpg',
      {},
      undefined,
      '2024-05-06T09:08:09.000',
      'FileModified',
    ],
    [
      'a name at the very time of the file',
      'IMG_20240506_090809.jpg',
      {},
      undefined,
      '2024-05-06T09:08:09.000',
      'FileName',
    ],
    [
      'the file where the name is later',
      'IMG_20240506_090810.jpg',
      {},
      undefined,
      '2024-05-06T09:08:09.000',
      'FileModified',
    ],
    [
      'the export where the name is later',
      'IMG_20240102_030405.jpg',
      {},
      EXPORT,
      '2019-01-01T01:00:00.000',
      'Export',
    ],
    [
      'the name where the export is later',
      'IMG-20180102-WA0001.jpg',
      {},
      EXPORT,
      '2018-01-02T12:00:00.000',
      'FileName',
    ],
    [
      'the export rather than a day that a person has put into the name',
      '2013-12-23(1).jpg',
      {},
      EXPORT,
      '2019-01-01T01:00:00.000',
      'Export',
    ],
    [
      'the export rather than the last change',
      'a.jpg',
      { ModifyDate: '2010:01:01 00:00:00' },
      EXPORT,
      '2019-01-01T01:00:00.000',
      'Export',
    ],
    [
      'the last change rather than the file',
      'a.jpg',
      { ModifyDate: '2010:01:01 00:00:00' },
      undefined,
      '2010-01-01T00:00:00.000',
      'ModifyDate',
    ],
    [
      'the name where the last change is later',
      'IMG_20050102_030405.jpg',
      { ModifyDate: '2010:01:01 00:00:00' },
      undefined,
      '2005-01-02T03:04:05.000',
      'FileName',
    ],
    [
      'a tag rather than an earlier name',
      'IMG_20050102_030405.jpg',
      { CreateDate: '2010:01:01 00:00:00' },
      EXPORT,
      '2010-01-01T00:00:00.000',
      'CreateDate',
    ],
  ] as const)('counts %s', (_, fileName, tags, takenAt, local, source) => {
    const found = toMetadata(tags, { ...options, fileName, supplement: { takenAt } });
    expect([found.localTakenAt, found.dateSource]).toEqual([local, source]);
  });

  test('a video has the name of its file, too', () => {
    const tags = { MIMEType: 'video/mp4', CreateDate: '0000:00:00 00:00:00' };
    const found = toMetadata(tags, { ...options, fileName: 'VID_20240102_030405.mp4' });
    expect([found.localTakenAt, found.dateSource]).toEqual(['2024-01-02T03:04:05.000', 'FileName']);
  });
});

describe('when a video was taken', () => {
  const video = (tags: Record<string, unknown>) =>
    toMetadata({ MIMEType: 'video/quicktime', ...tags }, { ...OPTIONS, fileName: 'x.mov' });

  test("Apple's date with its zone goes before the container's", () => {
    const found = video({
      CreationDate: '2020:04:17 10:03:47-06:00',
      CreateDate: '2022:01:01 00:00:00',
    });
    expect(found.takenAt.toISOString()).toBe('2020-04-17T16:03:47.000Z');
    expect(found.localTakenAt).toBe('2020-04-17T10:03:47.000');
    expect(found.dateSource).toBe('CreationDate');
  });

  test("the container's date is UTC, on the clock of the owner or of the place", () => {
    const found = video({ CreateDate: '2022:07:01 22:30:00' });
    expect([found.takenAt.toISOString(), found.localTakenAt]).toEqual([
      '2022-07-01T22:30:00.000Z',
      '2022-07-02T00:30:00.000',
    ]);
    const placed = video({
      CreateDate: '2022:07:01 22:30:00',
      GPSLatitude: 40.7,
      GPSLongitude: -74,
    });
    expect([placed.localTakenAt, placed.zone]).toEqual([
      '2022-07-01T18:30:00.000',
      'America/New_York',
    ]);
  });

  test('an unset container date of 1904 or zeroes is no date', () => {
    expect(
      video({ CreateDate: '0000:00:00 00:00:00', MediaCreateDate: '1904:01:01 00:00:00' })
        .dateSource,
    ).toBe('FileModified');
  });
});
