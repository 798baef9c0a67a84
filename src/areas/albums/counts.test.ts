import { afterAll, beforeAll, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  createCtx,
  seed,
  createSession,
  type TestDatabase,
  testDatabase,
} from '../../../test/support/harness.ts';
import { silentLog } from '../../core/log.ts';
import { getBucket, listBuckets } from '../timeline/domain.ts';
import { getAlbumCards } from './cards.store.ts';
import { handleFoldAlbumCounts } from './counts.handlers.ts';
import { countByContributor, findUnfoldedAlbums, foldAlbums, summarize } from './counts.store.ts';
import {
  addAssets,
  createAlbum,
  deleteAlbum,
  getAlbum,
  removeAssets,
  updateAlbum,
} from './domain.ts';
import { shareAlbum } from './members.domain.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

async function person() {
  const { id } = await seed(database).user();
  const session = createSession(id, { unlocked: true });
  return { id, session, ctx: createCtx(database, session) };
}
type Person = Awaited<ReturnType<typeof person>>;

/** Reads every member of every album. */
const recounted = async (ids: readonly string[]) =>
  [
    ...(await database.sql`
      select album.id as "albumId", album.name, shown.*,
        (select json_object_agg(owner_id, assets) from (
          select asset.owner_id, count(*) as assets
          from album_asset join asset on asset.id = asset_id where album_id = album.id
            and visibility in ('timeline', 'archive') and locked_at is null and trashed_at is null
          group by 1) by_owner) as contributors
      from album cross join lateral (
        select count(*)::int as "assetCount", min(local_taken_at)::text as start,
          max(local_taken_at)::text as end, max(asset.updated_at) as modified,
          (array_agg(asset.id order by asset.id = album.cover_id desc nulls last,
            local_taken_at desc, asset.id desc))[1] as "coverId"
        from album_asset join asset on asset.id = asset_id where album_id = album.id
          and visibility in ('timeline', 'archive') and locked_at is null and trashed_at is null) shown
      where album.id = any(${ids as string[]}::uuid[]) order by album.id`),
  ].map((row) => ({ ...row, modified: row['modified'] && new Date(row['modified']) }) as any);

const summarized = async ({ session }: Person, ids: readonly string[]) => {
  const rows = [...(await summarize(database.db, session, ids)).values()];
  const contributors = async (id: string) => {
    const counts = await countByContributor(database.db, session, id);
    return counts.length === 0
      ? null
      : Object.fromEntries(counts.map(({ userId, assetCount }) => [userId, assetCount]));
  };
  return Promise.all(
    rows
      .toSorted((a, b) => (a.albumId < b.albumId ? -1 : 1))
      .map(async (row) => ({
        ...row,
        modified: row.modified && new Date(row.modified),
        contributors: await contributors(row.albumId),
      })),
  );
};

/** By what is kept, and by the index of the members that a page of a month reads. */
const listMonths = async ({ ctx }: Person, ids: readonly string[]) =>
  Promise.all(
    ids.map(async (albumId) => {
      const buckets = await listBuckets(ctx, { albumId });
      return Promise.all(
        buckets.map(async ({ timeBucket, count }) => {
          const { bytes } = await getBucket(ctx, { albumId }, timeBucket, () => false);
          const { id } = JSON.parse(new TextDecoder().decode(bytes)) as { id: string[] };
          return [timeBucket, count, id];
        }),
      );
    }),
  );

const recountedMonths = async (ids: readonly string[]) => {
  const rows = await database.sql`
    select album_id as "albumId", date_trunc('month', local_taken_at)::date::text as month,
      count(*)::int as count, json_agg(asset.id order by local_taken_at desc, asset.id desc) as items
    from album_asset join asset on asset.id = asset_id
    where album_id = any(${ids as string[]}::uuid[])
      and visibility in ('timeline', 'archive') and locked_at is null and trashed_at is null
    group by 1, 2 order by 2 desc`;
  const of = (id: string) => rows.filter((row) => row['albumId'] === id);
  return ids.map((id) => of(id).map((row) => [row['month'], row['count'], row['items']]));
};

const isInDoubt = async (albumId: string) =>
  (await database.sql`select is_in_doubt from album_sum where album_id = ${albumId}`)[0]?.[
    'is_in_doubt'
  ];
const listCountRows = async (albumId: string) =>
  (await database.sql`select 1 from album_count where album_id = ${albumId}`).length;
const fold = (ids: readonly string[]) => database.db.transaction((tx) => foldAlbums(tx, ids));

