import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { parseS3Address } from '../../src/core/s3-address.ts';
import { createS3Store } from '../../src/storage/object-store.ts';
import { photoLikeJpeg } from '../fixtures/index.ts';
import { until } from '../support/until.ts';
import { type Account, download, send, signUp, toSha1, upload } from './clients.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { query } from './database.ts';
import {
  addNode,
  mountShares,
  type Node,
  readSettings,
  SHARED_DATA,
  startOn,
  writeSettings,
} from './nodes.ts';

// Where the bytes are: wrong folders and buckets are refused, and originals move under load.

setDefaultTimeout(1_800_000);

const ORIGINALS = 40;

let cluster: Cluster;
let ann: Account;
beforeAll(async () => {
  cluster = await startCluster();
  ann = await signUp(cluster.url);
  expect((await upload(cluster.url, ann.key, randomBytes(1000))).status).toBe(201);
});
afterAll(() => cluster?.stop());

const getSettings = () => readSettings(cluster.nodes[0].machine);
const uploadTo = async (url: string) => (await upload(url, ann.key, randomBytes(1000))).status;

/** A server more, with empty folders. */
function addServer(number: number): Node {
  const address = `10.0.0.${20 + number}`;
  const env = { SAFELIGHT_NODE_ADDRESS: `http://${address}:2283` };
  return addNode(cluster.network.add(`node${number}`, address), { ...cluster.options, env });
}

test('a server begins with empty folders while the object store has everything', async () => {
  const photo = await photoLikeJpeg(400, 300);
  const { id } = await upload(cluster.url, ann.key, photo, 'a.jpg');
  const node = addServer(3);
  node.start();
  await node.untilReady();
  expect(await download(node.url, ann.key, id!)).toBe(toSha1(photo));
  const headers = { 'x-api-key': ann.key };
  const thumbnail = `${node.url}/api/assets/${id}/thumbnail`;
  await until(async () => (await fetch(thumbnail, { headers })).status === 200);
  expect(await uploadTo(node.url)).toBe(201);
  await node.stop();
});

test('the bucket of another library, and an empty one, get nothing of this one', async () => {
  let last = 50;
  const addLibrary = (name: string, bucket: string, database: string): Node => {
    const address = `10.0.0.${(last += 1)}`;
    const settings = getSettings();
    const node = addNode(cluster.network.add(name, address), {
      ...cluster.options,
      env: {
        DATABASE_URL: settings['DATABASE_URL']!.replace('/safelight?', `/${database}?`),
        SAFELIGHT_OBJECT_STORE: cluster.ceph.url.replace('?', `/${bucket}?`),
        SAFELIGHT_NODE_ADDRESS: `http://${address}:2283`,
      },
    });
    node.start();
    return node;
  };
  const list = (bucket: string) => {
    const { url, credentials } = cluster.ceph;
    const store = createS3Store(parseS3Address(url.replace('?', `/${bucket}?`)), credentials);
    return Array.fromAsync(store.list(''));
  };
  await query(cluster.databases, 'create database others owner safelight');
  const others = addLibrary('others', 'other', 'others');
  await others.untilReady();
  const bob = await signUp(others.url);
  expect((await upload(others.url, bob.key, randomBytes(1000))).status).toBe(201);
  const before = await list('other');
  expect(before.length).toBeGreaterThan(1);
  for (const [name, bucket] of [
    ['wrong', 'other'],
    ['empty', 'nothing'],
  ] as const) {
    const node = addLibrary(`${name}-bucket`, bucket, 'safelight');
    await until(() =>
      query(cluster.databases, `select reason from node where state = 'refused'`).then(([reason]) =>
        /belongs to another library|is not the object store of this library/.test(reason ?? ''),
      ),
    );
    expect(await node.isReady()).toBe(false);
    expect([await uploadTo(node.url), await uploadTo(cluster.url)]).toEqual([503, 201]);
    await node.stop();
  }
  expect(await list('other')).toEqual(before);
  expect(await list('nothing')).toEqual([]);
  await others.stop();
});

/** Gives both servers the shared folders, one after the other. */
async function shareFolders(): Promise<void> {
  for (const node of cluster.nodes) {
    await node.stop();
    mountShares(node.machine, cluster.store);
    node.start();
    await node.untilReady();
  }
}

/** Tries a server whose folders are empty, until the shared ones are mounted. */
async function expectRefusedUntilMounted(): Promise<void> {
  const node = addServer(4);
  const { machine } = node;
  node.start();
  await until(() => machine.getLog('safelight').includes('is not the folder of this library'));
  expect(await node.isReady()).toBe(false);
  expect([await uploadTo(node.url), await uploadTo(cluster.url)]).toEqual([503, 201]);
  mountShares(machine, cluster.store);
  await node.stop();
  node.start();
  await node.untilReady();
  expect(await uploadTo(node.url)).toBe(201);
  await node.stop();
}

test('originals move to shared files and back under uploads and downloads', async () => {
  await shareFolders();
  const originals = new Map<string, string>();
  let isOver = false;
  const failed: string[] = [];
  const uploading = async () => {
    while (!isOver) {
      const bytes = randomBytes(50_000);
      const { status, id } = await upload(cluster.url, ann.key, bytes);
      if (status === 201) originals.set(id!, toSha1(bytes));
      else failed.push(`upload ${status}`);
    }
  };
  const downloading = async () => {
    for (let n = 0; !isOver; n += 1) {
      const [id, checksum] = [...originals][(n * 7) % Math.max(1, originals.size)] ?? [];
      const { url } = cluster.nodes[n % 2]!;
      if (id && (await download(url, ann.key, id)) !== checksum) failed.push(`download ${id}`);
      await Bun.sleep(20);
    }
  };
  const load = Promise.all([uploading(), downloading()]);
  await until(() => originals.size >= ORIGINALS);
  // Files are linked to their place from `incoming`: where both are one file system.
  writeSettings(cluster.store, cluster.options);
  const node = startOn(cluster.store, { ...getSettings(), SAFELIGHT_DATA: SHARED_DATA });
  const move = (to: string) => node.run('storage', 'move', '--to', to);
  expect(await move('files')).toContain(', 0 are bad');
  await expectRefusedUntilMounted();
  expect(await move('s3')).toContain(', 0 are bad');
  isOver = true;
  await load;
  expect(await move('s3')).toContain(', 0 are bad');
  expect(await node.run('storage', 'verify')).toContain(', 0 are not');
  for (const [id, checksum] of originals) {
    if ((await download(cluster.nodes[1].url, ann.key, id)) !== checksum)
      failed.push(`later ${id}`);
  }
  expect(failed).toEqual([]);
  const { total } = await send<{ total: number }>(cluster.url, 'GET /assets/statistics', {
    headers: { 'x-api-key': ann.key },
  });
  expect(total).toBeGreaterThanOrEqual(originals.size);
});
