import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, type NewAsset, seed, type TestUser } from '../../../../test/support/harness.ts';

const { database, app } = await useApp();
let me: TestUser;
beforeAll(async () => {
  me = await seed(database).user();
});

const add = (over: Partial<NewAsset> = {}) => seed(database).asset({ ownerId: me.id, ...over });
const put = (ids: readonly string[], change: object) =>
  call(app, 'PUT /assets', { as: me, body: { ids, ...change } });
const changed = async (ids: readonly string[], change: object) => {
  expect(await put(ids, change)).toMatchObject({ status: 204, body: undefined });
};
const get = async (id: string) => (await call(app, `GET /assets/${id}`, { as: me })).body;

describe('changing the dates of many assets', () => {
  const taken = '2024-07-01T10:00:00.000Z';
  const at = (zone: string | null, over: Partial<NewAsset> = {}) =>
    add({
      takenAt: new Date(taken),
      localTakenAt: zone === 'Europe/Lisbon' ? '2024-07-01T11:00:00' : '2024-07-01T10:00:00',
      exif: { timeZone: zone, dateTimeOriginal: new Date(taken) },
      ...over,
    });
  const shown = async (id: string) => {
    const { fileCreatedAt, localDateTime, exifInfo } = await get(id);
    expect(exifInfo.dateTimeOriginal).toBe(fileCreatedAt.replace('.000Z', '+00:00'));
    return [fileCreatedAt.slice(0, 16), localDateTime.slice(0, 16), exifInfo.timeZone];
  };
  const cases: [string, string | null, object, string[]][] = [
    [
      'move by minutes',
      'Europe/Lisbon',
      { dateTimeRelative: -90 },
      ['2024-07-01T08:30', '2024-07-01T09:30', 'Europe/Lisbon'],
    ],
    [
      'move by minutes without a zone',
      null,
      { dateTimeRelative: 1440 },
      ['2024-07-02T10:00', '2024-07-02T10:00', null as never],
    ],
    [
      'get another zone and keep the instant',
      'Europe/Lisbon',
      { timeZone: 'Asia/Tokyo' },
      ['2024-07-01T10:00', '2024-07-01T19:00', 'Asia/Tokyo'],
    ],
    [
      'get an offset as zone, positive to the east',
      null,
      { timeZone: 'UTC+5:30' },
      ['2024-07-01T10:00', '2024-07-01T15:30', 'UTC+5:30'],
    ],
    [
      'get an offset as zone, without a name',
      null,
      { timeZone: '-03:00' },
      ['2024-07-01T10:00', '2024-07-01T07:00', 'UTC-3'],
    ],
    [
      'move and get another zone',
      null,
      { timeZone: 'Europe/Berlin', dateTimeRelative: 60 },
      ['2024-07-01T11:00', '2024-07-01T13:00', 'Europe/Berlin'],
    ],
    [
      'are set with an offset',
      'Europe/Lisbon',
      { dateTimeOriginal: '2020-02-03T04:05:06+02:00' },
      ['2020-02-03T02:05', '2020-02-03T04:05', 'UTC+2'],
    ],
    [
      'are set with an offset and a zone',
      null,
      { dateTimeOriginal: '2020-02-03T04:05:06Z', timeZone: 'Asia/Tokyo' },
      ['2020-02-03T04:05', '2020-02-03T13:05', 'Asia/Tokyo'],
    ],
    [
      'are set as local time in a zone',
      null,
      { dateTimeOriginal: '2020-02-03T04:05:06', timeZone: 'Asia/Tokyo' },
      ['2020-02-02T19:05', '2020-02-03T04:05', 'Asia/Tokyo'],
    ],
    [
      'are set and moved',
      null,
      { dateTimeOriginal: '2020-02-03T04:05:06Z', dateTimeRelative: 5 },
      ['2020-02-03T04:10', '2020-02-03T04:10', 'UTC'],
    ],
  ];
  for (const [name, zone, change, expected] of cases) {
    test(name, async () => {
      const id = await at(zone);
      await changed([id], change);
      expect(await shown(id)).toEqual(expected);
    });
  }

  const refused: [string, object][] = [
    ['an unknown zone', { timeZone: 'Mars/Olympus' }],
    ['SQL as a zone', { timeZone: "'; drop table asset --" }],
    ['an invalid date', { dateTimeOriginal: 'yesterday' }],
    ['a day that does not exist', { dateTimeOriginal: '2023-02-30T00:00:00Z' }],
    ['a local time without a zone', { dateTimeOriginal: '2020-07-01T12:00:00' }],
    ['a year of five digits', { dateTimeOriginal: '+12024-01-01T00:00:00Z' }],
    ['a shift by half a minute', { dateTimeRelative: 0.5 }],
    ['a latitude alone', { latitude: 1 }],
    ['a latitude beyond the pole', { latitude: 91, longitude: 0 }],
    ['a rating of 6', { rating: 6 }],
    ['an unknown visibility', { visibility: 'cellar' }],
  ];
  for (const [name, change] of refused) {
    test(`${name} → 400`, async () => {
      const id = await at(null);
      const before = await get(id);
      expect((await put([id], { description: 'x', ...change })).status).toBe(400);
      expect(await get(id)).toEqual(before);
    });
  }

  test('a shift beyond the years of the calendar → 400', async () => {
    const id = await at(null, { localTakenAt: '9990-01-01T00:00:00' });
    expect((await put([id], { dateTimeRelative: 50_000_000 })).status).toBe(400);
    expect((await shown(id))[0]).toBe('2024-07-01T10:00');
  });
});
