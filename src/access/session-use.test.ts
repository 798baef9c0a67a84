import { beforeAll, describe, expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { useDatabase } from '../../test/support/database.ts';
import { NOW, seed } from '../../test/support/harness.ts';
import { sessions } from '../db/tables/identity.ts';
import { type Authenticate, createAuthenticate } from './authenticate.ts';

const database = await useDatabase();
let authenticate: Authenticate;
beforeAll(() => {
  authenticate = createAuthenticate(database);
});

type Init = { method?: string; headers?: Record<string, string> };

describe('a session in use', () => {
  const minutes = (n: number) => new Date(NOW.getTime() + n * 60_000);
  const start = async (elevated: Date | null) => {
    const me = await seed(database).user();
    await database.db
      .update(sessions)
      .set({ elevatedUntil: elevated, updatedAt: NOW })
      .where(eq(sessions.userId, me.id));
    const at = (now: Date, path = '/tags', init: Init = {}, background = false) =>
      authenticate(
        new Request(`http://localhost/api${path}`, {
          ...init,
          headers: { authorization: `Bearer ${me.token}`, ...init.headers },
        }),
        now,
        { background },
      );
    const row = async () =>
      (await database.db.select().from(sessions).where(eq(sessions.userId, me.id)))[0]!;
    return { at, row };
  };

  test('AU-017: an unlocked session is locked after its lifetime without activity', async () => {
    const { at } = await start(minutes(15));
    expect(await at(minutes(16))).toMatchObject({ unlocked: false });
  });

  test('AU-017: activity keeps a session unlocked for at least five more minutes', async () => {
    const { at, row } = await start(minutes(15));
    expect(await at(minutes(9))).toMatchObject({ unlocked: true });
    expect((await row()).elevatedUntil).toEqual(minutes(15));
    for (let minute = 11; minute < 40; minute += 4) {
      expect(await at(minutes(minute))).toMatchObject({ unlocked: true });
      const left = (await row()).elevatedUntil!.getTime() - minutes(minute).getTime();
      expect(left).toBeGreaterThanOrEqual(4 * 60_000);
    }
    // The last request was at minute 39.
    expect(await at(minutes(46))).toMatchObject({ unlocked: false });
    expect((await row()).elevatedUntil!.getTime()).toBeLessThan(minutes(46).getTime());
  });

  test('requests that clients make on their own do not keep it unlocked', async () => {
    const { at, row } = await start(minutes(15));
    const ways: [string, Init?, boolean?][] = [
      // The socket says so itself, whatever it asked for.
      ['/tags', {}, true],
      ['/socket.io/?EIO=4&transport=websocket'],
      ['/sync/stream', { method: 'POST' }],
      ['/sync/ack'],
      ['/assets', { method: 'POST' }],
      ['/assets/', { method: 'POST' }],
      ['/assets/bulk-upload-check', { method: 'POST' }],
      ['/assets/uploads/1', { method: 'PATCH' }],
      ['/users/me/backup-devices/1/reconciliations', { method: 'POST' }],
      ['/server/ping'],
      ['/auth/status'],
      ['/auth/validateToken', { method: 'POST' }],
      ['/users/me'],
      ['/jobs'],
      ['/timeline/bucket?visibility=locked', { headers: { 'x-safelight-background': '1' } }],
    ];
    for (const [path, init, background] of ways) {
      expect(await at(minutes(14), path, init, background)).toMatchObject({ unlocked: true });
      expect([path, (await row()).elevatedUntil]).toEqual([path, minutes(15)]);
    }
  });

  test('requests that a person causes keep it unlocked: viewing, scrolling, changing', async () => {
    const ways: [string, Init?][] = [
      ['/timeline/bucket?visibility=locked'],
      ['/assets/1/thumbnail?size=preview'],
      ['/assets/1/original'],
      ['/assets', { method: 'PUT' }],
      ['/users/me', { method: 'PUT' }],
      ['/search/metadata?x=/sync/stream', { method: 'POST' }],
      ['/synchronous'],
    ];
    for (const [path, init] of ways) {
      const { at, row } = await start(minutes(15));
      await at(minutes(14), path, init);
      expect([path, (await row()).elevatedUntil]).toEqual([path, minutes(20)]);
    }
  });

  test('an extension is stored at most once a minute, also by concurrent requests', async () => {
    const { at, row } = await start(minutes(15));
    await Promise.all(Array.from({ length: 10 }, () => at(minutes(12))));
    expect((await row()).elevatedUntil).toEqual(minutes(18));
    await at(minutes(12.9));
    expect((await row()).elevatedUntil).toEqual(minutes(18));
    await at(minutes(13.1));
    expect((await row()).elevatedUntil).toEqual(minutes(19.1));
  });

  test('a session that was locked meanwhile does not open again', async () => {
    const { at, row } = await start(null);
    expect(await at(minutes(1))).toMatchObject({ unlocked: false });
    expect((await row()).elevatedUntil).toBeNull();
  });

  test('the time it was last seen is stored at most once an hour', async () => {
    const { at, row } = await start(null);
    await at(minutes(59));
    expect((await row()).updatedAt).toEqual(NOW);
    await at(minutes(61));
    expect((await row()).updatedAt).toEqual(minutes(61));
  });
});
