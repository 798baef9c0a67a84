import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { effort } from '../../../../test/support/effort.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { seed } from '../../../../test/support/harness.ts';
import { silentLog } from '../../../core/log.ts';
import { handleFoldCounts } from './counts.handlers.ts';
import { type CountedMonth, findUnfoldedMonths, foldMonths } from './counts.store.ts';
import { listDayCounts } from './days.store.ts';

const database = await useDatabase();

const COLUMNS = 'type, visibility, is_locked, is_trashed, is_favorite, is_stack_child';

/** Returns the stored counts of an owner in folded rows. */
const counted = (ownerId: string) =>
  database.sql.unsafe(
    `select local_month::text, ${COLUMNS}, sum(assets)::int as assets, sum(bytes)::int as bytes
   from asset_count where owner_id = $1 group by local_month, ${COLUMNS}
   having sum(assets) <> 0 or sum(bytes) <> 0 order by local_month, ${COLUMNS}`,
    [ownerId],
  );

/** Returns the counts of an owner by a recount. */
const recounted = (ownerId: string) =>
  database.sql.unsafe(
    `select local_month::text, type, visibility, locked_at is not null as is_locked,
     trashed_at is not null as is_trashed, is_favorite, is_stack_child,
     count(*)::int as assets, sum(file_size)::int as bytes
   from asset where owner_id = $1 group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7`,
    [ownerId],
  );

/** The same by day of what is shown. */
const daysCounted = async (ownerId: string) =>
  (await listDayCounts(database.deps, [ownerId]))
    .map(({ kind, day, count }) => ({ kind, day, assets: count }))
    .toSorted((a, b) => (a.kind + a.day < b.kind + b.day ? -1 : 1));

const daysRecounted = (ownerId: string) => database.sql`
  select kind, day::text, count(*)::int as assets from asset cross join lateral (values
    ('upload', (created_at at time zone 'utc')::date), ('taken', local_day),
    ('archived', case visibility when 'archive' then local_day end)) at (kind, day)
  where owner_id = ${ownerId} and at.day is not null
    and visibility <> 'hidden' and locked_at is null and trashed_at is null
  group by 1, at.day order by 1, 2`;

/** Returns the combined hash of the originals. */
const contents = async (ownerId: string, table: 'asset' | 'asset_count') => {
  const column = table === 'asset' ? 'hash_bits(sha256)' : 'contents';
  const [row] = await database.sql.unsafe(
    `select coalesce(bit_xor(${column}), 0)::text as contents from ${table} where owner_id = $1`,
    [ownerId],
  );
  return row!['contents'];
};

async function expectTruth(ownerId: string): Promise<void> {
  expect([...(await counted(ownerId))]).toEqual([...(await recounted(ownerId))]);
  expect(await daysCounted(ownerId)).toEqual([...(await daysRecounted(ownerId))] as never);
  expect(await contents(ownerId, 'asset_count')).toBe(await contents(ownerId, 'asset'));
}

async function versions(ownerId: string): Promise<Map<string, string>> {
  const rows = await database.sql`
    select local_month::text as month, bit_xor(stamp)::text as version
    from asset_count where owner_id = ${ownerId} group by 1`;
  return new Map(rows.map((row) => [row['month'], row['version']]));
}

async function foldAll(ownerId: string) {
  const months = await database.sql<CountedMonth[]>`
    select distinct owner_id, local_month::text from asset_count where owner_id = ${ownerId}`;
  await database.db.transaction((tx) => foldMonths(tx, [...months]));
}

const CHANGES = {
  favorite: 'is_favorite = not is_favorite',
  trash: 'trashed_at = case when trashed_at is null then now() end',
  lock: 'locked_at = case when locked_at is null then now() end',
  archive: `visibility = case visibility when 'timeline' then 'archive' else 'timeline' end`,
  hide: `visibility = case visibility when 'timeline' then 'hidden' else 'timeline' end`,
  uploaded: `created_at = created_at - interval '5 hours'`,
  // Alone, a member is none.
  stack: `is_stack_child = not is_stack_child
      and exists (select from stack where stack.owner_id = asset.owner_id),
    stack_id = (select id from stack where stack.owner_id = asset.owner_id)`,
  // Moves no count, and still is a change that clients must see.
  rename: `file_name = file_name || '_'`,
  month: `local_taken_at = local_taken_at + interval '1 month'`,
  size: 'file_size = file_size + 1',
} as const;

