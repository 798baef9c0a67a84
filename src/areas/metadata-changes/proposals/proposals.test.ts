import { beforeEach, describe, expect, test } from 'bun:test';
import { useHousehold } from '../../../../test/support/database.ts';
import {
  call,
  type Caller,
  type NewAsset,
  seed,
  type TestUser,
} from '../../../../test/support/harness.ts';
import { listRefusedCallers, STATES } from '../../../../test/support/household.ts';
import type { Json } from '../../../../test/support/json.ts';

const { database, app, house } = await useHousehold();
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
});

const UNDATED = { dateSource: 'FileModified' };
const HERE = { latitude: 38.72, longitude: -9.14, city: 'Lisbon', country: 'Portugal' };
const at = (time: string) => new Date(`2024-07-01T${time}:00Z`);
const add = (over: Partial<NewAsset> = {}) => seed(database).asset({ ownerId: me.id, ...over });
type Field = 'date' | 'place';
const list = async (field: Field, caller: Caller = { as: me }): Promise<Json[]> => {
  const { body } = await call(app, `GET /metadata-proposals?field=${field}`, caller);
  return body.items;
};
const accept = (field: Field, assetIds: string[], caller: Caller = { as: me }) =>
  call(app, 'POST /metadata-proposals/accept', { ...caller, body: { field, assetIds } });
const dismiss = (field: Field, assetIds: string[], isDismissed = true, caller?: Caller) =>
  call(app, 'PUT /metadata-proposals/dismissed', {
    ...(caller ?? { as: me }),
    body: { field, assetIds, isDismissed },
  });
const get = async (id: string) => (await call(app, `GET /assets/${id}`, { as: me })).body;

describe('items without a date', () => {
  test('are those with the date of the file, until the owner sets one', async () => {
    const id = await add({ exif: UNDATED });
    await add({ exif: { dateSource: 'DateTimeOriginal' } });
    await add({ exif: { ...UNDATED, editedFields: ['dateTimeOriginal'] } });
    const [item, ...others] = await list('date');
    expect(item).toMatchObject({ assetId: id, originalFileName: 'a.jpg', proposal: null });
    expect(others).toEqual([]);
  });

  test('propose the date in their name, accept it and undo it', async () => {
    const ids = [
      await add({ fileName: 'IMG-20190812-WA0001.jpg', exif: UNDATED }),
      await add({
        fileName: 'IMG_20190813_101530.jpg',
        exif: { ...UNDATED, timeZone: 'Asia/Tokyo' },
      }),
    ];
    const shown = (await list('date')).map(
      ({ proposal }) => `${proposal.source} ${proposal.localDateTime}`,
    );
    expect(shown.toSorted()).toEqual([
      'fileName 2019-08-12T12:00:00.000Z',
      'fileName 2019-08-13T10:15:30.000Z',
    ]);
    const { status, body } = await accept('date', ids);
    expect([status, body.changed]).toEqual([201, 2]);
    expect((await get(ids[1]!)).fileCreatedAt).toBe('2019-08-13T01:15:30.000Z');
    expect(await list('date')).toEqual([]);
    // Nothing is proposed any more.
    expect((await accept('date', ids)).body.changed).toBe(0);
    await call(app, `POST /metadata-changes/${body.id}/undo`, { as: me });
    expect(await list('date')).toHaveLength(2);
  });

  test('propose the day of what was uploaded just before and after', async () => {
    const createdAt = (minute: number) => new Date(Date.UTC(2025, 0, 1, 10, minute));
    const dated = (minute: number, day: string) =>
      add({
        createdAt: createdAt(minute),
        takenAt: new Date(`${day}T09:00:00Z`),
        exif: { dateSource: 'DateTimeOriginal' },
      });
    await dated(0, '2020-05-05');
    await add({ createdAt: createdAt(1), exif: UNDATED });
    await dated(2, '2020-05-05');
    const [item] = await list('date');
    expect(item.proposal).toMatchObject({
      source: 'neighbours',
      localDateTime: '2020-05-05T09:00:00.000Z',
    });
    await dated(3, '2020-05-06');
    expect((await list('date'))[0].proposal).toBeNull();
  });
});

