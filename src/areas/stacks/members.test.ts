import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { sql } from 'drizzle-orm';
import { createSeededRandom, effort } from '../../../test/support/effort.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { createCtx, NOW, seed, createSession } from '../../../test/support/harness.ts';

import {
  createStack,
  deleteStacks,
  listStacks as yieldStacks,
  removeFromStack,
  updateStack,
} from './domain.ts';
import type { Ctx } from '../../core/context.ts';
import { leaveStack } from './index.ts';
import { lockStackMembers, STACK_PRIMARY } from '../stack-members/index.ts';
import { uuids } from '../../db/arrays.ts';
import { column } from '../../db/columns.ts';
import { queryRows } from '../../db/query.ts';
import { inTransaction } from '../../db/transaction.ts';

const database = await useDatabase();

async function owner() {
  const { id } = await seed(database).user();
  return { id, ctx: createCtx(database, createSession(id, { unlocked: true })) };
}
type Owner = Awaited<ReturnType<typeof owner>>;

type Listed = { id: string; assets: { id: string }[] };
async function listStacks(ctx: Ctx): Promise<Listed[]> {
  const pages = await Array.fromAsync(yieldStacks(ctx));
  return pages.flat().map((stack) => JSON.parse(stack));
}

const photos = (ownerId: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => seed(database).asset({ ownerId })));

type Row = {
  id: string;
  stack_id: string | null;
  is_stack_child: boolean;
  scope: string;
  primary_id: string | null;
  shown_id: string | null;
};

/** Expects the invariants of stacks. */
async function check(ownerId: string): Promise<number> {
  const rows: Row[] = await database.sql`
    select asset.id, stack_id, is_stack_child, stack.primary_id,
      stack_scope(visibility, locked_at, trashed_at) as scope
    from asset left join stack on stack.id = stack_id where asset.owner_id = ${ownerId}`;
  for (const row of rows) if (!row.stack_id) expect(row.is_stack_child).toBe(false);
  const stacks = Map.groupBy(
    rows.filter((row) => row.stack_id),
    (row) => row.stack_id,
  );
  for (const members of stacks.values()) {
    expect(members.length).toBeGreaterThan(1);
    const primary = members.find((row) => row.id === row.primary_id);
    expect(primary).toBeDefined();
    for (const together of Map.groupBy(members, (row) => row.scope).values()) {
      const tops = together.filter((row) => !row.is_stack_child);
      expect(tops).toHaveLength(1);
      if (together.includes(primary!)) expect(tops[0]).toBe(primary!);
    }
  }
  const known = await database.sql`select id from stack where owner_id = ${ownerId}`;
  expect(known.length).toBe(stacks.size);
  return stacks.size;
}

const ASSETS = 7;
const CHANGES = {
  lock: 'locked_at = case when locked_at is null then now() end',
  trash: 'trashed_at = case when trashed_at is null then now() end',
  archive: `visibility = case visibility when 'timeline' then 'archive' else 'timeline' end`,
  hide: `visibility = case visibility when 'timeline' then 'hidden' else 'timeline' end`,
} as const;
const one = fc.nat({ max: ASSETS - 1 });
const some = fc.array(one, { minLength: 1, maxLength: ASSETS });
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('create' as const), some }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      some,
      change: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('remove' as const), which: fc.nat(), one }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('primary' as const), which: fc.nat(), one }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('dissolve' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave' as const), some }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), some }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const ONE_STACK: Step[] = [{ kind: 'create', some: [0, 1] }];

/** A refusal, as of a stack of two assets in the trash, changes nothing. */
const refusable = (work: Promise<unknown>) => work.catch(() => {});

async function apply({ id: ownerId, ctx }: Owner, ids: string[], item: Step): Promise<void> {
  const chosen = 'some' in item ? [...new Set(item.some.map((n) => ids[n]!))] : [];
  if (item.kind === 'create') return void (await refusable(createStack(ctx, chosen)));
  if (item.kind === 'change') {
    return void (await database.sql.unsafe(
      `update asset set ${CHANGES[item.change]} where id = any($1::uuid[])`,
      [chosen],
    ));
  }
  if (item.kind === 'leave') {
    return database.db.transaction((tx) => leaveStack(tx, chosen, NOW));
  }
  if (item.kind === 'delete') {
    await database.sql`delete from asset where id = any(${chosen}::uuid[])`;
    for (const id of chosen) ids[ids.indexOf(id)] = await seed(database).asset({ ownerId });
    return undefined;
  }
  const known = await listStacks(ctx);
  const found = known[item.which % Math.max(1, known.length)];
  if (!found) return undefined;
  const id = 'one' in item ? ids[item.one]! : '';
  if (item.kind === 'remove') await refusable(removeFromStack(ctx, found.id, id));
  if (item.kind === 'primary') await refusable(updateStack(ctx, found.id, { primaryAssetId: id }));
  if (item.kind === 'dissolve') await deleteStacks(ctx, [found.id]);
  return undefined;
}

test('each stack has one representative per visibility after any sequence of changes', async () => {
  let most = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const someone = await owner();
      const ids = await photos(someone.id, ASSETS);
      for (const item of steps) {
        await apply(someone, ids, item);
        most = Math.max(most, await check(someone.id));
      }
    }),
    // Few random runs may not make a stack.
    { numRuns: effort({ quick: 4, full: 40 }), examples: [[ONE_STACK]] },
  );
  // Few runs may not come that far.
  expect(most).toBeGreaterThan(effort({ quick: 0, full: 1 }));
}, 300_000);

