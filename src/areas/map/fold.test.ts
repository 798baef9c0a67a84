import { archiveKind } from '../archive-operations/kind.ts';
import { moveKind } from '../trash/moves/kind.ts';
import { seedOperations } from '../../../test/support/operations.ts';
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
  const payload = { source: 'selection' };
  await seedOperations(database, archiveKind, { accountId: me.id, payload });
  expect(await resting()).toEqual([me.id, other.id]);
  for (const state of ['queued', 'running', 'cancelling', 'undoing']) {
    await sql`update operation set state = ${state} where account_id = ${me.id}`;
    expect(await resting()).toEqual([other.id]);
  }
  const move = { accountId: other.id, payload: { action: 'trash' }, state: 'queued' } as const;
  await seedOperations(database, moveKind, move);
  expect(await resting()).toEqual([]);
  expect(await keepResting(database.db, [{ id: me.id, isUrgent: true }])).toEqual([me.id]);
  await sql`delete from operation`;
  expect(await resting()).toEqual([me.id, other.id]);
});
