import { afterEach, beforeEach, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useDatabase } from '../../test/support/database.ts';
import { until } from '../../test/support/until.ts';
import { silentLog } from '../core/log.ts';
import { dataPaths } from '../core/paths.ts';
import { NODE_ID } from '../jobs/node-id.ts';
import { listNodes } from '../nodes/store.ts';
import { type ClusterFollower, openClusterFollower } from './cluster-follower.ts';
import { enterMode, leaveMode } from './cluster-mode.ts';
import { clearMode, findMode } from './cluster-mode.store.ts';
import { type MaintenanceState, readState, writeState } from './state.ts';

// Two data folders stand for two servers; a third one is in the database only.

const database = await useDatabase();
const { sql, db, deps } = database;
const folder = mkdtempSync(join(tmpdir(), 'cluster-mode-'));
const { settings } = deps;
const servers: ClusterFollower[] = [];
let here: ReturnType<typeof addServer>;
let there: ReturnType<typeof addServer>;
beforeEach(async () => {
  await sql`truncate maintenance_mode, node`;
  here = addServer();
  there = addServer();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function addServer() {
  const paths = dataPaths(join(folder, randomUUID()));
  const taken: MaintenanceState['interrupted'][] = [];
  const work = { isBusy: false, url: undefined as string | undefined };
  const follower = openClusterFollower({
    settings,
    paths,
    log: silentLog,
    getUrl: () => work.url,
    isBusy: () => work.isBusy,
    onTakeOver: (interrupted) => taken.push(interrupted),
    periodMs: 20,
    deadMs: 200,
  })!;
  servers.push(follower);
  return { paths, settings, follower, taken, work, read: () => readState(paths) };
}

/** Adds a mode of a server of another machine, by default of one that lives. */
async function addMode({
  isRunning = false,
  seenMinutesAgo = null as number | null,
  seenDaysAgo = 0,
}) {
  const id = randomUUID();
  await sql`insert into node (id, role, host, version, state, seen_at)
    values (${id}, 'server', 'attic', '1', 'starting', now() - ${seenMinutesAgo}::int * interval '1 minute')`;
  await sql`insert into maintenance_mode (action, secret, node_id, host, is_running, seen_at) values
    ('restore_database', 'its-secret', ${id}, 'attic', ${isRunning}, now() - ${seenDaysAgo}::int * interval '1 day')`;
}
const getConflict = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ status, message }: { status: number; message: string }) => [status, message],
  );

test('servers enter the mode with one secret, and any of them ends it for all', async () => {
  const state = await enterMode(here, { action: 'start' });
  await there.follower.sync();
  expect(there.read()).toEqual({
    action: 'start',
    secret: state.secret,
    revision: state.revision!,
  });
  await leaveMode(there);
  expect(there.read()).toBeUndefined();
  await here.follower.sync();
  expect(here.read()).toBeUndefined();
  expect(await findMode(db)).toBeUndefined();
});

test('while another server replaces the database, the mode is neither ended nor changed', async () => {
  await addMode({ isRunning: true });
  await here.follower.sync();
  expect(here.read()).toMatchObject({ action: 'restore_database', isElsewhere: true });
  const before = await findMode(db);
  const refused = [409, 'The server on attic restores a backup: wait until it has ended'];
  for (const work of [
    () => leaveMode(here),
    () => enterMode(here, { action: 'start' }),
    () => enterMode(there, { action: 'restore_database', backup: 'a.dump' }),
  ])
    expect(await getConflict(work())).toEqual(refused);
  expect(await findMode(db)).toEqual(before);
  expect([here.read()?.backup, there.read()]).toEqual([undefined, undefined]);
});

test('of two administrators who restore at the same moment one is refused', async () => {
  const restore = (server: typeof here, backup: string) =>
    getConflict(enterMode(server, { action: 'restore_database', backup }));
  const answers = await Promise.all([restore(here, 'a.dump'), restore(there, 'b.dump')]);
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
  expect(answers.find((answer) => answer !== undefined)![0]).toBe(409);
  const states = [here.read(), there.read()];
  expect(states.filter((state) => state?.backup !== undefined)).toHaveLength(1);
});

