import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { useDatabase } from '../../../test/support/database.ts';
import { createCtx, seed, createSession } from '../../../test/support/harness.ts';
import {
  addAsset,
  compareWithRecount,
  createLabelledLibrary,
  DAYS,
  fold,
  LABELS,
  listMisplacedLinks,
  takenAt,
} from '../../../test/support/labelled-library.ts';
import { addFace, addPerson } from '../../../test/support/people.ts';
import { queryRows } from '../../db/query.ts';
import { inTransaction } from '../../db/transaction.ts';
import { addAssets } from '../albums/domain.ts';
import { findUnfoldedMonths, foldMonths } from '../assets/counts/counts.store.ts';
import { tagAssets, untagAssets, upsertTags } from '../tags/domain.ts';
import { listBuckets } from './domain.ts';

const database = await useDatabase();

test('tags, people, album members and dates update the months immediately', async () => {
  const home = await createLabelledLibrary(database);
  const { ctx, id: ownerId, albumId } = home;
  const [tag] = await upsertTags(ctx, ['a']);
  for (let n = 0; n < 20; n++) {
    const assetId = await addAsset(database, ownerId, n);
    const nobody = await addFace(database, { ownerId, assetId });
    const redate = (day: string) =>
      inTransaction(ctx, ({ db }) =>
        queryRows(
          db,
          sql`update asset set local_taken_at = ${day}::timestamp,
          taken_at = ${day}::timestamp at time zone 'utc' where id = ${assetId}`,
        ),
      );
    const name = (personId: string) =>
      inTransaction(ctx, ({ db }) =>
        queryRows(db, sql`update face set person_id = ${personId} where id = ${nobody.id}`),
      );
    await Promise.all([
      redate(DAYS[(n + 1) % 3]!),
      tagAssets(ctx, tag!.id, [assetId]),
      addAssets(ctx, albumId, [assetId]),
      addFace(database, { ownerId, assetId, personId: home.people[0]! }),
      name(home.people[1]!),
    ]);
    await Promise.all([redate(DAYS[(n + 2) % 3]!), name(home.people[0]!)]);
  }
  expect(await listMisplacedLinks(database)).toHaveLength(0);
  for (const label of LABELS) await compareWithRecount(home, label, 'library');
});

test('a counted month is not recounted before something in it changes', async () => {
  const home = await createLabelledLibrary(database);
  const [tag] = await upsertTags(home.ctx, ['a']);
  await tagAssets(home.ctx, tag!.id, home.assets);
  const counted: string[] = [];
  const watched = database.deps.db.execute.bind(database.deps.db);
  const ctx = {
    ...home.ctx,
    db: new Proxy(database.deps.db, {
      get: (db, name) =>
        name === 'execute'
          ? (query: Parameters<typeof watched>[0]) => {
              counted.push('again');
              return watched(query);
            }
          : Reflect.get(db, name),
    }),
  };
  const read = async () => {
    counted.length = 0;
    const buckets = await listBuckets(ctx, { tagId: tag!.id });
    return [buckets.map((bucket) => bucket.count), counted.length];
  };
  expect(await read()).toEqual([[2, 2, 2], 1]);
  expect(await read()).toEqual([[2, 2, 2], 0]);
  await fold(home);
  expect(await read()).toEqual([[2, 2, 2], 0]);
  await untagAssets(home.ctx, tag!.id, [home.assets[0]!]);
  expect(await read()).toEqual([[2, 2, 1], 1]);
  // Nobody else reads what was counted for this caller.
  const stranger = createCtx(database, createSession((await seed(database).user()).id));
  expect(await listBuckets(stranger, { tagId: tag!.id })).toEqual([]);
  expect(await listBuckets(stranger, { personId: home.people[0]! })).toEqual([]);
});

test('many changed months are recounted together, the others are not', async () => {
  const { id: ownerId } = await seed(database).user();
  const ctx = createCtx(database, createSession(ownerId));
  const days = Array.from({ length: 12 }, (_, n) => `2020-${String(n + 1).padStart(2, '0')}-05`);
  const ids: string[] = [];
  for (const day of [...days, ...days]) {
    ids.push(await seed(database).asset({ ownerId, ...takenAt(`${day}T00:00:00`) }));
  }
  const person = await addPerson(database, { ownerId });
  for (const assetId of ids) await addFace(database, { ownerId, assetId, personId: person.id });
  const [tag] = await upsertTags(ctx, ['a']);
  await tagAssets(ctx, tag!.id, ids);
  const read = async () => {
    const found: number[][] = [];
    for (const filter of [{ tagId: tag!.id }, { personId: person.id }]) {
      found.push((await listBuckets(ctx, { ...filter, order: 'asc' })).map(({ count }) => count));
    }
    expect(found[0]).toEqual(found[1]!);
    return found[0]!;
  };
  expect(await read()).toEqual(days.map(() => 2));
  await database.sql`update asset set trashed_at = now() where id = any(${ids.slice(0, 10)}::uuid[])`;
  expect(await read()).toEqual([...days.slice(0, 10).map(() => 1), 2, 2]);
});

test('many changes leave delta rows that are folded', async () => {
  const home = await createLabelledLibrary(database);
  const [tag] = await upsertTags(home.ctx, ['a']);
  for (let n = 0; n < 40; n++) {
    const change = n % 2 === 0 ? tagAssets : untagAssets;
    await change(home.ctx, tag!.id, home.assets);
  }
  const mine = (await findUnfoldedMonths(database.db)).filter((row) => row.owner_id === home.id);
  expect(mine).toHaveLength(3);
  await tagAssets(home.ctx, tag!.id, home.assets);
  await compareWithRecount(home, 'tag a', 'library');
  await database.db.transaction((tx) => foldMonths(tx, mine));
  await compareWithRecount(home, 'tag a', 'library');
  const [row] = await database.sql`
    select count(*)::int as rows from asset_count where owner_id = ${home.id}`;
  expect(row!['rows']).toBe(3);
});