const ASSETS = 6;
const ALBUMS = 3;
// Few days, so that items share them.
const DAYS = ['2019-05-05 10:00:00', '2020-01-01 00:00:00', '2021-06-07 08:09:10.123'];

const CHANGES = {
  lock: 'locked_at = case when locked_at is null then now() end',
  trash: 'trashed_at = case when trashed_at is null then now() end',
  archive: `visibility = case visibility when 'timeline' then 'archive' else 'timeline' end`,
  hide: `visibility = case visibility when 'timeline' then 'hidden' else 'timeline' end`,
  favorite: 'is_favorite = not is_favorite, updated_at = clock_timestamp()',
  backdate: `updated_at = updated_at - interval '1 day'`,
  earlier: `local_taken_at = '${DAYS[0]}'`,
  later: `local_taken_at = '${DAYS[2]}', updated_at = clock_timestamp()`,
  // Of two columns at once, and of some rows back and forth in one statement.
  both: `local_taken_at = '${DAYS[1]}', trashed_at = case when trashed_at is null then now() end`,
} as const;

const some = fc.array(fc.nat({ max: ASSETS - 1 }), { minLength: 1, maxLength: ASSETS });
const album = fc.nat({ max: ALBUMS - 1 });
const isFriend = fc.boolean();
const kind = <K extends string>(name: K) => fc.constant(name);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind('add'), album, some, isFriend }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('remove'), album, some, isFriend }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: kind('change'),
      some,
      change: fc.constantFrom(...(Object.keys(CHANGES) as (keyof typeof CHANGES)[])),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: kind('cover'), album, some }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('delete'), some }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('deleteAlbum'), album }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('deleteFriend') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('fold') }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** An album that shows every item, so that there is something to take away. */
const FULL: readonly Step[] = [false, true].map((isFriend) => ({
  kind: 'add',
  album: 0,
  some: Array.from({ length: ASSETS }, (_, n) => n),
  isFriend,
}));

/** Two accounts with albums of the first that the second may fill. */
async function household() {
  const me = await person();
  const world = { me, friend: me, albums: [] as string[], assets: [] as string[] };
  const addAsset = (n: number) =>
    seed(database).asset({
      ownerId: n < ASSETS / 2 ? me.id : world.friend.id,
      localTakenAt: DAYS[n % DAYS.length]!,
    });
  const share = (id: string) =>
    shareAlbum(me.ctx, id, { albumUsers: [{ userId: world.friend.id }] } as never);
  const fill = async () => {
    world.friend = await person();
    for (let n = 0; n < ASSETS; n++) {
      if (n >= ASSETS / 2 || !world.assets[n]) world.assets[n] = await addAsset(n);
    }
  };
  const addAlbum = async (n: number) => {
    const { id } = await createAlbum(me.ctx, { albumName: `Album ${n}` });
    world.albums[n] = id;
    await share(id);
  };
  await fill();
  for (let n = 0; n < ALBUMS; n++) await addAlbum(n);
  return { world, addAsset, addAlbum, fill, share };
}
type Household = Awaited<ReturnType<typeof household>>;

async function take(home: Household, item: Step): Promise<void> {
  const { world } = home;
  const { me, friend } = world;
  const numbers = 'some' in item ? [...new Set(item.some)] : [];
  const chosen = numbers.map((n) => world.assets[n]!);
  const id = 'album' in item ? world.albums[item.album]! : '';
  if (item.kind === 'add') await addAssets((item.isFriend ? friend : me).ctx, id, chosen);
  if (item.kind === 'remove') await removeAssets((item.isFriend ? friend : me).ctx, id, chosen);
  if (item.kind === 'change') {
    const statement = `update asset set ${CHANGES[item.change]} where id = any($1::uuid[])`;
    await database.sql.unsafe(statement, [chosen]);
  }
  if (item.kind === 'cover') {
    // An asset that the album does not show is refused as its cover.
    await updateAlbum(me.ctx, id, { albumThumbnailAssetId: chosen[0]! }).catch(() => {});
  }
  if (item.kind === 'delete') {
    await database.sql`delete from asset where id = any(${chosen}::uuid[])`;
    for (const n of numbers) world.assets[n] = await home.addAsset(n);
  }
  if (item.kind === 'deleteAlbum') {
    await deleteAlbum(me.ctx, id);
    expect(await listCountRows(id)).toBe(0);
    await home.addAlbum(item.album);
  }
  if (item.kind === 'deleteFriend') {
    await database.sql`delete from app_user where id = ${friend.id}`;
    await home.fill();
    for (const albumId of world.albums) await home.share(albumId);
  }
  if (item.kind === 'fold') await fold(world.albums);
}

