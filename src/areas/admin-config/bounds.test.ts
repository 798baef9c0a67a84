import { beforeAll, expect, test } from 'bun:test';
import { configWith } from '../../../test/support/config.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { DEFAULTS } from '../system-config/index.ts';

const { database, app } = await useApp();
let admin: TestUser;
beforeAll(async () => {
  admin = await seed(database).user(['all'], { isAdmin: true });
});

const INT32 = 2 ** 31 - 1;
const CASES = [
  ['trash', 'days', 365_000],
  ['user', 'deleteDelay', 365_000],
  ['oauth', 'timeout', INT32],
  ['ffmpeg', 'gopSize', INT32],
  ['ffmpeg', 'threads', INT32],
] as const;

/** Pages that compute with these settings. */
const READERS = ['GET /trash/summary', 'GET /trash/items', 'GET /server/config'] as const;

for (const [group, member, most] of CASES) {
  test(`${group}.${member} is at most ${most}, with which its readers work`, async () => {
    const put = (value: number) => {
      const body = configWith({ [group]: { ...DEFAULTS[group], [member]: value } });
      return call(app, 'PUT /system-config', { session: admin, body });
    };
    for (const value of [most + 1, 2 ** 31, -(2 ** 31), 2 ** 53, -(2 ** 53)].filter(
      (value) => value < 0 || value > most,
    )) {
      const { status, body } = await put(value);
      expect([value, status, body.errors?.[0]?.path]).toEqual([value, 400, [group, member]]);
    }
    expect((await put(most)).status).toBe(200);
    const assetId = await seed(database).asset({ ownerId: admin.id });
    const trashed = await call(app, 'DELETE /assets', { session: admin, body: { ids: [assetId] } });
    expect(trashed.status).toBe(204);
    for (const path of READERS) {
      expect([path, (await call(app, path, { session: admin })).status]).toEqual([path, 200]);
    }
  });
}
