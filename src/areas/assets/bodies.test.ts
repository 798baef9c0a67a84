import { expect, test } from 'bun:test';
import { sql as query } from 'drizzle-orm';
import { useApp } from '../../../test/support/database.ts';
import { find, render, selectNames, show } from '../../../test/support/asset-bodies.ts';
import {
  createCtx,
  createSession,
  NOW,
  seed,
  send,
  testDatabase,
} from '../../../test/support/harness.ts';
import type { Ctx } from '../../core/context.ts';
import { queryRows } from '../../db/query.ts';
import { findAssetsById, toViewOptions, setMembers } from './domain.ts';
import { findViews } from './store.ts';
import { toAsset } from './view.ts';

const { database, app } = await useApp();

async function makeAsset(more: object = {}) {
  const owner = await seed(database).user();
  const id = await seed(database).asset({ ownerId: owner.id, ...more });
  return { owner, id, ctx: createCtx(database, createSession(owner.id)) };
}

test('what is known is not read again, and what has changed is', async () => {
  const { id, ctx } = await makeAsset();
  const before = await selectNames(ctx, [id]);
  const [first] = await find(ctx, before);
  const offline = { ...ctx, db: undefined as never };
  expect(await find(offline, before)).toEqual([first]);
  await database.sql`update asset_exif set description = 'new' where asset_id = ${id}`;
  const after = await selectNames(ctx, [id]);
  await expect(find(offline, after)).rejects.toThrow();
  expect(await find(ctx, after)).toEqual(await render(ctx, [id]));
});

test('a change between naming and reading is shown, and known under its own name', async () => {
  const { id, ctx } = await makeAsset();
  const before = await selectNames(ctx, [id]);
  await database.sql`update asset set is_favorite = true where id = ${id}`;
  const fresh = await render(ctx, [id]);
  expect(await find(ctx, before)).toEqual(fresh);
  const offline = { ...ctx, db: undefined as never };
  await expect(find(offline, before)).rejects.toThrow();
  expect(await find(offline, await selectNames(ctx, [id]))).toEqual(fresh);
});

test('what is deleted or locked between naming and reading is left out', async () => {
  const { owner, id, ctx } = await makeAsset();
  const [locked, other] = [
    await seed(database).asset({ ownerId: owner.id }),
    await seed(database).asset({ ownerId: owner.id }),
  ];
  const ids = [id, locked, other].toSorted();
  const names = await selectNames(ctx, ids);
  await database.sql`delete from asset where id = ${id}`;
  await database.sql`update asset set locked_at = now() where id = ${locked}`;
  const [shown] = await render(ctx, [other]);
  expect(await find(ctx, names)).toEqual(ids.map((one) => (one === other ? shown : undefined)));
});

test('a transaction sees each of its changes, and leaves nothing of them behind', async () => {
  const { id, ctx } = await makeAsset();
  await show(ctx, [id]);
  const describe = async (inside: Ctx, text: string) => {
    await queryRows(
      inside.db,
      query`update asset_exif set description = ${text} where asset_id = ${id}::uuid`,
    );
    const bodies = await show(inside, [id]);
    expect(JSON.parse(bodies[0]!).exifInfo.description).toBe(text);
    return bodies;
  };
  let names: string[] = [];
  await database.db.transaction(async (db) => {
    const inside = { ...ctx, db };
    await describe(inside, 'first');
    names = await selectNames(inside, [id]);
    await describe(inside, 'second');
    // One version for both: PostgreSQL tells the changes of a transaction apart by other means.
    expect(await selectNames(inside, [id])).toEqual(names);
  });
  expect(await selectNames(ctx, [id])).toEqual(names);
  expect(await show(ctx, [id])).toEqual(await render(ctx, [id]));

  const kept = await show(ctx, [id]);
  const undone = database.db.transaction(async (db) => {
    await describe({ ...ctx, db }, 'undone');
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await show(ctx, [id])).toEqual(kept);
});

test('frozen and rewritten rows show what they contain', async () => {
  const { id, ctx } = await makeAsset({ exif: { description: 'a' } });
  for (const statement of ['vacuum (freeze)', 'vacuum full']) {
    for (const table of ['asset', 'asset_exif']) await database.sql.unsafe(`${statement} ${table}`);
    expect(await show(ctx, [id])).toEqual(await render(ctx, [id]));
    await database.sql`update asset_exif set description = ${statement} where asset_id = ${id}`;
    expect(await show(ctx, [id])).toEqual(await render(ctx, [id]));
  }
});

test('a database that replaces another one does not show its assets', async () => {
  const [one, two] = [await testDatabase(), await testDatabase()];
  try {
    const id = crypto.randomUUID();
    const shown: string[] = [];
    for (const [at, place] of [one, two].entries()) {
      const owner = await seed(place).user();
      await seed(place).asset({ id, ownerId: owner.id, fileName: `${at}.jpg` });
      const [body] = await show(createCtx(place, createSession(owner.id)), [id]);
      shown.push(JSON.parse(body!).originalFileName);
    }
    expect(shown).toEqual(['0.jpg', '1.jpg']);
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
});

test('members are set as in an object, whatever the texts of the asset contain', async () => {
  const tricky = `a"people":[],"stack":null\\"people\\":[].jpg`;
  const { id, ctx } = await makeAsset({ fileName: tricky, exif: { description: tricky } });
  const people = [{ id, name: '$& $1', birthDate: null, isHidden: false, thumbnailPath: '' }];
  const stack = { id, primaryAssetId: id, assetCount: 2 };
  const [body] = await show(ctx, [id]);
  const [view] = await findViews(ctx, [id]);
  const asset = toAsset(view!, toViewOptions(ctx.session, true));
  for (const members of [{}, { people }, { stack }, { people, stack }, { people: [] }]) {
    expect(setMembers(body!, members)).toBe(JSON.stringify({ ...asset, ...members }));
  }
  const bare = toAsset(view!, { viewerId: undefined, withExif: true, showMetadata: false });
  const text = JSON.stringify(bare);
  expect(setMembers(text, { people: [] })).toBe(JSON.stringify({ ...bare, people: [] }));
});

test('people and stacks are in the listing where they are asked for', async () => {
  const { owner, id, ctx } = await makeAsset({ takenAt: NOW });
  const [whole] = (await findAssetsById(ctx, [id])).values();
  for (const [body, members] of [
    [{ withPeople: true }, { people: whole!.people }],
    [{ withStacked: true }, { stack: whole!.stack }],
  ] as const) {
    const reply = await send(app, 'POST /search/metadata', { as: owner, body });
    const [plain] = await find(ctx, await selectNames(ctx, [id], false), false);
    expect((await reply.json()).assets.items).toEqual([{ ...JSON.parse(plain!), ...members }]);
  }
});