test('album counts equal a recount after any sequence of changes to items, albums and accounts', async () => {
  let largest = 0;
  let doubts = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const home = await household();
      for (const item of [...FULL, ...steps]) {
        await take(home, item);
        const { me, friend, albums } = home.world;
        const truth = await recounted(albums);
        expect(await summarized(me, albums)).toEqual(truth);
        expect(await summarized(friend, albums)).toEqual(truth);
        expect(await listMonths(friend, albums)).toEqual((await recountedMonths(albums)) as never);
        for (const { assetCount } of truth) largest = Math.max(largest, assetCount);
        for (const id of albums) doubts += (await isInDoubt(id)) ? 1 : 0;
      }
    }),
    { numRuns: 20 },
  );
  // Not of nothing but empty albums, and some of them had to be read.
  expect(largest).toBeGreaterThan(3);
  expect(doubts).toBeGreaterThan(0);
}, 240_000);

async function addAlbum(owner: Person, days: readonly string[]) {
  const ids: string[] = [];
  for (const localTakenAt of days) {
    ids.push(await seed(database).asset({ ownerId: owner.id, localTakenAt }));
  }
  const { id } = await createAlbum(owner.ctx, { albumName: 'A', assetIds: ids });
  return { id, ids };
}

test('reads the items of an album only after its first or last was removed, until the counts are folded', async () => {
  const me = await person();
  const { id, ids } = await addAlbum(me, [...DAYS, '2022-01-01 00:00:00']);
  const [first, second, , last] = ids as [string, string, string, string];
  const change = (assetId: string, set: string) =>
    database.sql.unsafe(`update asset set updated_at = clock_timestamp(), ${set} where id = $1`, [
      assetId,
    ]);
  const after = async (assetId: string, set: string) => {
    await change(assetId, set);
    return isInDoubt(id);
  };
  expect(await isInDoubt(id)).toBe(false);
  expect(await after(first, 'is_favorite = true')).toBe(false);
  expect(await after(last, `visibility = 'archive'`)).toBe(false);
  expect(await after(second, `local_taken_at = '2021-01-01 00:00:00'`)).toBe(false);
  await change(last, 'is_favorite = true');
  await removeAssets(me.ctx, id, [second]);
  expect(await isInDoubt(id)).toBe(false);
  expect(await after(last, 'trashed_at = now()')).toBe(true);
  expect((await getAlbum(me.ctx, id)).endDate).toBe('2021-06-07T08:09:10.123Z');
  await fold([id]);
  expect(await isInDoubt(id)).toBe(false);
  // One for each month that is left.
  expect(await listCountRows(id)).toBe(2);
  expect((await getAlbum(me.ctx, id)).endDate).toBe('2021-06-07T08:09:10.123Z');
  expect(await after(last, 'trashed_at = null')).toBe(false);
  expect((await getAlbum(me.ctx, id)).endDate).toBe('2022-01-01T00:00:00.000Z');
});

test('counts each item once while it is added, trashed, removed and deleted concurrently', async () => {
  const me = await person();
  const { id } = await createAlbum(me.ctx, { albumName: 'A' });
  const other = await createAlbum(me.ctx, { albumName: 'B' });
  for (let n = 0; n < 60; n++) {
    const assetId = await seed(database).asset({ ownerId: me.id, localTakenAt: DAYS[n % 3]! });
    const trash = (at: string) =>
      database.sql.unsafe(`update asset set trashed_at = ${at} where id = $1`, [assetId]);
    await Promise.all([
      addAssets(me.ctx, id, [assetId]),
      addAssets(me.ctx, other.id, [assetId]),
      n % 3 === 0 && trash('now()'),
      n % 7 === 0 && fold([id, other.id]),
    ]);
    await Promise.all([
      n % 6 === 0 && trash('null'),
      n % 4 === 0 && removeAssets(me.ctx, id, [assetId]),
      n % 5 === 0 && database.sql`delete from asset where id = ${assetId}`,
      n % 9 === 0 && fold([id, other.id]),
    ]);
  }
  const ids = [id, other.id];
  expect(await summarized(me, ids)).toEqual(await recounted(ids));
  expect(await listMonths(me, ids)).toEqual(await recountedMonths(ids));
}, 60_000);

