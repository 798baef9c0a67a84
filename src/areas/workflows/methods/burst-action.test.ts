import { beforeEach, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, type NewAsset, seed, type TestUser } from '../../../../test/support/harness.ts';
import { addWorkflow, own, runWorkflows, tagAssets } from '../../../../test/support/workflows.ts';

const CAMERA = { make: 'Canon', model: 'EOS R6' };

const { database, app } = await useApp();
let me: TestUser;
beforeEach(async () => {
  me = await seed(database).user();
  await addWorkflow(app, me, [own('stackBurst')]);
});

/** A photo, taken so many seconds after the first. */
const shoot = (seconds: number, over: Partial<NewAsset> = {}) =>
  seed(database).asset({
    ownerId: me.id,
    takenAt: new Date(Date.UTC(2026, 0, 1) + seconds * 1000),
    exif: CAMERA,
    ...over,
  });

/** Runs the workflow for the photos, one after the other. */
async function run(...photos: string[]): Promise<void> {
  for (const photo of photos) {
    await tagAssets(app, me, [photo]);
    await runWorkflows(database);
  }
}

/** The stacks as lists of their items, top item first. */
const listStacks = async (as = me): Promise<string[][]> =>
  (await call(app, 'GET /stacks', { as })).body.map(({ assets }: { assets: { id: string }[] }) =>
    assets.map(({ id }) => id),
  );

test('photos of one camera a moment apart are one stack, the earliest on top', async () => {
  const [second, first, third, later] = [
    await shoot(1),
    await shoot(0),
    await shoot(2.5),
    await shoot(30),
  ];
  await run(second, third, later);
  expect(await listStacks()).toEqual([[first, second, third]]);
  const stacks = await call(app, 'GET /stacks', { as: me });
  await run(first, second, third, later);
  expect(await call(app, 'GET /stacks', { as: me })).toEqual(stacks);
});

test('a photo that arrives later joins the stack, and tops it if it is the earliest', async () => {
  const [second, third] = [await shoot(1), await shoot(2)];
  await run(second);
  const first = await shoot(0);
  const fourth = await shoot(3);
  await run(fourth, first);
  expect(await listStacks()).toEqual([[first, second, third, fourth]]);
});

test('the mark of the camera tells bursts apart', async () => {
  const marked = (burstId: string) => ({ exif: { ...CAMERA, burstId } });
  const [a, b, c] = [await shoot(0, marked('x')), await shoot(9, marked('x')), await shoot(0.5)];
  const other = await shoot(0.2, marked('y'));
  await run(a, b, c, other);
  expect(await listStacks()).toEqual([[a, b]]);
});

test('a stack that somebody made is left as it is, but for what joins it', async () => {
  const [first, second, third, alone] = [
    await shoot(0),
    await shoot(1),
    await shoot(2),
    await shoot(500),
  ];
  const assetIds = [second, first, alone];
  await call(app, 'POST /stacks', { as: me, body: { assetIds } });
  await run(third);
  expect(await listStacks()).toEqual([[second, first, third, alone]]);
});

test('two stacks are not joined', async () => {
  const shots = [await shoot(0), await shoot(0.5), await shoot(1), await shoot(1.5)];
  await call(app, 'POST /stacks', { as: me, body: { assetIds: shots.slice(0, 2) } });
  await call(app, 'POST /stacks', { as: me, body: { assetIds: shots.slice(2) } });
  const last = await shoot(1.6);
  await run(last);
  expect(await listStacks()).toEqual([[shots[2]!, shots[3]!, last], shots.slice(0, 2)]);
});

test('nothing else is stacked with it', async () => {
  const stranger = await seed(database).user();
  const photo = await shoot(0);
  for (const over of [
    { ownerId: stranger.id },
    { lockedAt: new Date() },
    { trashedAt: new Date() },
    { visibility: 'hidden' as const },
    { visibility: 'archive' as const },
    { type: 'VIDEO' as const },
    { exif: { ...CAMERA, model: 'EOS R5' } },
    { exif: {} },
  ]) {
    await shoot(0.5, over);
  }
  const [bare, other] = [await shoot(0, { exif: {} }), await shoot(0.1, { exif: {} })];
  await run(photo, bare, other);
  expect(await listStacks()).toEqual([]);
  const owners = `{${me.id},${stranger.id}}`;
  const stacked = await database.sql`
    select 1 from asset where owner_id = any(${owners}::uuid[]) and stack_id is not null`;
  expect(stacked).toHaveLength(0);
});
