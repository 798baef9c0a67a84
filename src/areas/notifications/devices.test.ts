import { beforeAll, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { listNotifications, setPreferences } from '../../../test/support/notifications.ts';
import { passTimeUntil } from '../../../test/support/passed-time.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { hashSecret } from '../../access/secrets.ts';
import { inTransaction } from '../../db/transaction.ts';
import { handleCleanNotifications } from './clean.handlers.ts';
import { notify, notifyOfNewDevice } from './index.ts';

const { database, app } = await useApp();
let passwordHash: string;
beforeAll(async () => {
  passwordHash = await hashSecret('password');
});

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const NEWER_FIREFOX = FIREFOX.replaceAll('140.0', '141.0');
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15';
const PHONE = 'Immich_iOS_3.1.0';
const DAY = 24 * 3_600_000;

const user = () => seed(database).user(['all'], { passwordHash });
const login = async (as: TestUser, agent: string, password = 'password') =>
  (
    await call(app, 'POST /auth/login', {
      headers: { 'user-agent': agent },
      body: { email: as.email, password },
    })
  ).status;
const list = async (as: TestUser) =>
  (await listNotifications(app, as)).map(({ description }) => description);
const listDevices = (as: TestUser) =>
  database.sql`select from known_device where user_id = ${as.id}`;

test('a login from a device that the account has not used is told once, the first device is not', async () => {
  const [me, other] = [await user(), await user()];
  await login(other, FIREFOX);
  for (const agent of [FIREFOX, FIREFOX, NEWER_FIREFOX]) expect(await login(me, agent)).toBe(201);
  expect(await list(me)).toEqual([]);
  for (const agent of [SAFARI, SAFARI]) expect(await login(me, agent)).toBe(201);
  const [told, ...more] = await listNotifications(app, me);
  expect(more).toEqual([]);
  expect(told).toMatchObject({
    type: 'SystemMessage',
    level: 'warning',
    title: 'New Login',
    description: 'Somebody has logged in to your account from a new device (Safari, macOS)',
    createdAt: NOW.toISOString(),
    data: { kind: 'newLogin', deviceType: 'Safari', deviceOs: 'macOS', isApp: false },
  });
  await login(me, PHONE);
  expect(await list(me)).toHaveLength(2);
  await login(me, PHONE.replace('3.1.0', '3.2.0'));
  expect(await list(me)).toHaveLength(2);
  expect(await list(other)).toEqual([]);
});

test('an unnamed device is one too', async () => {
  const me = await user();
  await login(me, FIREFOX);
  await login(me, 'x');
  expect(await list(me)).toEqual([
    'Somebody has logged in to your account from a new device (unknown device)',
  ]);
});

test('a wrong password, an API key and a shared link are no login', async () => {
  const me = await user();
  await login(me, FIREFOX);
  expect(await login(me, SAFARI, 'wrong password')).toBe(401);
  await call(app, 'GET /users/me', { as: me, headers: { 'user-agent': SAFARI } });
  const body = { type: 'INDIVIDUAL', assetIds: [await seed(database).asset({ ownerId: me.id })] };
  const { key } = (await call(app, 'POST /shared-links', { as: me, body })).body;
  const guest = await call(app, `GET /shared-links/me?key=${key}`, {
    headers: { 'user-agent': SAFARI },
  });
  expect(guest.status).toBe(200);
  expect(await listDevices(me)).toHaveLength(1);
  expect(await list(me)).toEqual([]);
});

test('who has switched it off is not told, and is not told of that device later', async () => {
  const me = await user();
  await login(me, FIREFOX);
  await setPreferences(app, me, { newLogin: false });
  await login(me, SAFARI);
  await setPreferences(app, me, { newLogin: true });
  await login(me, SAFARI);
  expect(await list(me)).toEqual([]);
});

test('two logins at the same time are told once', async () => {
  const me = await user();
  await login(me, FIREFOX);
  expect(await Promise.all([login(me, SAFARI), login(me, SAFARI)])).toEqual([201, 201]);
  expect(await list(me)).toHaveLength(1);
});

test('a login succeeds when its device cannot be recorded, and records nothing when it fails', async () => {
  const me = await user();
  await login(me, FIREFOX);
  await database.sql`alter table known_device rename to unreachable`;
  const status = await login(me, SAFARI);
  await database.sql`alter table unreachable rename to known_device`;
  expect(status).toBe(201);
  expect(await list(me)).toEqual([]);

  const device = { deviceType: 'Safari', deviceOs: 'macOS', appVersion: null };
  const rolledBack = inTransaction(database.deps, async (deps) => {
    await notifyOfNewDevice(deps, me.id, device);
    throw new Error('later');
  });
  await expect(rolledBack).rejects.toThrow('later');
  expect(await listDevices(me)).toHaveLength(1);
  expect(await list(me)).toEqual([]);
});

test('notifications and devices are deleted after 90 days, but not the last device', async () => {
  const me = await user();
  const ages = [100, 89, 95, 91];
  for (const days of ages) {
    const at = new Date(NOW.getTime() - days * DAY);
    await notify(database.db, { userId: me.id, kind: 'integrity', title: `${days}` }, at);
  }
  const device = (deviceType: string, days: number) =>
    notifyOfNewDevice(
      { ...database.deps, now: () => new Date(NOW.getTime() - days * DAY) },
      me.id,
      {
        deviceType,
        deviceOs: '',
        appVersion: null,
      },
    );
  await setPreferences(app, me, { newLogin: false });
  await device('a', 120);
  await device('b', 100);
  await device('c', 95);
  await passTimeUntil(database, NOW);
  const clean = () => handleCleanNotifications(jobCtx(database), {});
  await clean();
  const titles = (await listNotifications(app, me)).map(({ title }) => title);
  expect(titles).toEqual(['89']);
  expect(await listDevices(me)).toHaveLength(1);
  await device('a', 0);
  await clean();
  expect(await listDevices(me)).toHaveLength(1);
});
