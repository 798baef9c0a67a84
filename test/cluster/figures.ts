import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { cpuMs, databaseCpuMs, sumCpuMs } from '../bench/processes.ts';
import { quantile, round } from '../bench/measure.ts';
import { createPhotos } from '../bench/photo-upload.ts';
import { until } from '../support/until.ts';
import { type Account, signUp, upload } from './clients.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { query } from './database.ts';
import { addNode, type Node } from './nodes.ts';

// Figures of a cluster: make test-cluster ARGS=figures. Processor time depends little on what else the machine does.
// The outage of a failover and the takeover of jobs are printed by `servers` and `hangs`.

setDefaultTimeout(1_800_000);

const REQUESTS = 1500;
const CONCURRENT = 8;
const ROUNDS = 2;
const IDLE_MS = 10_000;
const WRITE_EVERY = 20;
const PHOTOS = 12;
const FILE_BYTES = 4 * 1024 ** 2;
const FILES = 12;

let cluster: Cluster;
let nodes: readonly Node[];
/** On the same databases, with its originals in files. */
let files: Node;
let ann: Account;
let assets: readonly string[];
beforeAll(async () => {
  cluster = await startCluster();
  ann = await signUp(cluster.url);
  const { network, options } = cluster;
  const more = ['node3', 'node4'].map((name, at) => {
    const env = { SAFELIGHT_NODE_ADDRESS: `http://10.0.0.${23 + at}:2283` };
    return addNode(network.add(name, `10.0.0.${23 + at}`), { ...options, env });
  });
  await query(cluster.databases, 'create database files owner safelight');
  const address = '10.0.0.41';
  files = addNode(network.add('box', address), {
    ...options,
    env: {
      DATABASE_URL:
        'postgres://safelight:change-me-3@db1,db2/files?target_session_attrs=primary&sslmode=require',
      SAFELIGHT_NODE_ADDRESS: `http://${address}:2283`,
      SAFELIGHT_OBJECT_STORE: '',
      SAFELIGHT_OBJECT_STORE_CREDENTIALS: '',
    },
  });
  for (const node of [...more, files]) node.start();
  for (const node of [...more, files]) await node.untilReady();
  nodes = [...cluster.nodes, ...more];
  const createPhoto = await createPhotos();
  const ids: string[] = [];
  for (let n = 0; n < PHOTOS; n += 1) {
    ids.push((await upload(nodes[0]!.url, ann.key, createPhoto(), 'a.jpg')).id!);
  }
  assets = ids;
  await until(
    async () => (await query(cluster.databases, 'select 1 from job limit 1')).length === 0,
  );
});
afterAll(() => cluster?.stop());

const get = async (url: string, path: string, key = ann.key) => {
  const response = await fetch(`${url}/api${path}`, { headers: { 'x-api-key': key } });
  expect(response.status).toBe(200);
  return (await response.arrayBuffer()).byteLength;
};

const getMedian = (times: readonly number[]) => round(quantile(times, 0.5));

/** Returns the ms that each took, and the processor time of the server for one. */
async function measureEach(node: Node, acts: readonly (() => Promise<unknown>)[]) {
  const [before, times] = [sumCpuMs(cpuMs(node.getPid())), [] as number[]];
  for (const act of acts) {
    const from = performance.now();
    await act();
    times.push(performance.now() - from);
  }
  const serverCpuMs = (sumCpuMs(cpuMs(node.getPid())) - before) / acts.length;
  return { ms: getMedian(times), serverCpuMs: round(serverCpuMs) };
}

/** Processor ms of servers and database. */
type Cpu = { readonly server: number; readonly database: number };

const readCpu = (used: readonly Node[]): Cpu => ({
  server: used.reduce((sum, node) => sum + sumCpuMs(cpuMs(node.getPid())), 0),
  database: databaseCpuMs('safelight'),
});

/** Returns what all servers need in a ms without requests. */
async function measureIdle(): Promise<Cpu> {
  const before = readCpu(nodes);
  await Bun.sleep(IDLE_MS);
  const after = readCpu(nodes);
  return {
    server: (after.server - before.server) / IDLE_MS,
    database: (after.database - before.database) / IDLE_MS,
  };
}

/** Reads with some writes, by turns at each of these servers. Returns the processor ms of one request. */
async function measureRequests(used: readonly Node[], idle: Cpu): Promise<Cpu> {
  const [before, from] = [readCpu(used), performance.now()];
  let sent = 0;
  const send = async () => {
    for (let n = sent++; n < REQUESTS; n = sent++) {
      const { url } = used[n % used.length]!;
      const asset = assets[n % assets.length]!;
      if (n % WRITE_EVERY === 0) {
        const headers = { 'x-api-key': ann.key, 'content-type': 'application/json' };
        const body = JSON.stringify({ isFavorite: n % 2 === 0 });
        await fetch(`${url}/api/assets/${asset}`, { method: 'PUT', headers, body });
      } else if (n % 3 === 0) await get(url, '/timeline/buckets');
      else await get(url, `/assets/${asset}${n % 3 === 1 ? '/thumbnail' : ''}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, send));
  const [after, ms] = [readCpu(used), performance.now() - from];
  const idleServers = (ms * idle.server * used.length) / nodes.length;
  return {
    server: (after.server - before.server - idleServers) / REQUESTS,
    database: (after.database - before.database - ms * idle.database) / REQUESTS,
  };
}

test('processor time of a request with 1, 2 and 4 servers', async () => {
  const sums = new Map<number, Cpu>();
  const idle = await measureIdle();
  const perSecond = 1000 / nodes.length;
  console.log({ idleServerMsPerSecond: round(idle.server * perSecond) });
  await measureRequests(nodes, idle);
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    for (const count of turn % 2 === 0 ? [1, 2, 4] : [4, 2, 1]) {
      const { server, database } = await measureRequests(nodes.slice(0, count), idle);
      const sum = sums.get(count) ?? { server: 0, database: 0 };
      sums.set(count, { server: sum.server + server, database: sum.database + database });
    }
  }
  const total = (count: number) => sums.get(count)!.server + sums.get(count)!.database;
  for (const [count, { server, database }] of sums) {
    const efficiency = round(total(1) / total(count));
    const [serverMs, databaseMs] = [round(server / ROUNDS), round(database / ROUNDS)];
    console.log({ servers: count, serverMs, databaseMs, efficiency });
  }
  expect(sums.size).toBe(3);
});

test('acknowledgement with an object store and with files', async () => {
  const filesKey = (await signUp(files.url)).key;
  const createUploads = (node: Node, key: string) =>
    Array.from({ length: FILES }, () => async () => {
      const { status } = await upload(node.url, key, randomBytes(FILE_BYTES));
      expect(status).toBe(201);
    });
  for (const turn of [1, 2]) {
    console.log({
      turn,
      bytes: FILE_BYTES,
      s3: await measureEach(nodes[0]!, createUploads(nodes[0]!, ann.key)),
      files: await measureEach(files, createUploads(files, filesKey)),
    });
  }
});

test('thumbnails and originals, at the server that has them and at another one', async () => {
  const reads = (node: Node, path: string) =>
    assets.map((id) => () => get(node.url, `/assets/${id}/${path}`));
  const other = nodes[3]!;
  for (const path of ['thumbnail', 'original']) {
    console.log({
      path,
      first: await measureEach(other, reads(other, path)),
      again: await measureEach(other, reads(other, path)),
      atUploader: await measureEach(nodes[0]!, reads(nodes[0]!, path)),
    });
  }
});
