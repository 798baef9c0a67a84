import { afterAll, describe, expect, test } from 'bun:test';
import { FULL_FILE_ACCESS } from '../../test/support/file-access.ts';
import { flat, openFixtures, tag } from '../../test/fixtures/index.ts';
import { openExifTool } from './exiftool.ts';
import { toMetadata, readMetadata } from './metadata.ts';

const fixtures = openFixtures();
const exiftool = openExifTool({ files: FULL_FILE_ACCESS });
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
    expect(found.zoneSource).toBe('offset');
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