const step = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), month: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
    which: fc.nat(),
  }),
  fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }),
  fc.record({ kind: fc.constant('fold' as const) }),
);

test('counts equal a recount after any change, and versions change only when rows do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const make = seed(database);
      const { id: ownerId } = await make.user();
      const ids: string[] = [];
      const primaryId = await make.asset({ ownerId });
      await database.sql`insert into stack (owner_id, primary_id) values (${ownerId}, ${primaryId})`;
      for (const item of steps) {
        const before = await versions(ownerId);
        if (item.kind === 'fold') {
          await foldAll(ownerId);
          expect(await versions(ownerId)).toEqual(before);
          continue;
        }
        if (item.kind === 'insert') {
          const takenAt = new Date(Date.UTC(2020, item.month, 5));
          ids.push(await make.asset({ ownerId, takenAt, fileSize: 10 }));
        } else {
          const id = ids[item.which % Math.max(1, ids.length)];
          if (!id) continue;
          const months = await database.sql`select local_month::text from asset where id = ${id}`;
          if (item.kind === 'delete') {
            await database.sql`delete from asset where id = ${id}`;
            ids.splice(ids.indexOf(id), 1);
          } else {
            await database.sql.unsafe(`update asset set ${CHANGES[item.kind]} where id = $1`, [id]);
          }
          const month = months[0]!['local_month'];
          expect((await versions(ownerId)).get(month)).not.toBe(before.get(month));
        }
        await expectTruth(ownerId);
      }
      await foldAll(ownerId);
      await expectTruth(ownerId);
    }),
    { numRuns: effort({ quick: 4, full: 25 }) },
  );
}, 300_000);

test('folding leaves one row per group and month and no empty rows beside others', async () => {
  const make = seed(database);
  const { id: ownerId } = await make.user();
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push(await make.asset({ ownerId }));
  for (const id of ids) {
    await database.sql`update asset set is_favorite = true where id = ${id}`;
    await database.sql`update asset set is_favorite = false where id = ${id}`;
  }
  await foldAll(ownerId);
  const [row, ...rest] = await database.sql`select * from asset_count where owner_id = ${ownerId}`;
  expect(row).toMatchObject({ assets: '6', is_favorite: false });
  expect(rest).toEqual([]);

  await database.sql`delete from asset where owner_id = ${ownerId}`;
  const before = await versions(ownerId);
  await foldAll(ownerId);
  // The version of an emptied month survives, or a month filled again could repeat an old one.
  expect(await versions(ownerId)).toEqual(before);
  expect((await database.sql`select * from asset_count where owner_id = ${ownerId}`).length).toBe(
    1,
  );
});

test('folding runs only for months with many delta rows and only in one process at a time', async () => {
  const make = seed(database);
  const [few, many] = [await make.user(), await make.user()];
  for (let n = 0; n < 10; n++) await make.asset({ ownerId: few.id });
  for (let n = 0; n < 40; n++) await make.asset({ ownerId: many.id });
  await database.sql`delete from asset_count where owner_id not in (${few.id}, ${many.id})`;
  expect(await findUnfoldedMonths(database.db)).toEqual([
    { owner_id: many.id, local_month: '2026-01-01' },
  ]);

  const ctx = {
    ...database.deps,
    log: silentLog,
    signal: new AbortController().signal,
    isLastAttempt: true,
    onFailed: () => {},
    restartTimeLimit: () => {},
  };
  const effect = await handleFoldCounts(ctx, {});
  const rows = () => database.sql`select 1 from asset_count where owner_id = ${many.id}`;
  await database.sql.begin(async (other) => {
    await other`select pg_advisory_xact_lock(hashtext('asset_count'))`;
    await database.db.transaction((tx) => effect!(tx));
    expect((await rows()).length).toBe(40);
  });
  await database.db.transaction((tx) => effect!(tx));
  expect((await rows()).length).toBe(1);
  expect(await handleFoldCounts(ctx, {})).toBeUndefined();
});

test('folding keeps rows that are added concurrently', async () => {
  const make = seed(database);
  const { id: ownerId } = await make.user();
  let isAdding = true;
  const adding = (async () => {
    for (let n = 0; n < 60; n++) await make.asset({ ownerId });
    isAdding = false;
  })();
  while (isAdding) await foldAll(ownerId);
  await adding;
  await expectTruth(ownerId);
});
