import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { effort } from '../../../../test/support/effort.ts';
import { useApp } from '../../../../test/support/database.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addStack, unlock } from '../../../../test/support/household.ts';

// For random sets of assets, lists, counts and actions of the trash cover the same items.

const { database, app } = await useApp();

const kind = fc.record({
  visibility: fc.constantFrom('timeline', 'archive'),
  isLocked: fc.boolean(),
  isTrashed: fc.boolean(),
  isFavorite: fc.boolean(),
  isLive: fc.boolean(),
  inStack: fc.boolean(),
  /** The check of the originals did not find its file. */
  isMissing: fc.boolean(),
  size: fc.integer({ min: 1, max: 9 }),
});
type Kind = typeof kind extends fc.Arbitrary<infer T> ? T : never;

type Item = Kind & { readonly id: string; readonly videoId: string | undefined };

async function build(me: TestUser, kinds: readonly Kind[]): Promise<Item[]> {
  const make = seed(database);
  const items: Item[] = [];
  for (const each of kinds) {
    const state = {
      ownerId: me.id,
      lockedAt: each.isLocked ? NOW : null,
      trashedAt: each.isTrashed ? NOW : null,
    };
    const videoId = each.isLive
      ? await make.asset({ ...state, type: 'VIDEO', visibility: 'hidden', fileSize: 100 })
      : undefined;
    const id = await make.asset({
      ...state,
      visibility: each.visibility as 'timeline' | 'archive',
      isFavorite: each.isFavorite,
      fileSize: each.size,
      liveVideoId: videoId ?? null,
    });
    if (each.isMissing) {
      await database.sql`update original set missing_at = now()
        where sha256 = (select sha256 from asset where id = ${id})`;
    }
    items.push({ ...each, id, videoId });
  }
  const members = items.filter((item) => item.inStack).map((item) => item.id);
  if (members.length > 1) {
    const stackId = await addStack(database, me.id, members[0]!);
    await database.sql`
      update asset set stack_id = ${stackId} where id = any(${members}) and stack_id is null`;
  }
  return items;
}

/** Everything that putting back must put back; when it was changed last is not. */
const facts = async (me: TestUser) => {
  const rows = await database.sql`
    select id, visibility, locked_at, trashed_at, is_favorite, is_stack_child, stack_id,
      live_video_id, file_size from asset where owner_id = ${me.id} order by id`;
  return new Map(rows.map((row) => [row['id'] as string, { ...row }]));
};

const post = async (path: string, who: Caller, body?: object) =>
  (await call(app, `POST ${path}` as 'POST /', { ...who, body })).body;

async function listTrash(who: Caller): Promise<{ ids: string[]; total: number }> {
  const ids: string[] = [];
  for (let page = 1; ; page++) {
    const path = `GET /trash/items?size=3&page=${page}` as const;
    const { body } = await call(app, path, who);
    ids.push(...body.items.map((item: { id: string }) => item.id));
    if (!body.hasNextPage) return { ids: ids.sort(), total: body.total };
  }
}

const sumBytes = (items: readonly Item[]) =>
  items.reduce((sum, item) => sum + item.size + (item.videoId ? 100 : 0), 0);

async function expectSame(who: Caller, wanted: readonly Item[]): Promise<void> {
  const ids = wanted.map((item) => item.id).sort();
  expect(await listTrash(who)).toEqual({ ids, total: ids.length });
  const summary = (await call(app, 'GET /trash/summary', who)).body;
  expect(summary).toMatchObject({ items: ids.length, sizeInBytes: sumBytes(wanted) });
  const statistics = (await call(app, 'GET /assets/statistics?isTrashed=true', who)).body;
  expect(statistics.total).toBe(ids.length);
  for (const action of ['restore-all', 'empty']) {
    const review = await post('/trash/review', who, { action });
    expect(review).toMatchObject({ count: ids.length, sizeInBytes: sumBytes(wanted) });
  }
  if (ids.length === 0) return;
  for (const action of ['restore', 'delete']) {
    const review = await post('/trash/review', who, { action, assetIds: ids });
    expect(review).toMatchObject({ count: ids.length, sizeInBytes: sumBytes(wanted) });
  }
}

