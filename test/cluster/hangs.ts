import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { createPhotos } from '../bench/photo-upload.ts';
import { until } from '../support/until.ts';
import { type Account, download, signUp, toSha1, upload } from './clients.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { findPrimary, query, untilReplicated } from './database.ts';
import type { Node } from './nodes.ts';

// A part that hangs, or is cut off, does not hang those that ask it.

setDefaultTimeout(600_000);

const WHOLE_DEADLINE_MS = 35_000;
const NOT_READY_MS = 5000;
const READY_MS = 60_000;
const HANG_MS = 40_000;
const TAKEOVER_MS = 12_000;

let cluster: Cluster;
let ann: Account;
let node: Node;
let other: Node;
beforeAll(async () => {
  cluster = await startCluster();
  [node, other] = cluster.nodes;
  ann = await signUp(cluster.url);
});
afterAll(() => cluster?.stop());

type Load = { longestMs: number; readonly statuses: Record<string, number>; isOver: boolean };

const noteStatus = ({ statuses }: Load, what: string) => {
  statuses[what] = (statuses[what] ?? 0) + 1;
};

/** Reads and uploads at one server, without a deadline of the clients, until it is over. */
function beginLoad(): Load & { end(): Promise<void> } {
  const load: Load = { longestMs: 0, statuses: {}, isOver: false };
  const repeat = async (name: string, act: () => Promise<number>) => {
    while (!load.isOver) {
      const from = performance.now();
      const status = await act().catch(() => 0);
      noteStatus(load, `${name} ${status}`);
      load.longestMs = Math.max(load.longestMs, performance.now() - from);
      await Bun.sleep(100);
    }
  };
  const headers = { 'x-api-key': ann.key };
  const read = (path: string) => () =>
    fetch(`${node.url}/api${path}`, { headers }).then(({ status }) => status);
  const running = [
    repeat('read', read('/timeline/buckets')),
    repeat('read', read('/users/me')),
    repeat('upload', async () => (await upload(node.url, ann.key, randomBytes(20_000))).status),
    repeat('upload', async () => (await upload(node.url, ann.key, randomBytes(20_000))).status),
  ];
  return Object.assign(load, {
    async end() {
      load.isOver = true;
      await Promise.all(running);
    },
  });
}

/** Resolves with the ms until it holds. */
async function measure(condition: () => Promise<boolean>, limitMs: number): Promise<number> {
  const from = performance.now();
  await until(condition, limitMs);
  return Math.round(performance.now() - from);
}

/** Uploads some files. Returns the SHA-1 of each by the identifier of its asset. */
async function uploadSome(): Promise<ReadonlyMap<string, string>> {
  const acknowledged = new Map<string, string>();
  while (acknowledged.size < 20) {
    const bytes = randomBytes(20_000);
    const { status, id } = await upload(node.url, ann.key, bytes);
    if (status === 201) acknowledged.set(id!, toSha1(bytes));
  }
  return acknowledged;
}

const uploads = async () => (await upload(node.url, ann.key, randomBytes(1000))).status === 201;
const isNotReady = async () => !(await node.isReady());

/** Ends a hang; also when a test fails. */
let resume = () => {};
async function recover(): Promise<void> {
  resume();
  await untilReplicated(cluster.databases);
  for (const one of cluster.nodes) await one.untilReady();
}
afterEach(recover);

test.each(['stops', 'is cut off'])(
  'a primary that %s is replaced, and nothing that its successor acknowledged is lost when it is back',
  async (how) => {
    const primary = cluster.databases[await findPrimary(cluster.databases)]!;
    const [standby] = cluster.databases.filter((database) => database !== primary);
    const load = beginLoad();
    if (how === 'stops') {
      primary.signal('SIGSTOP');
      resume = () => primary.signal('SIGCONT');
    } else {
      primary.machine.setConnected(false);
      resume = () => primary.machine.setConnected(true);
    }
    const notReadyMs = await measure(isNotReady, 30_000);
    const promotedMs = await measure(() => standby!.is('primary'), READY_MS);
    const readyMs = await measure(() => node.isReady(), READY_MS);
    const uploadMs = await measure(uploads, READY_MS);
    const acknowledged = await uploadSome();
    await load.end();
    console.log(how, { notReadyMs, promotedMs, readyMs, uploadMs, ...load });
    expect(notReadyMs).toBeLessThan(NOT_READY_MS);
    expect(load.longestMs).toBeLessThan(WHOLE_DEADLINE_MS);
    await recover();
    for (const [id, sha1] of acknowledged)
      expect(await download(cluster.url, ann.key, id)).toBe(sha1);
  },
);

test.each(['stops', 'is cut off'])(
  'an object store that %s: uploads are refused in time, and reads go on',
  async (how) => {
    const load = beginLoad();
    if (how === 'stops') {
      cluster.ceph.signal('gateway', 'SIGSTOP');
      resume = () => cluster.ceph.signal('gateway', 'SIGCONT');
    } else {
      cluster.store.setConnected(false);
      resume = () => cluster.store.setConnected(true);
    }
    await Bun.sleep(HANG_MS);
    expect(await node.isReady()).toBe(true);
    resume();
    const uploadMs = await measure(uploads, READY_MS);
    await load.end();
    console.log(how, { uploadMs, ...load });
    expect(load.longestMs).toBeLessThan(WHOLE_DEADLINE_MS);
    expect(load.statuses['read 503'] ?? 0).toBe(0);
  },
);

test.each(['stops', 'is cut off'])('a server that %s hangs no other', async (how) => {
  const load = beginLoad();
  if (how === 'stops') {
    other.signal('SIGSTOP');
    resume = () => other.signal('SIGCONT');
  } else {
    other.machine.setConnected(false);
    resume = () => other.machine.setConnected(true);
  }
  const goneMs = await measure(async () => {
    const rows = "select 1 from node where state = 'gone'";
    return (await query(cluster.databases, rows)).length > 0;
  }, 30_000);
  const headers = { 'x-api-key': ann.key };
  // The balancer sends nobody there any more.
  for (let n = 0; n < 20; n += 1) {
    expect((await fetch(`${cluster.url}/api/users/me`, { headers })).status).toBe(200);
  }
  await load.end();
  console.log(how, { goneMs, ...load });
  expect(load.longestMs).toBeLessThan(WHOLE_DEADLINE_MS);
  expect(load.statuses['read 503'] ?? 0).toBe(0);
  resume();
  await other.untilReady();
  expect((await upload(other.url, ann.key, randomBytes(1000))).status).toBe(201);
});

test('the jobs of a server that was killed run at another one', async () => {
  const createPhoto = await createPhotos();
  const [id] = await query(
    cluster.databases,
    `select id from node where address = '${other.url.replace(other.machine.address, other.machine.name)}'`,
  );
  const countJobs = async () => {
    const text = `select count(*) from job where state = 'running' and worker like '${id}:%'`;
    return Number((await query(cluster.databases, text))[0]);
  };
  let isKilled = false;
  const uploading = (async () => {
    while (!isKilled) await upload(other.url, ann.key, createPhoto(), 'a.jpg').catch(() => {});
  })();
  await until(async () => (await countJobs()) > 0);
  await other.kill();
  isKilled = true;
  await uploading;
  expect(await countJobs()).toBeGreaterThan(0);
  const takeoverMs = await measure(async () => (await countJobs()) === 0, 60_000);
  console.log({ takeoverMs });
  expect(takeoverMs).toBeLessThan(TAKEOVER_MS);
  await until(
    async () =>
      (await query(cluster.databases, 'select 1 from job where state = $$running$$')).length === 0,
  );
  other.start();
});