describe('items without a place', () => {
  const CAMERA = { dateSource: 'DateTimeOriginal' };

  test('propose the place of the nearest item within two hours of that day', async () => {
    const id = await add({ takenAt: at('12:00'), exif: CAMERA });
    await add({ takenAt: at('13:30'), exif: { ...CAMERA, ...HERE } });
    await add({ takenAt: at('10:15'), exif: { ...CAMERA, latitude: 1, longitude: 2 } });
    await add({ takenAt: at('18:00'), exif: CAMERA });
    const found = await list('place');
    expect(found).toMatchObject([{ assetId: id, proposal: { source: 'nearby', ...HERE } }]);
    expect((await accept('place', [id])).body.changed).toBe(1);
    expect((await get(id)).exifInfo).toMatchObject(HERE);
    expect(await list('place')).toEqual([]);
  });

  test('propose nothing where the date is unknown or the owner removed the place', async () => {
    await add({ takenAt: at('13:30'), exif: { ...CAMERA, ...HERE } });
    await add({ takenAt: at('12:00'), exif: UNDATED });
    await add({
      takenAt: at('12:00'),
      exif: { ...CAMERA, editedFields: ['latitude', 'longitude'] },
    });
    expect(await list('place')).toEqual([]);
  });
});

test('the lists and proposals have nothing of others, Locked, hidden or trashed items', async () => {
  const home = await seed(database).user();
  const states = new Map<string, string>();
  for (const [state, values] of Object.entries(STATES)) {
    const exif = { dateSource: 'FileModified' };
    const fileName = 'IMG_20190812_101530.jpg';
    states.set(await seed(database).asset({ ownerId: home.id, exif, ...values, fileName }), state);
  }
  await seed(database).asset({ ownerId: house.partner.id, exif: UNDATED });
  const found = (await list('date', { as: home })).map(({ assetId }) =>
    String(states.get(assetId)),
  );
  expect(found.toSorted()).toEqual(['archived', 'favorite', 'plain', 'video']);

  // Locked and trashed items tell no place either.
  for (const over of [
    { lockedAt: new Date() },
    { trashedAt: new Date() },
    { visibility: 'hidden' },
  ]) {
    await add({ takenAt: at('13:30'), exif: HERE, ...over } as Partial<NewAsset>);
  }
  await seed(database).asset({ ownerId: home.id, takenAt: at('12:10'), exif: HERE });
  await add({ takenAt: at('12:00'), exif: { dateSource: 'DateTimeOriginal' } });
  expect(await list('place')).toEqual([]);
});

test('a dismissed item is left out until it is shown again', async () => {
  const id = await add({ exif: UNDATED });
  expect((await dismiss('date', [id])).status).toBe(204);
  expect(await list('date')).toEqual([]);
  await dismiss('date', [id], false);
  expect(await list('date')).toHaveLength(1);
});

test('pages follow each other by their cursor', async () => {
  const ids: string[] = [];
  for (let minute = 0; minute < 60; minute++) {
    const takenAt = new Date(Date.UTC(2024, 0, 1, 0, minute));
    ids.push(await add({ takenAt, exif: UNDATED }));
  }
  const first = await call(app, 'GET /metadata-proposals?field=date', { as: me });
  const rest = await call(
    app,
    `GET /metadata-proposals?field=date&cursor=${first.body.nextCursor}`,
    { as: me },
  );
  const found = [...first.body.items, ...rest.body.items].map(
    ({ assetId }: { assetId: string }) => assetId,
  );
  expect(found).toEqual(ids.toReversed());
  expect(rest.body.nextCursor).toBeNull();
  const bad = await call(app, 'GET /metadata-proposals?field=date&cursor=x', { as: me });
  expect(bad.status).toBe(400);
});

test('others, guests and keys without the permission accept and dismiss nothing', async () => {
  const id = await add({ fileName: 'IMG_20190812_101530.jpg', exif: UNDATED });
  for (const [caller, status] of await listRefusedCallers(database, house)) {
    expect((await accept('date', [id], caller)).status).toBe(status);
    expect((await dismiss('date', [id], true, caller)).status).toBe(status);
  }
  expect(await list('date')).toHaveLength(1);
});
