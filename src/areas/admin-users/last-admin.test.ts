import { afterEach, beforeEach, expect, test } from 'bun:test';
import {
  call,
  seed,
  type TestDatabase,
  type TestUser,
  testApp,
  testDatabase,
} from '../../../test/support/harness.ts';
import type { App } from '../../app.ts';

// Each test counts the administrators of the whole server.
let database: TestDatabase;
let app: App;
let admin: TestUser;
beforeEach(async () => {
  database = await testDatabase();
  app = testApp(database);
  admin = await seed(database).user(['all'], { isAdmin: true, name: 'Admin' });
});
afterEach(() => database.close());

const put = (id: string, body: object, as = admin) =>
  call(app, `PUT /admin/users/${id}`, { session: as, body });
const remove = (id: string, as = admin) => call(app, `DELETE /admin/users/${id}`, { as, body: {} });
const countAdmins = async () =>
  (await database.sql`select from app_user where is_admin and deleted_at is null`).length;

test('administrators cannot remove or demote themselves', async () => {
  expect((await remove(admin.id)).status).toBe(403);
  expect((await put(admin.id, { isAdmin: false })).status).toBe(400);
  expect((await put(admin.id, { isAdmin: true, name: 'Admin' })).status).toBe(200);
  expect(await countAdmins()).toBe(1);
});

test('of two administrators who remove each other at the same time one remains', async () => {
  const other = await seed(database).user(['all'], { isAdmin: true });
  const replies = await Promise.all([remove(other.id), remove(admin.id, other)]);
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
  expect(await countAdmins()).toBe(1);
});

test('of two administrators who demote each other at the same time one remains', async () => {
  const other = await seed(database).user(['all'], { isAdmin: true });
  const demote = { isAdmin: false };
  const replies = await Promise.all([put(other.id, demote), put(admin.id, demote, other)]);
  expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1);
  expect(await countAdmins()).toBe(1);
});

test('a demoted administrator is refused at once', async () => {
  const other = await seed(database).user(['all'], { isAdmin: true });
  expect((await call(app, 'GET /admin/users', { as: other })).status).toBe(200);
  await put(other.id, { isAdmin: false });
  expect((await call(app, 'GET /admin/users', { as: other })).status).toBe(403);
});
