import { expect, setDefaultTimeout, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { seed, type TestUser } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { type Copy, emptyCopy, syncAll, syncOnce } from '../../../test/sync/client.ts';
import { connect, waitForWatermark } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const { database, app } = await useApp();

/** A stack of three, the first on top, and copies of the owner's and of a partner's. */
async function stackOfThree() {
  const { sql } = database;
  const [me, friend] = [await seed(database).user(), await seed(database).user()];
  await sql`insert into partner (sharer_id, viewer_id) values (${me.id}, ${friend.id})`;
  const ids: string[] = [];
  for (let day = 1; day <= 3; day++) {
    const takenAt = new Date(Date.UTC(2024, 0, day));
    ids.push(await seed(database).asset({ ownerId: me.id, takenAt }));
  }
  const [top, second, third] = ids as [string, string, string];
  const [stack] = await sql`
    insert into stack (owner_id, primary_id) values (${me.id}, ${top}) returning id`;
  await sql`update asset set stack_id = ${stack!['id']} where owner_id = ${me.id}`;
  const copies = new Map<TestUser, Copy>([
    [me, emptyCopy()],
    [friend, emptyCopy()],
  ]);
  const stackId: string = stack!['id'];
  /** Returns the primary of the stack in each copy after a stream; undefined without a stack. */
  const tops = async () => {
    await waitForWatermark(database);
    const found: (string | undefined)[] = [];
    for (const [user, copy] of copies) {
      await syncAll(connect(app, user), copy);
      await expectCopy(database, copy, { id: user.id });
      found.push(copy.stacks.get(stackId)?.['primaryAssetId']);
    }
    return found;
  };
  const set = (change: string, assetIds: readonly string[]) =>
    sql.unsafe(`update asset set ${change} where id = any($1)`, [[...assetIds]]);
  return { me, copies, stackId, tops, set, members: [top, second, third] as const };
}

test('the next member is the primary while the chosen one is trashed, locked or archived', async () => {
  const { tops, set, members } = await stackOfThree();
  const [top, second, third] = members;
  expect(await tops()).toEqual([top, top]);
  for (const [away, back] of [
    ['trashed_at = now()', 'trashed_at = null'],
    ['locked_at = now()', 'locked_at = null'],
    [`visibility = 'archive'`, `visibility = 'timeline'`],
  ] as const) {
    await set(away, [top]);
    expect(await tops()).toEqual([second, second]);
    await set(away, [second]);
    expect(await tops()).toEqual([third, third]);
    await set(back, [top, second]);
    expect(await tops()).toEqual([top, top]);
  }
});

test('a partner gets a stack while any member is on the Timeline', async () => {
  const { tops, set, members } = await stackOfThree();
  await tops();
  await set(`visibility = 'archive'`, members);
  expect(await tops()).toEqual([members[0], undefined]);
  await set('trashed_at = now()', members);
  expect(await tops()).toEqual([members[0], undefined]);
  await set(`trashed_at = null, visibility = 'timeline'`, members.slice(2));
  expect(await tops()).toEqual([members[2], members[2]]);
});

test('a Locked member is the primary only when all members are, and only with the PIN', async () => {
  const { me, copies, tops, set, members, stackId } = await stackOfThree();
  await tops();
  await set('locked_at = now()', members.slice(0, 2));
  await set('trashed_at = now()', members.slice(2));
  expect(await tops()).toEqual([members[2], undefined]);
  await set('locked_at = now()', members);
  expect(await tops()).toEqual([undefined, undefined]);
  const copy = copies.get(me)!;
  await unlock(database, me);
  await syncAll(connect(app, me), copy);
  expect(copy.stacks.get(stackId)).toMatchObject({ primaryAssetId: members[0] });
  await database.sql`update session set elevated_until = null where user_id = ${me.id}`;
  expect(await tops()).toEqual([undefined, undefined]);
});

test('a stack is updated when its primary changes, loses members or is dissolved', async () => {
  const { me, copies, tops, members, stackId } = await stackOfThree();
  const { sql } = database;
  const [top, second, third] = members;
  await tops();
  await sql`update stack set primary_id = ${third} where id = ${stackId}`;
  expect(await tops()).toEqual([third, third]);
  await sql`delete from asset where id = ${third}`;
  expect(await tops()).toEqual([top, top]);
  await sql`update asset set stack_id = null where id = ${second}`;
  expect(await tops()).toEqual([undefined, undefined]);
  expect(copies.get(me)!.assets.get(top)!['stackId']).toBeNull();
});

test('no line of a stack is sent to accounts that never saw it', async () => {
  const { me, copies, tops, set, members, stackId } = await stackOfThree();
  const [, friend] = [...copies.keys()];
  await set('locked_at = now()', members);
  expect(await tops()).toEqual([undefined, undefined]);
  await database.sql`update stack set updated_at = now() where id = ${stackId}`;
  await database.sql`delete from stack where id = ${stackId}`;
  await database.sql`delete from asset where owner_id = ${me.id}`;
  await waitForWatermark(database);
  for (const user of [me, friend!]) {
    const { counts } = await syncOnce(connect(app, user), copies.get(user)!);
    expect(Object.keys(counts).filter((type) => type.includes('Delete'))).toEqual([]);
  }
});
