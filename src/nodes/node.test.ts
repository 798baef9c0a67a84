import { afterEach, beforeEach, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { useDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import type { Deps } from '../core/context.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import { isDraining, type Node, type NodeOptions, recordReason, startNode } from './node.ts';
import { closeStores, openStores } from '../storage/library-folders.ts';
import { listNodes, releaseDead } from './store.ts';

const database = await useDatabase();
const { sql, db, deps } = database;
let node: Node | undefined;
beforeEach(async () => {
  await sql`truncate node, job`;
});
afterEach(async () => {
  await node?.stop();
  node = undefined;
});

const start = (
  over: Partial<NodeOptions> & { readonly settings?: Partial<Deps['settings']> } = {},
) => {
  const { settings, ...options } = over;
  return (node = startNode({
    deps: { ...deps, settings: { ...deps.settings, ...settings } },
    databaseUrl: deps.settings.databaseUrl!,
    role: 'server',
    address: 'http://127.0.0.1:1',
    heartbeatMs: 50,
    ...options,
  }));
};

type Other = { readonly role?: string; readonly seenAgo?: number | null; readonly age?: number };

/** Adds a node of another machine. `seenAgo`: seconds since its heartbeat. */
async function addNode({ role = 'server', seenAgo = 0, age = 60 }: Other = {}): Promise<string> {
  const id = randomUUID();
  await sql`
    insert into node (id, role, host, version, state, started_at, seen_at)
    values (${id}, ${role}, 'other', '1.0.0', 'ready', now() - ${age}::int * interval '1 second',
      now() - ${seenAgo}::int * interval '1 second')`;
  return id;
}

async function addRunningJob(nodeId: string): Promise<string> {
  const [row] = await sql`
    insert into job (name, queue, lane, payload, state, attempt, worker, lease_until, started_at)
    values ('some.job', 'backgroundTask', 'background', '{}', 'running', 1,
      ${`${nodeId}:background:1`}, now() + interval '1 hour', now()) returning id`;
  return row!['id'];
}
const getJobState = async (id: string) =>
  (await sql`select state, worker from job where id = ${id}`)[0];
const find = async (id: string) => (await listNodes(db)).find((found) => found.id === id);
const findOwn = () => find(NODE_ID);

test('a node is listed while it runs', async () => {
  start();
  await until(async () => (await findOwn())?.isLeader === true);
  const { seenAt, ...shown } = (await findOwn())!;
  expect(shown).toMatchObject({ state: 'ready', role: 'server', address: 'http://127.0.0.1:1' });
  await until(async () => (await findOwn())!.seenAt !== seenAt);
  await node?.stop();
  expect(await listNodes(db)).toEqual([]);
});

test('a worker whose data folder is not the one that has the files is listed as refused, until it is', async () => {
  expect(await openStores(deps)).toBeUndefined();
  start({ role: 'worker' });
  const getState = async () => (await findOwn())?.state;
  await until(async () => (await getState()) === 'ready');
  await sql`update instance set file_folder_id = gen_random_uuid()`;
  await until(async () => (await getState()) === 'refused', 10_000);
  expect((await findOwn())!.reason).toContain(`${deps.paths.originals} is not the folder`);
  await sql`update instance set file_folder_id = null`;
  await until(async () => (await getState()) === 'ready', 10_000);
  closeStores(deps.paths);
});

test('jobs of dead nodes are released at once, those of others are not', async () => {
  const [dead, alive, worker] = [
    await addNode({ seenAgo: 11 }),
    await addNode({ seenAgo: 8 }),
    await addNode({ role: 'worker', seenAgo: 3600 }),
  ];
  const [lost, kept, lostToo] = [
    await addRunningJob(dead),
    await addRunningJob(alive),
    await addRunningJob(worker),
  ];
  expect(await releaseDead(db)).toEqual(['other', 'other']);
  for (const id of [lost, lostToo])
    expect(await getJobState(id)).toEqual({ state: 'waiting', worker: null });
  expect((await getJobState(kept))?.['state']).toBe('running');
  expect([(await find(dead))?.state, (await find(alive))?.state]).toEqual(['gone', 'ready']);
  expect(await releaseDead(db)).toEqual([]);
});

test('a node gives up on others only when it was in time itself', async () => {
  const dead = await addNode({ seenAgo: 11 });
  start({ steadyMs: 600_000 });
  await until(async () => (await findOwn()) !== undefined);
  await Bun.sleep(300);
  expect((await sql`select state from node where id = ${dead}`)[0]).toEqual({ state: 'ready' });
  await node?.stop();
  start({ steadyMs: 100 });
  await until(
    async () => (await sql`select from node where id = ${dead} and state = 'gone'`).length > 0,
  );
});

test('a node that was taken for dead is back with its next heartbeat', async () => {
  start();
  await until(async () => (await findOwn()) !== undefined);
  await sql`update node set state = 'gone', seen_at = now() - interval '1 hour'`;
  await until(async () => (await findOwn())?.state === 'ready');
});

test('the server that has run for the longest time leads', async () => {
  await addNode({ role: 'worker', age: 7200 });
  // The second one starts after this one.
  const [older] = [await addNode({ age: 3600 }), await addNode({ age: -3600 })];
  start();
  await until(async () => (await find(older!))?.isLeader === true);
  expect(node?.isLeader()).toBe(false);
  await sql`update node set state = 'draining' where id = ${older!}`;
  await until(async () => node?.isLeader() === true);
  expect((await listNodes(db)).filter(({ isLeader }) => isLeader)).toHaveLength(1);
});

test('a server that stops gives balancers time only where there are others', async () => {
  start({ settings: { drainSeconds: 60 } });
  await until(async () => (await findOwn())?.state === 'ready');
  await addNode({ role: 'worker' });
  await addNode({ seenAgo: 20 });
  await node?.drain();
  expect([isDraining(deps), (await findOwn())?.state]).toEqual([true, 'draining']);
  expect(node?.isLeader()).toBe(false);
  await node?.stop();
  start({ settings: { drainSeconds: 1 } });
  expect(isDraining(deps)).toBe(false);
  await addNode();
  const from = performance.now();
  await node?.drain();
  expect(performance.now() - from).toBeGreaterThan(990);
});

test('a server of its own database sends no heartbeat, and takes the jobs of its former life', async () => {
  const former = await addNode();
  await sql`update node set seen_at = null`;
  const remote = await addNode({ role: 'worker' });
  const [lost, kept] = [await addRunningJob(former), await addRunningJob(remote)];
  start({ settings: { databaseUrl: undefined } });
  await until(async () => (await findOwn()) !== undefined);
  expect((await findOwn())?.seenAt).toBeNull();
  expect(node?.isLeader()).toBe(true);
  expect((await getJobState(lost))?.['state']).toBe('waiting');
  expect((await getJobState(kept))?.['state']).toBe('running');
  const [row] = await sql`select xmin::text from node where id = ${NODE_ID}`;
  await Bun.sleep(300);
  expect((await sql`select xmin::text from node where id = ${NODE_ID}`)[0]).toEqual(row);
});

test('a process that may not serve is listed with its reason', async () => {
  await recordReason(db, {
    role: 'server',
    address: undefined,
    state: 'refused',
    reason: 'too old',
  });
  expect(await findOwn()).toMatchObject({ state: 'refused', reason: 'too old', isLeader: false });
});
