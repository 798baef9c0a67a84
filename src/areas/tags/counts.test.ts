import { expect, test } from 'bun:test';
import { deleteForGood } from '../../../test/support/deletion.ts';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { effort } from '../../../test/support/effort.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { createCtx, seed, createSession } from '../../../test/support/harness.ts';
import type { Ctx } from '../../core/context.ts';
import { silentLog } from '../../core/log.ts';
import { handleFoldTagCounts } from './handlers.ts';
import { findUnfoldedTags, foldTags } from './counts.store.ts';
import {
  deleteTag,
  tagAssets,
  getTagStatistics,
  untagAssets,
  updateTag,
  upsertTags,
} from './domain.ts';
import { uuids } from '../../db/arrays.ts';
import { inTransaction } from '../../db/transaction.ts';
import { queryRows } from '../../db/query.ts';

const database = await useDatabase();

async function owner() {
  const { id } = await seed(database).user();
  return { id, ctx: createCtx(database, createSession(id, { unlocked: true })) };
}

/** As every change of ours, run again when PostgreSQL chose it to end a deadlock. */
const toggleLocked = (ctx: Ctx, ids: readonly string[]) =>
  inTransaction(ctx, ({ db }) =>
    queryRows(
      db,
      sql`update asset set locked_at = case when locked_at is null then now() end
      where id = any(${uuids(ids)})`,
    ),
  );

/** Reads every link and every asset, tag by tag. */
const recounted = async (ownerId: string) =>
  [
    ...(await database.sql`
      select tag.id as "tagId",
        (select count(*)::int from tag_asset join asset on asset.id = asset_id
          where tag_id = tag.id and visibility = 'timeline' and locked_at is null
            and trashed_at is null) as count,
        (select count(distinct asset.id)::int from tag_asset join asset on asset.id = asset_id
          where visibility = 'timeline' and locked_at is null and trashed_at is null
            and tag_id in (select below.id from tag below
              where below.owner_id = tag.owner_id
                and (below.id = tag.id or starts_with(below.value, tag.value || '/'))))
          as "totalCount"
      from tag where owner_id = ${ownerId} order by tag.value`),
  ].map((row) => ({ ...row }));

const PATHS = ['a', 'a/b', 'a/b/c', 'a/d', 'e', 'e/b'];
const ASSETS = 6;

const CHANGES = {
  lock: 'locked_at = case when locked_at is null then now() end',
  trash: 'trashed_at = case when trashed_at is null then now() end',
  archive: `visibility = case visibility when 'timeline' then 'archive' else 'timeline' end`,
  hide: `visibility = case visibility when 'timeline' then 'hidden' else 'timeline' end`,
  favorite: 'is_favorite = not is_favorite',
} as const;

const some = fc.array(fc.nat({ max: ASSETS - 1 }), { minLength: 1, maxLength: ASSETS });
const path = fc.constantFrom(...PATHS);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('link' as const), path, some }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unlink' as const), path, some }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      some,
      change: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), some }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('deleteTag' as const), path }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('rename' as const),
      path,
      name: fc.constantFrom('b', 'x'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('move' as const), path, to: fc.option(path) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'fold' as const }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function run({ id: ownerId, ctx }: Awaited<ReturnType<typeof owner>>, steps: Step[]) {
  const ids: string[] = [];
  const find = async (value: string) =>
    (await database.sql`select id from tag where owner_id = ${ownerId} and value = ${value}`)[0]?.[
      'id'
    ];
  for (let n = 0; n < ASSETS; n++) ids.push(await seed(database).asset({ ownerId }));
  for (const item of steps) {
    const chosen = 'some' in item ? [...new Set(item.some.map((n) => ids[n]!))] : [];
    if (item.kind === 'link') {
      const [tag] = await upsertTags(ctx, [item.path]);
      await tagAssets(ctx, tag!.id, chosen);
    } else if (item.kind === 'change') {
      await database.sql.unsafe(
        `update asset set ${CHANGES[item.change]} where id = any($1::uuid[])`,
        [chosen],
      );
    } else if (item.kind === 'delete') {
      await deleteForGood(database, chosen);
      for (const id of chosen) ids[ids.indexOf(id)] = await seed(database).asset({ ownerId });
    } else if (item.kind === 'fold') {
      const tags = await database.sql`select id from tag where owner_id = ${ownerId}`;
      const all = tags.map((tag) => tag['id'] as string);
      await database.db.transaction((tx) => foldTags(tx, all));
    } else {
      const tagId = await find(item.path);
      if (!tagId) continue;
      if (item.kind === 'unlink') await untagAssets(ctx, tagId, chosen);
      if (item.kind === 'deleteTag') await deleteTag(ctx, tagId);
      // A name that is taken is refused and changes nothing.
      if (item.kind === 'rename') await updateTag(ctx, tagId, { name: item.name }).catch(() => {});
      if (item.kind === 'move') {
        const parentId = item.to === null ? null : await find(item.to);
        if (parentId !== undefined) await updateTag(ctx, tagId, { parentId }).catch(() => {});
      }
    }
    expect(await getTagStatistics(ctx)).toEqual((await recounted(ownerId)) as never);
  }
}

test('counts equal a recount after any sequence of changes to items and tags', async () => {
  let largest = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const someone = await owner();
      await run(someone, steps);
      for (const { totalCount } of await getTagStatistics(someone.ctx)) {
        largest = Math.max(largest, totalCount);
      }
    }),
    { numRuns: effort({ quick: 4, full: 40 }) },
  );
  // Not of nothing but zeros.
  // Few runs may not come that far.
  expect(largest).toBeGreaterThan(effort({ quick: 0, full: 1 }));
}, 300_000);

