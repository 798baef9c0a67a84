import { expect, setDefaultTimeout, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { seed } from '../../../test/support/harness.ts';
import { emptyCopy, syncAll } from '../../../test/sync/client.ts';
import { connect, waitForWatermark } from '../../../test/sync/support.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const { database, app } = await useApp();

test('changes of a transaction that commits late are not skipped', async () => {
  const me = await seed(database).user();
  const connection = connect(app, me);
  const copy = emptyCopy();
  const { sql } = database;
  const names = ['early', 'late', 'after'];
  const add = (name: string, tx: typeof sql = sql) => tx`
    with file as (insert into original (sha256, size)
      values (sha256(${Buffer.from(me.id + name)}), 1) returning sha256)
    insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at, local_taken_at,
      file_modified_at)
    select ${me.id}, 'IMAGE', sha256, substring(sha256 for 20), ${name}, 1, now(), now(), now() from file`;
  await waitForWatermark(database);
  await syncAll(connection, copy);
  const held = () =>
    [...copy.assets.values()].map((asset) => String(asset['originalFileName'])).toSorted();
  // The first to write is the last to commit: its rows have the lower numbers.
  await sql.begin(async (slow) => {
    await add('late', slow as unknown as typeof sql);
    await add('early');
    await syncAll(connection, copy);
    expect(held()).toEqual([]);
  });
  await add('after');
  await waitForWatermark(database);
  await syncAll(connection, copy);
  expect(held()).toEqual(names.toSorted());
});

test('a reader misses no change of many concurrent writers', async () => {
  const me = await seed(database).user();
  const connection = connect(app, me);
  const copy = emptyCopy();
  let open = 6;
  const writers = Array.from({ length: open }, async (_, writer) => {
    for (let n = 0; n < 25; n++)
      await seed(database).asset({ ownerId: me.id, fileName: `${writer}-${n}` });
    open -= 1;
  });
  while (open > 0)
    await syncAll(connection, copy, { types: ['AuthUsersV1', 'UsersV1', 'AssetsV2'] });
  await Promise.all(writers);
  await waitForWatermark(database);
  await syncAll(connection, copy, { types: ['AuthUsersV1', 'UsersV1', 'AssetsV2'] });
  expect(copy.assets.size).toBe(6 * 25);
});
