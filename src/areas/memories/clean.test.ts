import { expect, test } from 'bun:test';
import { useDatabase } from '../../../test/support/database.ts';
import { call, NOW, seed, testApp } from '../../../test/support/harness.ts';
import { addMemory, addMemoryExport, type NewMemory } from '../../../test/support/memories.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { handleCleanMemories } from './clean.handlers.ts';

const database = await useDatabase();

const DAY_MS = 24 * 60 * 60_000;
const ago = (days: number) => new Date(NOW.getTime() - days * DAY_MS);

const cases: readonly [string, Omit<NewMemory, 'ownerId'>, 'kept' | 'deleted'][] = [
  ['of 31 days ago', { createdAt: ago(31), hideAt: ago(28) }, 'deleted'],
  ['of 31 days ago without an end', { createdAt: ago(31) }, 'deleted'],
  ['of 29 days ago', { createdAt: ago(29), hideAt: ago(28) }, 'kept'],
  ['that is still shown', { createdAt: ago(31), hideAt: ago(-1) }, 'kept'],
  ['that was saved', { createdAt: ago(999), isSaved: true }, 'kept'],
  ['made by hand', { createdAt: ago(999), type: 'custom', key: null }, 'kept'],
  ['hidden', { createdAt: ago(31), isHidden: true }, 'deleted'],
  ['deleted lately', { createdAt: ago(99), deletedAt: ago(29), isSaved: true }, 'kept'],
  ['deleted long ago', { createdAt: ago(99), deletedAt: ago(31), isSaved: true }, 'deleted'],
  [
    'deleted long ago and yet to come',
    { createdAt: ago(99), deletedAt: ago(31), hideAt: ago(-1) },
    'kept',
  ],
];
for (const [words, values, fate] of cases) {
  test(`a memory ${words} is ${fate}`, async () => {
    const { id: ownerId } = await seed(database).user();
    const photo = await seed(database).asset({ ownerId });
    const id = await addMemory(database, { ownerId, ...values }, [photo]);
    await handleCleanMemories(jobCtx(database), {});
    const left = await database.sql`select id from memory where id = ${id}`;
    expect(left.length).toBe(fate === 'kept' ? 1 : 0);
    expect(await database.sql`select from asset where id = ${photo}`).toHaveLength(1);
  });
}

test('exports go with a deleted memory, and with no other', async () => {
  const me = await seed(database).user();
  const memories = [
    await addMemory(database, { ownerId: me.id }),
    await addMemory(database, { ownerId: me.id }),
  ];
  for (const id of memories) await addMemoryExport(database, id, 'queued');
  const { status } = await call(testApp(database), `DELETE /memories/${memories[0]!}`, { as: me });
  expect(status).toBe(204);
  const left = await database.sql`
    select memory_id from operation left join operation_file using (id) where account_id = ${me.id}`;
  expect(left.map((row) => row['memory_id'])).toEqual([memories[1]!]);
});