test('a server takes work upon it only while nobody has changed the mode since it was asked for', async () => {
  const state = await enterMode(here, { action: 'restore_database', backup: 'a.dump' });
  const revision = await here.follower.claim(state);
  expect(revision).not.toBe(state.revision);
  // The same file in a folder that servers share.
  expect(await there.follower.claim(state)).toBeUndefined();
  here.work.isBusy = true;
  await here.follower.sync();
  expect(here.read()?.backup).toBe('a.dump');
  here.work.isBusy = false;
  await here.follower.release({ ...state, revision }, 'No space');
  await there.follower.sync();
  expect(there.read()).toMatchObject({ action: 'restore_database', error: 'No space' });
  await leaveMode(there);
});

test.each([
  ['', 60],
  [', also when the clock has been set back since', -60],
])(
  'the work of a server that has died is over, and one of the others tells it%s',
  async (_, seenMinutesAgo) => {
    await addMode({ isRunning: true, seenMinutesAgo });
    for (const { follower } of [here, there]) follower.start();
    await until(async () => (await findMode(db)) === undefined);
    await until(() => here.read() === undefined && there.read() === undefined);
    const told = [...here.taken, ...there.taken];
    expect(told).toHaveLength(1);
    expect(told[0]!.text).toContain('attic has died');
  },
);

test('a server that lives is not taken over from, nor is a mode in which nothing runs', async () => {
  await addMode({ isRunning: true });
  here.follower.start();
  await until(() => here.read()?.revision !== undefined);
  await Bun.sleep(600);
  expect((await findMode(db))?.isRunning).toBe(true);
  await sql`update maintenance_mode set is_running = false`;
  await sql`update node set seen_at = now() - interval '1 hour'`;
  await Bun.sleep(600);
  expect((await findMode(db))?.isRunning).toBe(false);
  expect(here.taken).toEqual([]);
});

test('what this server has claimed and does not do is given up', async () => {
  const state = await enterMode(here, { action: 'restore_database', backup: 'a.dump' });
  here.follower.start();
  // It is about to begin.
  await Bun.sleep(600);
  expect((await findMode(db))?.revision).toBe(state.revision!);
  writeState(here.paths, { action: 'restore_database', error: 'It has failed' });
  await until(async () => (await findMode(db)) === undefined);
});

test('the mode ends a day after the last administrator was there, at whichever server', async () => {
  for (const seenDaysAgo of [2, -2]) {
    await addMode({ seenDaysAgo });
    await here.follower.sync();
    expect(await findMode(db)).toBeUndefined();
  }
  await addMode({});
  await here.follower.sync();
  await here.follower.sync();
  await sql`update maintenance_mode set seen_at = now() - interval '20 hours'`;
  await here.follower.sync();
  expect(
    (await sql`select from maintenance_mode where seen_at < now() - interval '1 hour'`).length,
  ).toBe(1);
  const now = new Date(Date.now() + 1000);
  utimesSync(join(here.paths.maintenance, 'state.json'), now, now);
  await here.follower.sync();
  expect(
    (await sql`select from maintenance_mode where seen_at < now() - interval '1 hour'`).length,
  ).toBe(0);
});

test('what one server alone cannot do is its own state', async () => {
  writeState(here.paths, { action: 'start', error: 'disk on fire' });
  for (const { follower } of [here, there]) await follower.sync();
  expect(here.read()?.error).toBe('disk on fire');
  expect(there.read()).toBeUndefined();
  await leaveMode(here);
  expect(here.read()).toBeUndefined();
});

test('a server in maintenance mode is listed with the reason, and lives', async () => {
  here.work.url = 'http://127.0.0.1:1';
  here.follower.start();
  await until(async () => (await listNodes(db)).length === 1);
  expect(await listNodes(db)).toMatchObject([
    { id: NODE_ID, state: 'starting', reason: 'Maintenance mode' },
  ]);
});

test('a database that replaces another one is in no mode, also one that does not know it', async () => {
  await enterMode(here, { action: 'start' });
  await clearMode(sql);
  expect(await findMode(db)).toBeUndefined();
  await sql`alter table maintenance_mode rename to gone`;
  await clearMode(sql);
  expect(await findMode(db)).toBeUndefined();
  await sql`alter table gone rename to maintenance_mode`;
});
