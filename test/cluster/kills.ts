import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { parseS3Address } from '../../src/core/s3-address.ts';
import { createS3Store } from '../../src/storage/object-store.ts';
import { until } from '../support/until.ts';
import { type Account, download, signUp, toSha1, upload } from './clients.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { findPrimary, query, untilReplicated } from './database.ts';

// Everything is killed, again and again, under uploads: SAFELIGHT_TEST_CLUSTER_SECONDS of it.

setDefaultTimeout(3_600_000);
const SECONDS = Number(process.env['SAFELIGHT_TEST_CLUSTER_SECONDS'] ?? 120);
const UPLOAD_EVERY_MS = 250;
/** Where a client waits for an answer, it sends no further photo. */
const MOST_AT_ONCE = 16;
/** At once, when all is over. */
const DOWNLOADS = 6;
const KILL_EVERY_MS = 5000;
const RESTART_MS = 1000;
/** A standby is promoted when the primary has been away for longer than `ttl` of patroni.yml. */
const FAILOVER_MS = 25_000;
const WHOLE_DEADLINE_MS = 35_000;
const SWEEP = `insert into job (name, queue, lane, payload)
  values ('trash.removeFiles', 'backgroundTask', 'background', '{}')`;

let cluster: Cluster;
let ann: Account;
beforeAll(async () => {
  cluster = await startCluster();
  for (const node of cluster.nodes) node.restartOnFailure();
  ann = await signUp(cluster.url);
});
afterAll(() => cluster?.stop());

type Outcomes = {
  readonly acknowledged: Map<string, string>;
  refused: number;
  broken: number;
  longestMs: number;
};

async function uploadOne(outcomes: Outcomes): Promise<void> {
  const [bytes, from] = [randomBytes(200_000), performance.now()];
  try {
    const { status, id } = await upload(cluster.url, ann.key, bytes);
    if (status === 201) outcomes.acknowledged.set(id!, toSha1(bytes));
    else outcomes.refused += 1;
  } catch {
    // The answer of a server that was killed, or a page of the balancer.
    outcomes.broken += 1;
  }
  outcomes.longestMs = Math.max(outcomes.longestMs, performance.now() - from);
}

async function uploadUntil(end: number, outcomes: Outcomes): Promise<void> {
  const running = new Set<Promise<void>>();
  while (performance.now() < end) {
    const one = uploadOne(outcomes);
    running.add(one);
    void one.finally(() => running.delete(one));
    await Bun.sleep(UPLOAD_EVERY_MS);
    if (running.size >= MOST_AT_ONCE) await Promise.race(running);
  }
  await Promise.all(running);
}

/** The parts that can be killed; each resolves when it has been started again. */
const KILLS: Readonly<Record<string, (round: number) => Promise<void>>> = {
  async node(round) {
    const node = cluster.nodes[round % 2]!;
    await node.kill();
    await Bun.sleep(RESTART_MS);
    node.start();
  },
  async gateway() {
    cluster.ceph.signal('gateway', 'SIGKILL');
    await Bun.sleep(RESTART_MS);
    await cluster.ceph.start('gateway');
  },
  async osd() {
    cluster.ceph.signal('osd', 'SIGKILL');
    await Bun.sleep(RESTART_MS);
    await cluster.ceph.start('osd');
  },
  /** For a moment, or until its standby is the primary. */
  async primary(round) {
    let at = -1;
    await until(async () => (at = await findPrimary(cluster.databases)) >= 0);
    const primary = cluster.databases[at]!;
    await primary.kill();
    await Bun.sleep(round % 2 === 0 ? FAILOVER_MS : RESTART_MS);
    primary.start();
  },
};

/** Kills one after the other, and never one that is down: a primary may be away for longer than the others. */
async function killUntil(end: number): Promise<Record<string, number>> {
  const counts = Object.fromEntries(Object.keys(KILLS).map((name) => [name, 0]));
  const down = new Set<string>();
  const restarts: Promise<void>[] = [];
  while (performance.now() < end) {
    const [name] = Object.keys(KILLS)
      .filter((part) => !down.has(part))
      .toSorted((one, other) => counts[one]! - counts[other]!);
    if (name !== undefined) {
      down.add(name);
      restarts.push(KILLS[name]!(counts[name]!).then(() => void down.delete(name)));
      counts[name]! += 1;
    }
    await Bun.sleep(KILL_EVERY_MS);
  }
  await Promise.all(restarts);
  return counts;
}

test('nothing that was acknowledged is lost, and no object is wrong or left, while all are killed', async () => {
  const outcomes: Outcomes = { acknowledged: new Map(), refused: 0, broken: 0, longestMs: 0 };
  const end = performance.now() + SECONDS * 1000;
  const [killed] = await Promise.all([killUntil(end), uploadUntil(end, outcomes)]);
  const { acknowledged, ...others } = outcomes;
  console.log({ killed, acknowledged: acknowledged.size, ...others });
  expect(acknowledged.size).toBeGreaterThan(SECONDS / 4);
  expect(outcomes.longestMs).toBeLessThan(WHOLE_DEADLINE_MS);

  await untilReplicated(cluster.databases);
  for (const node of cluster.nodes) await node.untilReady();
  const wrong: string[] = [];
  const files = acknowledged.entries();
  const compareAll = async () => {
    for (const [id, checksum] of files) {
      if ((await download(cluster.url, ann.key, id)) !== checksum) wrong.push(id);
    }
  };
  await Promise.all(Array.from({ length: DOWNLOADS }, compareAll));
  expect(wrong).toEqual([]);
  expect(await cluster.nodes[0].run('storage', 'verify')).toContain(', 0 are not');

  await query(cluster.databases, 'update object_deletion set due_at = now()');
  await query(cluster.databases, SWEEP);
  const store = createS3Store(parseS3Address(cluster.ceph.url), cluster.ceph.credentials);
  const listStored = async () => (await Array.fromAsync(store.list('originals/'))).length;
  const named = await query(cluster.databases, 'select object_key from original');
  expect(named.length).toBeGreaterThanOrEqual(acknowledged.size);
  await until(async () => (await listStored()) === named.length, 60_000);
});
