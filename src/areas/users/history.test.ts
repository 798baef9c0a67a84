import { describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { preferenceChanges } from '../../db/tables/preferences.ts';
import { sessions } from '../../db/tables/identity.ts';
import type { PreferenceHistory } from './history.schemas.ts';

const { database, app } = await useApp();

const save = (caller: Caller, body: object) =>
  call(app, 'PUT /users/me/preferences', { ...caller, body });
const history = async (caller: Caller): Promise<PreferenceHistory['items']> => {
  const { status, body } = await call(app, 'GET /users/me/preferences/history', caller);
  expect(status).toBe(200);
  return body.items;
};

test('EP-003: records changes of settings and of hidden content, with the device', async () => {
  const me = await seed(database).user();
  await unlock(database, me);
  await database.db
    .update(sessions)
    .set({ deviceType: 'Firefox', deviceOs: 'Linux', appVersion: '3.2.2' })
    .where(eq(sessions.userId, me.id));
  const rule = { id: crypto.randomUUID(), kind: 'date', date: '02-29' };
  await save({ session: me }, { memories: { duration: 9 } });
  await save({ session: me }, { lockedContent: { rules: [rule] } });

  const [newest, oldest, ...rest] = await history({ session: me });
  expect(rest).toEqual([]);
  expect(oldest).toEqual({
    id: expect.any(String),
    changedAt: NOW.toISOString(),
    device: {
      sessionId: expect.any(String),
      deviceType: 'Firefox',
      deviceOS: 'Linux',
      appVersion: '3.2.2',
      isCurrent: true,
    },
    changes: [{ path: 'memories.duration', redacted: false, previous: 5, value: 9 }],
  });
  expect(newest!.changes).toEqual([{ path: 'lockedContent.rules', redacted: true }]);
  // Not even in the table: a dump tells nobody.
  const [row] = await database.sql`
    select string_agg(changes::text, '') as text from preference_change where user_id = ${me.id}`;
  expect(row!['text']).not.toContain('02-29');
});

test('does not reveal whether anything is hidden', async () => {
  const me = await seed(database).user();
  await unlock(database, me);
  await save({ session: me }, { lockedContent: { filterEnabled: true } });
  expect((await history({ as: me }))[0]!.changes).toEqual([
    { path: 'lockedContent.filterEnabled', redacted: true },
  ]);
});

describe('a record', () => {
  test('is one per save, with exactly the settings that changed', async () => {
    const me = await seed(database).user();
    await save(
      { session: me },
      { tags: { enabled: true, sidebarWeb: false }, avatar: { color: 'green' } },
    );
    await save({ session: me }, { tags: { enabled: true } });
    await save({ session: me }, {});
    await save({ session: me }, { tags: { enabled: 'maybe' } });
    await save({ session: me }, { sounds: { enabled: true } });
    expect((await history({ session: me })).map((item) => item.changes)).toEqual([
      [
        { path: 'tags.enabled', redacted: false, previous: false, value: true },
        { path: 'avatar.color', redacted: false, previous: 'primary', value: 'green' },
      ],
    ]);
  });

  test('names no device after it logged out, or for an API key', async () => {
    const me = await seed(database).user();
    await save({ session: me }, { tags: { enabled: true } });
    await save({ as: me }, { tags: { enabled: false } });
    expect((await history({ as: me })).map((item) => item.device?.isCurrent)).toEqual([
      undefined,
      false,
    ]);
    await database.sql`delete from session where user_id = ${me.id}`;
    expect((await history({ as: me })).map((item) => item.device)).toEqual([null, null]);
  });

  test('by an administrator shows the device, not the session', async () => {
    const me = await seed(database).user();
    const admin = await seed(database).user(['all'], { isAdmin: true });
    const body = { ratings: { enabled: true } };
    const changed = await call(app, `PUT /admin/users/${me.id}/preferences`, {
      session: admin,
      body,
    });
    expect(changed.status).toBe(200);
    const [item] = await history({ session: me });
    expect(item).toMatchObject({
      device: { sessionId: null, isCurrent: false },
      changes: [{ path: 'ratings.enabled', previous: false, value: true }],
    });
    expect(await history({ session: admin })).toEqual([]);
  });
});

test('keeps the newest hundred records of each account', async () => {
  const [me, other] = [await seed(database).user(), await seed(database).user()];
  await save({ as: other }, { memories: { duration: 77 } });
  await database.db.insert(preferenceChanges).values(
    Array.from({ length: 105 }, (_, n) => ({
      userId: me.id,
      changes: [{ path: 'memories.duration', redacted: false, previous: n, value: n + 1 }],
    })),
  );
  await save({ as: me }, { memories: { duration: 88 } });
  const items = await history({ as: me });
  expect(items).toHaveLength(100);
  expect(items[0]!.changes[0]!.value).toBe(88);
  expect(items[1]!.changes[0]!.value).toBe(105);
  const { count } = (
    await database.sql`
    select count(*)::int from preference_change where user_id = ${me.id}`
  )[0]!;
  expect(count).toBe(100);
  expect(await history({ as: other })).toHaveLength(1);
});

test('records all concurrent changes', async () => {
  const me = await seed(database).user();
  await Promise.all(
    ['tags', 'folders', 'ratings'].map((group) => save({ as: me }, { [group]: { enabled: true } })),
  );
  const paths = (await history({ as: me })).map((item) => item.changes[0]!.path);
  expect(paths.toSorted()).toEqual(['folders.enabled', 'ratings.enabled', 'tags.enabled']);
});

test('requires an account and the permission', async () => {
  const narrow: TestUser = await seed(database).user(['user.read']);
  const route = 'GET /users/me/preferences/history';
  expect((await call(app, route)).status).toBe(401);
  expect((await call(app, route, { as: narrow })).status).toBe(403);
});
