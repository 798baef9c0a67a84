import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, NOW, seed, send, type TestUser } from '../../../test/support/harness.ts';
import { emptyCopy, parseLines, syncAll, syncOnce } from '../../../test/sync/client.ts';
import { connect, waitForWatermark } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const { database, app } = await useApp();

describe('a copy is reset', () => {
  const reset = async (me: TestUser) => {
    const connection = connect(app, me);
    const copy = emptyCopy();
    await seed(database).asset({ ownerId: me.id });
    await waitForWatermark(database);
    await syncAll(connection, copy);
    return { connection, copy };
  };
  const expectReset = async (
    me: TestUser,
    { connection, copy }: Awaited<ReturnType<typeof reset>>,
  ) => {
    expect(await syncOnce(connection, copy)).toEqual({
      lines: 1,
      counts: { SyncResetV1: 1 },
      end: 'reset',
    });
    expect(copy.assets.size).toBe(0);
    expect((await syncOnce(connection, copy)).end).toBe('complete');
    await expectCopy(database, copy, { id: me.id });
  };

  test('when the last complete stream is older than thirty days', async () => {
    const me = await seed(database).user();
    const client = await reset(me);
    const age = (days: number) => database.sql`
      update sync_checkpoint set updated_at = ${new Date(NOW.getTime() - days * 86_400_000).toISOString()}
      where entity_type = 'SyncCompleteV1'`;
    await age(29);
    expect((await syncOnce(client.connection, client.copy)).counts).toEqual({ SyncCompleteV1: 1 });
    await age(31);
    await expectReset(me, client);
  });

  test('when a reset was requested for the session', async () => {
    const me = await seed(database).user();
    const client = await reset(me);
    const [session] = (await call(app, 'GET /sessions', { session: me })).body;
    await call(app, `PUT /sessions/${session.id}`, {
      session: me,
      body: { isPendingSyncReset: true },
    });
    await expectReset(me, client);
  });

  test('when the database was restored and transaction ids start again', async () => {
    const me = await seed(database).user();
    const friend = await seed(database).user();
    await database.sql`insert into partner (sharer_id, viewer_id) values (${friend.id}, ${me.id})`;
    await seed(database).asset({ ownerId: friend.id });
    const client = await reset(me);
    await database.sql`update partner set since = '900000000000'`;
    await database.sql`update change_log set epoch = 'another place'`;
    await expectReset(me, client);
    expect(client.copy.assets.size).toBe(2);
  });

  test('when the client requests it', async () => {
    const me = await seed(database).user();
    await reset(me);
    const ask = async (body: object) =>
      (
        await Array.fromAsync(
          parseLines((await send(app, 'POST /sync/stream', { session: me, body })).body!),
        )
      ).map((line) => line.type);
    expect(await ask({ types: ['AssetsV2'] })).toEqual(['SyncCompleteV1']);
    expect(await ask({ types: ['AssetsV2'], reset: true })).toEqual(['AssetV2', 'SyncCompleteV1']);
  });
});
