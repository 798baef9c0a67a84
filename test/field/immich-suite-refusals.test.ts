import { beforeAll, expect, test } from 'bun:test';
import { useApp } from '../support/database.ts';
import { createForm, DATES, type FormPart, filePart, upload } from '../support/forms.ts';
import { call, seed, type TestUser } from '../support/harness.ts';

// Requests that Immich refuses, in its words: clients show them, and its suite compares them.

const { database, app } = await useApp();
let me: TestUser;
let other: TestUser;
let photo: string;
let person: string;
beforeAll(async () => {
  [me, other] = [await seed(database).user(), await seed(database).user()];
  photo = await seed(database).asset({ ownerId: me.id });
  person = (await call(app, 'POST /people', { as: me, body: { name: 'Anna' } })).body.id;
});

type Route = Parameters<typeof call>[1];
type Fault = readonly [path: readonly (string | number)[], message: string];
const refuse = async (route: string, body: object | undefined, [path, message]: Fault, as = me) => {
  expect(await call(app, route as Route, { as, ...(body && { body }) })).toMatchObject({
    status: 400,
    body: { message: 'Validation failed', errors: [{ path, message }] },
  });
};

test('616: a body is looked at before the id in the path', async () => {
  const missing: Fault = [[], 'Invalid input: expected object, received undefined'];
  for (const route of ['PUT /assets/123', 'PUT /people/123', 'PUT /memories/123'])
    await refuse(route, undefined, missing);
  await refuse('PUT /assets/123', { rating: 7 }, [
    ['rating'],
    'Too big: expected number to be <=5',
  ]);
  await refuse('PUT /assets/123', { rating: 5 }, [['id'], 'Invalid UUID']);
  // The owner of the photo is looked at last.
  const body = { isFavorite: true };
  expect(await call(app, `PUT /assets/${photo}`, { as: other, body })).toMatchObject({
    status: 400,
    body: { message: 'Not found or no asset.update access' },
  });
});

const HALF: Fault = [[], 'Latitude and longitude must be provided together'];

test.each([{ latitude: 12 }, { longitude: 12 }])(
  '610: half a position (%j) is refused as such, of whomever the photo is',
  async (body) => {
    for (const as of [me, other]) {
      await refuse(`PUT /assets/${photo}`, body, HALF, as);
      await refuse('PUT /assets', { ids: [photo], ...body }, HALF, as);
    }
    const { body: shown } = await call(app, `GET /assets/${photo}`, { as: me });
    expect(shown.exifInfo).toMatchObject({ latitude: null, longitude: null });
  },
);

const BOX = { x: 0, y: 0, width: 100, height: 100 };

test.each([
  ['rotate', BOX, 'angle'],
  ['mirror', BOX, 'axis'],
  ['crop', { angle: 90 }, 'x, y, width, height'],
])('611: the parameters of another edit than %s are told by their keys', async (...row) => {
  const [action, parameters, keys] = row;
  const edits = [
    { action: 'rotate', parameters: { angle: 90 } },
    { action, parameters },
  ];
  const message = `Invalid parameters for action '${action}', expecting keys: ${keys}`;
  await refuse(`PUT /assets/${photo}/edits`, { edits }, [['edits', 1, 'parameters'], message]);
});

const FUTURE: Fault = [['birthDate'], 'Birth date cannot be in the future'];

test('612: a birth date in the future is a fault of its field, also of one among many', async () => {
  const body = { birthDate: '9999-01-01' };
  await refuse('POST /people', body, FUTURE);
  for (const as of [me, other]) await refuse(`PUT /people/${person}`, body, FUTURE, as);
  const people = [
    { id: person, name: 'Berta' },
    { id: person, ...body },
  ];
  await refuse('PUT /people', { people }, [['people', 1, 'birthDate'], FUTURE[1]]);
  expect((await call(app, `GET /people/${person}`, { as: me })).body.name).toBe('Anna');
});

test('613: an empty birth date and an empty color are none', async () => {
  const path = `/people/${person}` as const;
  const set = (body: object) => call(app, `PUT ${path}`, { as: me, body });
  expect((await set({ birthDate: '1990-01-01', color: '#333' })).body).toMatchObject({
    birthDate: '1990-01-01',
    color: '#333',
  });
  const { status, body } = await set({ birthDate: '', color: '' });
  expect([status, body.birthDate, body.color]).toEqual([200, null, undefined]);
  const made = await call(app, 'POST /people', { as: me, body: { birthDate: '', color: '' } });
  expect([made.status, made.body.birthDate]).toEqual([201, null]);
  // A word is no day, and no text is a name that is none.
  for (const birthDate of ['null', '1990-02-30'])
    expect((await set({ birthDate })).status).toBe(400);
  expect((await set({ name: null })).status).toBe(400);
});

test.each([
  [{ type: 'comment' }, 'Comment is required when type is COMMENT'],
  [{ type: 'comment', comment: ' ' }, 'Comment is required when type is COMMENT'],
  [{ type: 'like', comment: 'x' }, 'Comment must not be provided when type is not COMMENT'],
])('614: a comment that does not fit its type: %j', async (body, message) => {
  const album = { as: me, body: { albumName: 'a' } };
  const albumId = (await call(app, 'POST /albums', album)).body.id;
  await refuse('POST /activities', { albumId, ...body }, [['comment'], message]);
  const { body: kept } = await call(app, `GET /activities?albumId=${albumId}`, { as: me });
  expect(kept).toEqual([]);
});

const NO_TIME = 'Invalid input: expected ISO 8601 datetime string, received';

test.each([
  ['fileCreatedAt', undefined, `${NO_TIME} undefined`],
  ['fileModifiedAt', undefined, `${NO_TIME} undefined`],
  ['fileCreatedAt', '2026-05-28T19:51:20.555706', `${NO_TIME} string`],
  ['isFavorite', 'yes', 'Invalid option: expected one of "true"|"false"'],
  ['visibility', 'x', 'Invalid option: expected one of "archive"|"timeline"|"hidden"|"locked"'],
  ['livePhotoVideoId', 'x', 'Invalid UUID'],
  ['metadata', 'x', 'Invalid input: expected JSON string, received string'],
])('615: an upload whose %s is %s', async (name, value, message) => {
  const others = DATES.filter((part) => part.name !== name);
  const parts: FormPart[] = value === undefined ? others : [...others, { name, value }];
  const form = createForm([...parts, filePart(Buffer.from(name + value))]);
  expect(await upload(app, form, { as: me })).toMatchObject({
    status: 400,
    body: { message: 'Validation failed', errors: [{ path: [name], message }] },
  });
});

test('617: a restore without a backup names the member that is missing', async () => {
  const admin = await seed(database).user(['all'], { isAdmin: true });
  const headers = { authorization: `Bearer ${admin.token}` };
  const set = (body: object) => call(app, 'POST /admin/maintenance', { headers, body });
  const message = 'Backup filename is required when action is restore_database';
  const errors = [{ path: ['restoreBackupFilename'], message }];
  const action = 'restore_database';
  for (const body of [{ action }, { action, restoreBackupFilename: '' }])
    expect(await set(body)).toMatchObject({ status: 400, body: { errors } });
  expect((await set({ action: 'end' })).status).toBe(201);
});
