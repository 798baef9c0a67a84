import { expect, test } from 'bun:test';
import { useDatabase } from '../../../test/support/database.ts';
import { seed } from '../../../test/support/harness.ts';
import { keepResting } from './fold.store.ts';

const database = await useDatabase();

test('folding skips accounts with a running background move unless it is urgent', async () => {
  const [me, other] = [await seed(database).user(), await seed(database).user()];
  const owners = [
    { id: me.id, isUrgent: false },
    { id: other.id, isUrgent: false },
  ];
  const resting = () => keepResting(database.db, owners);
  expect(await resting()).toEqual([me.id, other.id]);
  const { sql } = database;
  await sql`insert into archive_operation (user_id, source, status, total)
    values (${me.id}, 'selection', 'completed', 1)`;
  expect(await resting()).toEqual([me.id, other.id]);
  for (const status of ['queued', 'running', 'stopping', 'undoing']) {
    await sql`update archive_operation set status = ${status} where user_id = ${me.id}`;
    expect(await resting()).toEqual([other.id]);
  }
  await sql`insert into trash_operation (user_id, action, created_at)
    values (${other.id}, 'trash', now())`;
  expect(await resting()).toEqual([]);
  expect(await keepResting(database.db, [{ id: me.id, isUrgent: true }])).toEqual([me.id]);
  await sql`delete from archive_operation`;
  await sql`delete from trash_operation`;
  expect(await resting()).toEqual([me.id, other.id]);
});