test('lockStackMembers returns the members of whole stacks, and assets without a stack', async () => {
  const { id, ctx } = await owner();
  const [a, b, c, d, e] = (await photos(id, 5)) as [string, string, string, string, string];
  await createStack(ctx, [a, b, c]);
  const members = await database.db.transaction((tx) => lockStackMembers(tx, [b, d]));
  expect(members).toEqual([a, b, c, d].toSorted());
  expect(members).not.toContain(e);
  expect(await lockStackMembers(database.db, [])).toEqual([]);
  expect(await lockStackMembers(database.db, [crypto.randomUUID()])).toEqual([]);
});

test('concurrent lockStackMembers calls wait for each other and return all members', async () => {
  const { id, ctx } = await owner();
  for (let round = 0; round < 10; round++) {
    const [a, b, c] = (await photos(id, 3)) as [string, string, string];
    await createStack(ctx, [a, b]);
    const lock = (assetId: string) =>
      inTransaction(ctx, async ({ db }) => {
        const members = await lockStackMembers(db, [assetId]);
        await queryRows(
          db,
          sql`update asset set locked_at = now()
          where id = any(${uuids(members)})`,
        );
      });
    await Promise.all([lock(a), lock(b), createStack(ctx, [b, c]).catch(() => {}), lock(b)]);
    await check(id);
  }
});

test('stacks of other assets of the account are changed without waiting', async () => {
  const { id, ctx } = await owner();
  const [a, b, c, d] = (await photos(id, 4)) as [string, string, string, string];
  await createStack(ctx, [a, b]);
  await database.db.transaction(async (tx) => {
    await lockStackMembers(tx, [a]);
    await createStack(ctx, [c, d]);
  });
  expect(await check(id)).toBe(2);
});

test('concurrent changes of the same stacks leave whole ones, and no deadlock', async () => {
  const { id, ctx } = await owner();
  const ids = await photos(id, 8);
  const countDeadlocks = async () =>
    (
      await database.sql`select pg_stat_force_next_flush(), pg_stat_clear_snapshot(), deadlocks::int
      from pg_stat_database where datname = current_database()`
    )[0]!['deadlocks'];
  const before = await countDeadlocks();
  const random = createSeededRandom('stacks');
  const pick = (count: number) => ids.toSorted(() => random.below(3) - 1).slice(0, count);
  const failures: unknown[] = [];
  const change = async () => {
    const [one] = pick(1) as [string];
    const stack = (await listStacks(ctx)).find(({ assets }) => assets.some((a) => a.id === one));
    const isCreated = !stack || random.below(3) > 0;
    const work = isCreated
      ? createStack(ctx, pick(2 + random.below(3)))
      : random.below(2) > 0
        ? removeFromStack(ctx, stack.id, one)
        : deleteStacks(ctx, [stack.id]);
    // Others have changed the stack meanwhile: 400.
    await work.catch((error: { status?: number }) => error.status === 400 || failures.push(error));
  };
  for (let round = 0; round < effort({ quick: 10, full: 50 }); round++) {
    await Promise.all(Array.from({ length: 8 }, change));
    await check(id);
  }
  expect(failures).toEqual([]);
  expect(await countDeadlocks()).toBe(before);
});

test('assets deleted by SQL leave a consistent stack behind', async () => {
  const { id, ctx } = await owner();
  const ids = await photos(id, 4);
  const made = await createStack(ctx, ids);
  await database.sql`delete from asset where id = ${ids[0]!}`;
  const [next] = await listStacks(ctx);
  expect(next).toMatchObject({ id: made.id });
  expect(next!.assets.map((asset) => asset.id)).not.toContain(ids[0]);
  expect(await check(id)).toBe(1);
  await database.sql`delete from asset where id in (${ids[1]!}, ${ids[2]!})`;
  expect(await check(id)).toBe(0);
  expect(await listStacks(ctx)).toEqual([]);
});

test('deleting an account deletes its stacks', async () => {
  const { id, ctx } = await owner();
  await createStack(ctx, await photos(id, 3));
  await database.sql`delete from app_user where id = ${id}`;
  expect((await database.sql`select 1 from stack where owner_id = ${id}`).length).toBe(0);
});

test('STACK_PRIMARY is the representative of the whole stack and changes updated_at', async () => {
  const { id, ctx } = await owner();
  const ids = await photos(id, 3);
  const made = await createStack(ctx, ids);
  const told = async () =>
    (
      await queryRows(
        database.db,
        { primary: column.uuid, updated_at: column.timestamptz },
        sql`select ${STACK_PRIMARY} as primary, updated_at from stack where id = ${made.id}`,
      )
    )[0]!;
  const before = await told();
  expect(before.primary).toBe(ids[0]!);
  await database.sql`update asset set trashed_at = now() where id = ${ids[0]!}`;
  const after = await told();
  expect(ids.slice(1)).toContain(after.primary);
  expect(new Date(after.updated_at).getTime()).toBeGreaterThan(
    new Date(before.updated_at).getTime(),
  );
  await database.sql`update asset set trashed_at = null where id = ${ids[0]!}`;
  expect((await told()).primary).toBe(ids[0]!);
});

test('a stack of Locked items is listed with the PIN only', async () => {
  const { id, ctx } = await owner();
  const [open, locked] = [await photos(id, 2), await photos(id, 2)];
  await database.sql`update asset set locked_at = now() where id = any(${locked})`;
  const stacks = [
    await createStack(createCtx(database, createSession(id)), open),
    await createStack(ctx, locked),
  ];
  const ids = async (unlocked: boolean) =>
    (await listStacks(createCtx(database, createSession(id, { unlocked })))).map(
      (stack) => stack.id,
    );
  expect(await ids(true)).toEqual([stacks[1]!.id, stacks[0]!.id]);
  expect(await ids(false)).toEqual([stacks[0]!.id]);
});
