import { expect, test } from 'bun:test';
import { deleteAllForGood, deleteForGood } from '../../../test/support/deletion.ts';
import fc from 'fast-check';
import { effort } from '../../../test/support/effort.ts';
import { useDatabase } from '../../../test/support/database.ts';
import {
  addViewer,
  countRows,
  DAYS,
  fold,
  isInDoubt,
  listMonths,
  readCounts,
  recount,
  recountMonths,
} from '../../../test/support/album-counts.ts';
import { seed } from '../../../test/support/harness.ts';
import { addAssets, createAlbum, deleteAlbum, removeAssets, updateAlbum } from './domain.ts';
import { shareAlbum } from './members.domain.ts';

const database = await useDatabase();

const ASSETS = 6;
const ALBUMS = 3;

const CHANGES = {
  lock: 'locked_at = case when locked_at is null then now() end',
  trash: 'trashed_at = case when trashed_at is null then now() end',
  archive: `visibility = case visibility when 'timeline' then 'archive' else 'timeline' end`,
  hide: `visibility = case visibility when 'timeline' then 'hidden' else 'timeline' end`,
  favorite: 'is_favorite = not is_favorite, updated_at = clock_timestamp()',
  backdate: `updated_at = updated_at - interval '1 day'`,
  earlier: `local_taken_at = '${DAYS[0]}'`,
  later: `local_taken_at = '${DAYS[2]}', updated_at = clock_timestamp()`,
  // Two columns change at once, and some rows back and forth in one statement.
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
  const me = await addViewer(database);
  const world = { me, friend: me, albums: [] as string[], assets: [] as string[] };
  const addAsset = (n: number) =>
    seed(database).asset({
      ownerId: n < ASSETS / 2 ? me.id : world.friend.id,
      localTakenAt: DAYS[n % DAYS.length]!,
    });
  const share = (id: string) =>
    shareAlbum(me.ctx, id, { albumUsers: [{ userId: world.friend.id }] } as never);
  const fill = async () => {
    world.friend = await addViewer(database);
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
    await deleteForGood(database, chosen);
    for (const n of numbers) world.assets[n] = await home.addAsset(n);
  }
  if (item.kind === 'deleteAlbum') {
    await deleteAlbum(me.ctx, id);
    expect(await countRows(database, id)).toBe(0);
    await home.addAlbum(item.album);
  }
  if (item.kind === 'deleteFriend') {
    await deleteAllForGood(database, friend.id);
    await database.sql`delete from app_user where id = ${friend.id}`;
    await home.fill();
    for (const albumId of world.albums) await home.share(albumId);
  }
  if (item.kind === 'fold') await fold(database, world.albums);
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
        const truth = await recount(database, albums);
        expect(await readCounts(me, albums)).toEqual(truth);
        expect(await readCounts(friend, albums)).toEqual(truth);
        expect(await listMonths(friend, albums)).toEqual(
          (await recountMonths(database, albums)) as never,
        );
        for (const { assetCount } of truth) largest = Math.max(largest, assetCount);
        for (const id of albums) doubts += (await isInDoubt(database, id)) ? 1 : 0;
      }
    }),
    { numRuns: effort({ quick: 3, full: 20 }) },
  );
  // Not of nothing but empty albums, and some of them had to be read.
  // Few runs may not come that far.
  expect(largest).toBeGreaterThan(effort({ quick: 0, full: 3 }));
  expect(doubts).toBeGreaterThanOrEqual(effort({ quick: 0, full: 1 }));
}, 300_000);