test('deleting an album while its items are locked does not deadlock', async () => {
  const me = await person();
  for (let n = 0; n < 15; n++) {
    const { id, ids } = await addAlbum(me, DAYS);
    await Promise.all([
      deleteAlbum(me.ctx, id),
      // As everybody who changes more than one: held in the order of their ids.
      database.sql`
        with held as materialized (
          select id from asset where id = any(${ids}::uuid[]) order by id for no key update)
        update asset set locked_at = now() from held where asset.id = held.id`,
      removeAssets(me.ctx, id, ids).catch(() => {}),
    ]);
  }
  const orphans = await findUnfoldedAlbums(database.db);
  await fold(orphans);
  const left = await database.sql`
    select 1 from album_count where not exists (select from album where album.id = album_id)`;
  expect(left.length).toBe(0);
}, 60_000);

test("counts of an album leave out what the viewer's rules match, for that viewer only", async () => {
  const [me, friend] = [await person(), await person()];
  const { id, ids } = await addAlbum(me, DAYS);
  await shareAlbum(me.ctx, id, { albumUsers: [{ userId: friend.id }] } as never);
  const rules = { contentRules: [{ kind: 'date', targetId: null, date: '06-07' }] } as never;
  const session = createSession(friend.id, rules);
  const read = async (viewer: Person['session']) =>
    (await summarize(database.db, viewer, [id])).get(id);
  expect(await read(session)).toMatchObject({
    assetCount: 2,
    end: '2020-01-01 00:00:00',
    coverId: ids[1]!,
  });
  expect(await countByContributor(database.db, session, id)).toEqual([
    { userId: me.id, assetCount: 2 },
  ]);
  expect(await read(me.session)).toMatchObject({ assetCount: 3, coverId: ids[2]! });
  // The newest one is chosen and left out all the same.
  await updateAlbum(me.ctx, id, { albumThumbnailAssetId: ids[2]! });
  expect(await read(session)).toMatchObject({ assetCount: 2, coverId: ids[1]! });
  expect((await getAlbumCards(database.db, session, [id])).get(id)).toEqual({
    title: 'A',
    count: 2,
    coverAssetId: ids[1]!,
  });
});

test('removing an account deletes its albums, and its items from albums of others', async () => {
  const [me, friend] = [await person(), await person()];
  const mine = await addAlbum(me, DAYS.slice(0, 1));
  const theirs = await addAlbum(friend, DAYS);
  await shareAlbum(me.ctx, mine.id, { albumUsers: [{ userId: friend.id }] } as never);
  await addAssets(friend.ctx, mine.id, theirs.ids);
  expect((await getAlbum(me.ctx, mine.id)).assetCount).toBe(4);
  await database.sql`delete from app_user where id = ${friend.id}`;
  expect(await summarized(me, [mine.id])).toEqual(await recounted([mine.id]));
  expect((await getAlbum(me.ctx, mine.id)).assetCount).toBe(1);
  expect(await listCountRows(theirs.id)).toBe(0);
});

test('only albums with many delta rows are folded, and only while nobody else folds', async () => {
  const me = await person();
  const few = await addAlbum(me, DAYS);
  const { id } = await createAlbum(me.ctx, { albumName: 'many' });
  for (let n = 0; n < 20; n++) {
    await addAssets(me.ctx, id, [await seed(database).asset({ ownerId: me.id })]);
  }
  await database.sql`delete from album_count where album_id <> all(${[id, few.id]}::uuid[])`;
  expect(await findUnfoldedAlbums(database.db)).toEqual([id]);
  // Counts of an asset that was added while its album was being deleted.
  const goneId = crypto.randomUUID();
  await database.sql`
    insert into album_count (album_id, owner_id, local_month, assets)
    values (${goneId}, ${me.id}, '2020-01-01', 1)`;
  expect((await findUnfoldedAlbums(database.db)).toSorted()).toEqual([goneId, id].toSorted());

  const jobCtx = {
    ...database.deps,
    log: silentLog,
    signal: new AbortController().signal,
    isLastAttempt: true,
    onFailed: () => {},
    restartTimeLimit: () => {},
  };
  const effect = await handleFoldAlbumCounts(jobCtx, {});
  const before = await summarized(me, [id, few.id]);
  await database.sql.begin(async (other) => {
    await other`select pg_advisory_xact_lock(hashtext('album_count'))`;
    await database.db.transaction((tx) => effect!(tx));
    expect(await listCountRows(id)).toBe(20);
  });
  await database.db.transaction((tx) => effect!(tx));
  expect([await listCountRows(id), await listCountRows(goneId)]).toEqual([1, 0]);
  expect(await summarized(me, [id, few.id])).toEqual(before);
  expect(await handleFoldAlbumCounts(jobCtx, {})).toBeUndefined();
});