const run = (
  check: (me: TestUser, who: Caller, items: Item[], unlocked: boolean) => Promise<void>,
) =>
  fc.assert(
    fc.asyncProperty(fc.array(kind, { maxLength: 9 }), fc.boolean(), async (kinds, unlocked) => {
      const me = await seed(database).user();
      if (unlocked) await unlock(database, me);
      await check(me, { session: me }, await build(me, kinds), unlocked);
    }),
    { numRuns: effort({ quick: 4, full: 25 }) },
  );

const inTrash = (items: readonly Item[], unlocked: boolean) =>
  items.filter((item) => item.isTrashed && (unlocked || !item.isLocked));

test('list, summary, statistics and review contain the same items', async () => {
  await run(async (_me, who, items, unlocked) => {
    await expectSame(who, inTrash(items, unlocked));
  });
}, 300_000);

test('restoring everything restores exactly the listed items to where they were', async () => {
  await run(async (me, who, items, unlocked) => {
    const listed = inTrash(items, unlocked);
    const before = await facts(me);
    expect(await post('/trash/restore', who)).toEqual({ count: listed.length });
    const after = await facts(me);
    const moved = new Set(listed.flatMap((item) => [item.id, item.videoId]));
    for (const [id, row] of before) {
      const now = after.get(id)!;
      expect(now['trashed_at']).toEqual(moved.has(id) ? null : row['trashed_at']);
      expect({ ...now, trashed_at: 0, is_stack_child: 0 }).toEqual({
        ...row,
        trashed_at: 0,
        is_stack_child: 0,
      });
    }
    await expectSame(who, []);
  });
}, 300_000);

test('emptying deletes exactly the listed items and enqueues the removal of every file', async () => {
  await run(async (me, who, items, unlocked) => {
    const listed = inTrash(items, unlocked);
    const before = await facts(me);
    expect(await post('/trash/empty', who)).toEqual({ count: listed.length });
    const gone = new Set(listed.flatMap((item) => [item.id, item.videoId]));
    const after = await facts(me);
    expect([...after.keys()]).toEqual([...before.keys()].filter((id) => !gone.has(id)));
    const [row] = await database.sql`
      select coalesce(sum(items), 0)::int as items,
        coalesce(sum(cardinality(hashes)), 0)::int as hashes
      from removed_file where owner_id = ${me.id}`;
    const files = [...before.keys()].filter((id) => gone.has(id)).length;
    expect({ ...row }).toEqual({ items: listed.length, hashes: files });
    await expectSame(who, []);
  });
}, 300_000);

test('trashing and restoring the same items leaves the counts unchanged', async () => {
  await run(async (me, who, items, unlocked) => {
    const named = items.filter((item) => !item.isTrashed && (unlocked || !item.isLocked));
    if (named.length === 0) return;
    // Stacks are as they are to be before anything happens to them.
    await database.sql`update stack set primary_id = primary_id where owner_id = ${me.id}`;
    await database.sql`update asset set visibility = visibility where owner_id = ${me.id}`;
    const before = await facts(me);
    const ids = named.map((item) => item.id);
    const { status } = await call(app, 'DELETE /assets', { ...who, body: { ids } });
    expect(status).toBe(204);
    const trashed = named.map((item) => ({ ...item, isTrashed: true }));
    await expectSame(who, [...inTrash(items, unlocked), ...trashed]);
    expect(await post('/trash/restore/assets', who, { ids })).toEqual({ count: ids.length });
    expect(await facts(me)).toEqual(before);
    await expectSame(who, inTrash(items, unlocked));
  });
}, 300_000);

test('locking and unlocking trashed items leaves the trash unchanged', async () => {
  await run(async (me, who, items) => {
    if (items.length === 0) return;
    await unlock(database, me);
    const before = await facts(me);
    const isLocked = new Set(items.filter((item) => item.isLocked).map((item) => item.id));
    const ids = items.map((item) => item.id).filter((id) => !isLocked.has(id));
    // One locked member locks its stack: only where none is, unlocking is the way back.
    if (ids.length === 0 || items.some((item) => item.inStack && item.isLocked)) return;
    await call(app, 'POST /assets/lock', { ...who, body: { ids } });
    for (const row of (await facts(me)).values()) expect(row['locked_at']).not.toBeNull();
    await expectSame(who, inTrash(items, true));
    await call(app, 'POST /assets/unlock', { ...who, body: { ids } });
    const after = await facts(me);
    for (const [id, row] of before) {
      expect({ ...after.get(id)!, is_stack_child: 0 }).toEqual({
        ...row,
        is_stack_child: 0,
      } as never);
    }
  });
}, 300_000);