test('concurrent requests for two tags count an item once for their parent', async () => {
  const { id: ownerId, ctx } = await owner();
  const [left, right] = await upsertTags(ctx, ['top/left', 'top/right']);
  for (let n = 0; n < 60; n++) {
    const id = await seed(database).asset({ ownerId });
    await Promise.all([
      tagAssets(ctx, left!.id, [id]),
      tagAssets(ctx, right!.id, [id]),
      database.sql`update asset set visibility = 'archive' where id = ${id} and ${n % 3 === 0}`,
    ]);
    await Promise.all([
      n % 2 === 0 && untagAssets(ctx, left!.id, [id]),
      n % 4 === 0 && untagAssets(ctx, right!.id, [id]),
      n % 5 === 0 && deleteForGood(database, [id]),
    ]);
  }
  expect(await getTagStatistics(ctx)).toEqual((await recounted(ownerId)) as never);
});

test('counts stay right when a tag moves while its items are tagged, untagged and locked', async () => {
  const { id: ownerId, ctx } = await owner();
  const [left, right, tag] = await upsertTags(ctx, ['left', 'right', 'left/tag/below']);
  const moving = (await upsertTags(ctx, ['left/tag']))[0]!;
  const ids: string[] = [];
  for (let n = 0; n < 8; n++) ids.push(await seed(database).asset({ ownerId }));
  for (let n = 0; n < 20; n++) {
    const some = ids.filter((_, index) => (index + n) % 3 > 0);
    const parentId = n % 2 === 0 ? right!.id : left!.id;
    await Promise.all([
      updateTag(ctx, moving.id, { parentId }),
      tagAssets(ctx, tag!.id, some),
      untagAssets(ctx, tag!.id, ids.slice(0, n % 8)),
      tagAssets(ctx, right!.id, [ids[n % 8]!]),
      toggleLocked(ctx, [ids[n % 5]!]),
    ]);
  }
  expect(await getTagStatistics(ctx)).toEqual((await recounted(ownerId)) as never);
});

test('deleting a tag while its items are locked does not deadlock', async () => {
  const { id: ownerId, ctx } = await owner();
  for (let n = 0; n < 15; n++) {
    const [tag] = await upsertTags(ctx, [`top/sub${n}`]);
    const ids = [await seed(database).asset({ ownerId }), await seed(database).asset({ ownerId })];
    await tagAssets(ctx, tag!.id, ids);
    await Promise.all([
      deleteTag(ctx, tag!.id),
      toggleLocked(ctx, ids),
      untagAssets(ctx, tag!.id, ids).catch(() => {}),
    ]);
  }
  expect(await getTagStatistics(ctx)).toEqual((await recounted(ownerId)) as never);
});

test('removing an account deletes its tags and counts', async () => {
  const { id: ownerId, ctx } = await owner();
  const [tag] = await upsertTags(ctx, ['a/b']);
  const ids = [await seed(database).asset({ ownerId }), await seed(database).asset({ ownerId })];
  await tagAssets(ctx, tag!.id, ids);
  await database.sql`delete from app_user where id = ${ownerId}`;
  const rows = await database.sql`
    select 1 from tag_count where owner_id = ${ownerId}
    union all select 1 from tag where owner_id = ${ownerId}`;
  expect(rows.length).toBe(0);
});

test('only tags with many delta rows are folded, and only while nobody else folds', async () => {
  const { id: ownerId, ctx } = await owner();
  const [few, many] = await upsertTags(ctx, ['few', 'many']);
  for (let n = 0; n < 20; n++) {
    const id = await seed(database).asset({ ownerId });
    if (n < 5) await tagAssets(ctx, few!.id, [id]);
    await tagAssets(ctx, many!.id, [id]);
  }
  await database.sql`delete from tag_count where owner_id <> ${ownerId}`;
  expect(await findUnfoldedTags(database.db)).toEqual([many!.id]);
  // Counts of an asset that was tagged while its tag was being deleted.
  const goneId = crypto.randomUUID();
  await database.sql`insert into tag_count values (${ownerId}, ${goneId}, 1, 1)`;
  expect((await findUnfoldedTags(database.db)).toSorted()).toEqual([goneId, many!.id].toSorted());

  const jobCtx = {
    ...database.deps,
    log: silentLog,
    signal: new AbortController().signal,
    isLastAttempt: true,
    onFailed: () => {},
    restartTimeLimit: () => {},
  };
  const effect = await handleFoldTagCounts(jobCtx, {});
  const rows = () => database.sql`select 1 from tag_count where tag_id = ${many!.id}`;
  await database.sql.begin(async (other) => {
    await other`select pg_advisory_xact_lock(hashtext('tag_count'))`;
    await database.db.transaction((tx) => effect!(tx));
    expect((await rows()).length).toBe(20);
  });
  await database.db.transaction((tx) => effect!(tx));
  expect((await rows()).length).toBe(1);
  expect((await database.sql`select 1 from tag_count where tag_id = ${goneId}`).length).toBe(0);
  expect(await getTagStatistics(ctx)).toEqual([
    { tagId: few!.id, count: 5, totalCount: 5 },
    { tagId: many!.id, count: 20, totalCount: 20 },
  ]);
  expect(await handleFoldTagCounts(jobCtx, {})).toBeUndefined();
});
