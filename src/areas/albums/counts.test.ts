import { expect, test } from 'bun:test';
import { deleteAllForGood, deleteForGood } from '../../../test/support/deletion.ts';
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
  type Viewer,
} from '../../../test/support/album-counts.ts';
import { createSession, seed } from '../../../test/support/harness.ts';
import { silentLog } from '../../core/log.ts';
import { getAlbumCards } from './cards.store.ts';
import { handleFoldAlbumCounts } from './handlers.ts';
import { countByContributor, findUnfoldedAlbums, summarize } from './counts.store.ts';
import {
  addAssets,
  createAlbum,
  deleteAlbum,
  getAlbum,
  removeAssets,
  updateAlbum,
} from './domain.ts';
import { shareAlbum } from './members.domain.ts';

const database = await useDatabase();

async function addAlbum(owner: Viewer, days: readonly string[]) {
  const ids: string[] = [];
  for (const localTakenAt of days) {
    ids.push(await seed(database).asset({ ownerId: owner.id, localTakenAt }));
  }
  const { id } = await createAlbum(owner.ctx, { albumName: 'A', assetIds: ids });
  return { id, ids };
}

test('reads the items of an album only after its first or last was removed, until the counts are folded', async () => {
  const me = await addViewer(database);
  const { id, ids } = await addAlbum(me, [...DAYS, '2022-01-01 00:00:00']);
  const [first, second, , last] = ids as [string, string, string, string];
  const change = (assetId: string, set: string) =>
    database.sql.unsafe(`update asset set updated_at = clock_timestamp(), ${set} where id = $1`, [
      assetId,
    ]);
  const after = async (assetId: string, set: string) => {
    await change(assetId, set);
    return isInDoubt(database, id);
  };
  expect(await isInDoubt(database, id)).toBe(false);
  expect(await after(first, 'is_favorite = true')).toBe(false);
  expect(await after(last, `visibility = 'archive'`)).toBe(false);
  expect(await after(second, `local_taken_at = '2021-01-01 00:00:00'`)).toBe(false);
  await change(last, 'is_favorite = true');
  await removeAssets(me.ctx, id, [second]);
  expect(await isInDoubt(database, id)).toBe(false);
  expect(await after(last, 'trashed_at = now()')).toBe(true);
  expect((await getAlbum(me.ctx, id)).endDate).toBe('2021-06-07T08:09:10.123Z');
  await fold(database, [id]);
  expect(await isInDoubt(database, id)).toBe(false);
  // One for each month that is left.
  expect(await countRows(database, id)).toBe(2);
  expect((await getAlbum(me.ctx, id)).endDate).toBe('2021-06-07T08:09:10.123Z');
  expect(await after(last, 'trashed_at = null')).toBe(false);
  expect((await getAlbum(me.ctx, id)).endDate).toBe('2022-01-01T00:00:00.000Z');
});

test('counts each item once while it is added, trashed, removed and deleted concurrently', async () => {
  const me = await addViewer(database);
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
      n % 7 === 0 && fold(database, [id, other.id]),
    ]);
    await Promise.all([
      n % 6 === 0 && trash('null'),
      n % 4 === 0 && removeAssets(me.ctx, id, [assetId]),
      n % 5 === 0 && deleteForGood(database, [assetId]),
      n % 9 === 0 && fold(database, [id, other.id]),
    ]);
  }
  const ids = [id, other.id];
  expect(await readCounts(me, ids)).toEqual(await recount(database, ids));
  expect(await listMonths(me, ids)).toEqual(await recountMonths(database, ids));
}, 300_000);

test('deleting an album while its items are locked does not deadlock', async () => {
  const me = await addViewer(database);
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
  await fold(database, orphans);
  const left = await database.sql`
    select 1 from album_count where not exists (select from album where album.id = album_id)`;
  expect(left.length).toBe(0);
}, 300_000);

test("counts of an album leave out what the viewer's rules match, for that viewer only", async () => {
  const [me, friend] = [await addViewer(database), await addViewer(database)];
  const { id, ids } = await addAlbum(me, DAYS);
  await shareAlbum(me.ctx, id, { albumUsers: [{ userId: friend.id }] } as never);
  const rules = { contentRules: [{ kind: 'date', targetId: null, date: '06-07' }] } as never;
  const session = createSession(friend.id, rules);
  const read = async (viewer: Viewer['session']) =>
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
  const [me, friend] = [await addViewer(database), await addViewer(database)];
  const mine = await addAlbum(me, DAYS.slice(0, 1));
  const theirs = await addAlbum(friend, DAYS);
  await shareAlbum(me.ctx, mine.id, { albumUsers: [{ userId: friend.id }] } as never);
  await addAssets(friend.ctx, mine.id, theirs.ids);
  expect((await getAlbum(me.ctx, mine.id)).assetCount).toBe(4);
  await deleteAllForGood(database, friend.id);
  await database.sql`delete from app_user where id = ${friend.id}`;
  expect(await readCounts(me, [mine.id])).toEqual(await recount(database, [mine.id]));
  expect((await getAlbum(me.ctx, mine.id)).assetCount).toBe(1);
  expect(await countRows(database, theirs.id)).toBe(0);
});

test('only albums with many delta rows are folded, and only while nobody else folds', async () => {
  const me = await addViewer(database);
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
  const before = await readCounts(me, [id, few.id]);
  await database.sql.begin(async (other) => {
    await other`select pg_advisory_xact_lock(hashtext('album_count'))`;
    await database.db.transaction((tx) => effect!(tx));
    expect(await countRows(database, id)).toBe(20);
  });
  await database.db.transaction((tx) => effect!(tx));
  expect([await countRows(database, id), await countRows(database, goneId)]).toEqual([1, 0]);
  expect(await readCounts(me, [id, few.id])).toEqual(before);
  expect(await handleFoldAlbumCounts(jobCtx, {})).toBeUndefined();
});
