import { expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, seed } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';

const { database, app } = await useApp();

const user = (permissions?: string[]) => seed(database).user(permissions);
const photos = (ownerId: string, count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => seed(database).asset({ ownerId })));
const create = (caller: Caller, ...assetIds: string[]) =>
  call(app, 'POST /stacks', { ...caller, body: { assetIds } });
async function stack(caller: Caller, ...assetIds: string[]): Promise<{ id: string }> {
  const reply = await create(caller, ...assetIds);
  expect(reply.status).toBe(201);
  return reply.body;
}
const listMembers = async (stackId: string): Promise<string[]> =>
  (await database.sql`select id from asset where stack_id = ${stackId} order by id`).map(
    (row) => row['id'],
  );
const getPrimary = async (stackId: string): Promise<string | undefined> =>
  (await database.sql`select primary_id from stack where id = ${stackId}`)[0]?.['primary_id'];

for (const [state, change] of [
  ['archived', `visibility = 'archive'`],
  ['locked', 'locked_at = now()'],
] as const) {
  test(`a chosen primary that is ${state} brings its whole stack into another`, async () => {
    const me = await user();
    await unlock(database, me);
    const [a, b, c] = (await photos(me.id, 3)) as [string, string, string];
    const old = await stack({ session: me }, a, b);
    const away = state === 'locked' ? [a, c] : [a];
    await database.sql.unsafe(`update asset set ${change} where id = any($1)`, [away]);
    const made = await stack({ session: me }, c, a);
    expect(await listMembers(made.id)).toEqual([a, b, c].sort());
    expect(await getPrimary(made.id)).toBe(c);
    expect(await getPrimary(old.id)).toBeUndefined();
  });

  test(`an asset that is shown on top while the chosen one is ${state} brings its whole stack in`, async () => {
    const me = await user();
    const [a, b, c, other] = (await photos(me.id, 4)) as [string, string, string, string];
    await stack({ as: me }, a, b);
    const untouched = await stack({ as: me }, c, other);
    await database.sql.unsafe(`update asset set ${change} where id = $1`, [a]);
    const [free] = (await photos(me.id, 1)) as [string];
    const made = await stack({ as: me }, free, b);
    expect(await listMembers(made.id)).toEqual([a, b, free].sort());
    expect(await listMembers(untouched.id)).toEqual([c, other].sort());
  });
}

test('an archived primary can be first again, each time', async () => {
  const me = await user();
  const [a, b, c] = (await photos(me.id, 3)) as [string, string, string];
  await stack({ as: me }, a, b);
  await database.sql`update asset set visibility = 'archive' where id = ${a}`;
  for (const ids of [
    [a, b],
    [a, c],
    [a, b, c],
    [b, a],
  ]) {
    const made = await stack({ as: me }, ...ids);
    expect(await getPrimary(made.id)).toBe(ids[0]!);
  }
  expect(await database.sql`select id from stack where owner_id = ${me.id}`).toHaveLength(1);
});

test('a refused request leaves the stack of an archived primary as it is', async () => {
  const [me, stranger, reader] = [await user(), await user(), await user(['stack.read'])];
  const [a, b, trashed, hidden, locked] = (await photos(me.id, 5)) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const [foreign] = (await photos(stranger.id, 1)) as [string];
  const old = await stack({ as: me }, a, b);
  const { sql } = database;
  await sql`update asset set visibility = 'archive' where id = ${a}`;
  await sql`update asset set trashed_at = now() where id = ${trashed}`;
  await sql`update asset set visibility = 'hidden' where id = ${hidden}`;
  await sql`update asset set locked_at = now() where id = ${locked}`;
  expect((await create({ as: reader }, a, b)).status).toBe(403);
  expect((await create({ as: stranger }, foreign, a)).status).toBe(400);
  for (const other of [trashed, hidden, locked, foreign, crypto.randomUUID()]) {
    expect((await create({ as: me }, other, a)).status).toBe(400);
    expect((await create({ as: me }, a, other)).status).toBe(400);
  }
  expect(await listMembers(old.id)).toEqual([a, b].sort());
  expect(await getPrimary(old.id)).toBe(a);
});
