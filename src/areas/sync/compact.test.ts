import { expect, setDefaultTimeout, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { NOW, seed } from '../../../test/support/harness.ts';
import { emptyCopy, syncAll, syncOnce } from '../../../test/sync/client.ts';
import { connect, waitForWatermark } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';
import { handleCompact } from './compact.handlers.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const { database, app } = await useApp();

const DAY_MS = 86_400_000;

async function compact(at: Date = NOW): Promise<void> {
  await waitForWatermark(database);
  const effect = await handleCompact(
    {
      ...database.deps,
      now: () => at,
      signal: new AbortController().signal,
      isLastAttempt: true,
      onFailed: () => {},
      restartTimeLimit: () => {},
    },
    {},
  );
  expect(effect).toBeUndefined();
}

const rows = async (scope: string) =>
  (
    await database.sql`select kind, is_open, is_shared from change where scope_id = ${scope}
      order by xid, id`
  ).map((row) => `${row['kind']} ${row['is_open']} ${row['is_shared']}`);

test('keeps the newest of equal changes, and copies still become complete', async () => {
  const me = await seed(database).user();
  const friend = await seed(database).user();
  const { sql } = database;
  await sql`insert into partner (sharer_id, viewer_id) values (${me.id}, ${friend.id})`;
  const id = await seed(database).asset({ ownerId: me.id });
  const clients = [me, friend].map((user) => ({
    user,
    connection: connect(app, user),
    copy: emptyCopy(),
  }));
  await waitForWatermark(database);
  for (const { connection, copy } of clients) await syncAll(connection, copy);

  for (let n = 0; n < 20; n++)
    await sql`update asset set file_name = ${`${n}.jpg`} where id = ${id}`;
  await sql`update asset set locked_at = now() where id = ${id}`;
  for (let n = 0; n < 20; n++)
    await sql`update asset set file_name = ${`x${n}.jpg`} where id = ${id}`;
  await sql`delete from asset where id = ${id}`;
  await compact();
  expect(await rows(me.id)).toEqual([
    'partner true true',
    'exif true true',
    'asset true true',
    // Kept beside the last one: it is what tells those that may not know of Locked that it is gone.
    'shown true true',
    'asset false false',
    'library false false',
    'shown false false',
  ]);
  for (const { user, connection, copy } of clients) {
    const { counts } = await syncAll(connection, copy);
    expect(counts[user === me ? 'AssetDeleteV1' : 'PartnerAssetDeleteV1']).toBe(1);
    await expectCopy(database, copy, { id: user.id });
  }
});

test('deletes changes older than a month, and resets copies that stand before them', async () => {
  const me = await seed(database).user();
  const idle = await seed(database).user();
  const { sql } = database;
  const ids = [];
  for (let n = 0; n < 3; n++) ids.push(await seed(database).asset({ ownerId: idle.id }));
  const copies = new Map([me, idle].map((user) => [user, emptyCopy()]));
  await waitForWatermark(database);
  for (const [user, copy] of copies) await syncAll(connect(app, user), copy);
  await sql`update asset set file_name = 'old.jpg' where id = ${ids[0]!}`;
  const start = NOW.getTime() + 1000;
  await compact(new Date(start));
  await sql`update asset set file_name = 'new.jpg' where id = ${ids[1]!}`;
  // The rows about the library are equal to each other.
  const countRows = () => sql`select count(*)::int as n from change
    where scope_id = ${idle.id} and kind <> 'library'`;
  const [before] = await countRows();

  await compact(new Date(start + 30 * DAY_MS));
  const [kept] = await countRows();
  expect(kept!['n']).toBe(before!['n']);
  await syncAll(connect(app, me), copies.get(me)!);

  await compact(new Date(start + 31 * DAY_MS));
  expect(await rows(idle.id)).toEqual(['asset true true', 'library false false']);
  // Up to date since: nothing is lost.
  expect((await syncOnce(connect(app, me), copies.get(me)!)).end).toBe('complete');
  const copy = copies.get(idle)!;
  expect((await syncOnce(connect(app, idle), copy)).end).toBe('reset');
  await syncAll(connect(app, idle), copy);
  await expectCopy(database, copy, { id: idle.id });
});

test('keeps changes of running transactions, and blocks nobody', async () => {
  const me = await seed(database).user();
  const id = await seed(database).asset({ ownerId: me.id });
  await compact();
  await database.sql.begin(async (slow) => {
    await slow`update asset set file_name = 'a' where id = ${id}`;
    await slow`update asset set file_name = 'b' where id = ${id}`;
    const effect = handleCompact(
      {
        ...database.deps,
        signal: new AbortController().signal,
        isLastAttempt: true,
        onFailed: () => {},
        restartTimeLimit: () => {},
      },
      {},
    );
    await effect;
  });
  expect((await rows(me.id)).filter((row) => row.startsWith('asset'))).toHaveLength(2);
  await compact();
  expect((await rows(me.id)).filter((row) => row.startsWith('asset'))).toHaveLength(1);
});
