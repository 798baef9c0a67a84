import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { photoLikeJpeg } from '../fixtures/index.ts';
import { until } from '../support/until.ts';
import { type Account, download, signUp, toSha1, upload } from './clients.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { makePrimary } from './database.ts';
import { type Machine, runHere } from './machines.ts';
import { type Node, readSettings, startOn } from './nodes.ts';

// A library of one machine becomes that of a cluster and comes back, by the commands of appliance/docs/cluster.md.

setDefaultTimeout(600_000);

const PHOTOS = 4;
const DATA = '/var/lib/safelight';

let cluster: Cluster;
let box: Machine;
/** Settings of the object store, without a database elsewhere. */
let store: Readonly<Record<string, string>>;
beforeAll(async () => {
  cluster = await startCluster({ isServing: false });
  box = cluster.network.add('box', '10.0.0.41');
  for (const path of [DATA, '/etc/safelight']) mkdirSync(box.getPath(path), { recursive: true });
  writeFileSync(box.getPath('/etc/safelight/s3'), cluster.options.credentials, { mode: 0o600 });
  runHere('chown', '-R', 'safelight:', box.getPath('/etc/safelight'), box.getPath(DATA));
  const [{ machine }] = cluster.nodes;
  store = Object.fromEntries(
    Object.entries(readSettings(machine)).filter(([name]) =>
      name.startsWith('SAFELIGHT_OBJECT_STORE'),
    ),
  );
});
afterAll(() => cluster?.stop());

const startBox = async (env: Readonly<Record<string, string>> = {}): Promise<Node> => {
  const node = startOn(box, { SAFELIGHT_DATA: DATA, ...env });
  node.start();
  await node.untilReady();
  return node;
};

/** Copies the dumps: all else is in the object store. */
const copyDumps = (from: Machine, to: Machine): void =>
  void runHere('rsync', '-a', from.getPath(`${DATA}/backups`), to.getPath(DATA));

/** Writes a dump; returns where it is. */
async function backUp(node: Node): Promise<string> {
  const said = await node.run('maintenance', 'backup');
  expect(said).toContain(`${DATA}/backups/`);
  return said.trim();
}

async function expectAll(url: string, ann: Account, photos: ReadonlyMap<string, string>) {
  for (const [id, checksum] of photos) {
    expect(await download(url, ann.key, id)).toBe(checksum);
    const headers = { 'x-api-key': ann.key };
    await until(
      async () => (await fetch(`${url}/api/assets/${id}/thumbnail`, { headers })).status === 200,
    );
  }
}

test('a library moves from one machine to a cluster, and back', async () => {
  // They have been set up: with a library of their own, which nobody has used.
  for (const node of cluster.nodes) {
    node.start();
    await node.untilReady();
    await node.stop();
  }
  const single = await startBox();
  const ann = await signUp(single.url);
  const photos = new Map<string, string>();
  const add = async (url: string) => {
    const photo = await photoLikeJpeg(400 + photos.size, 300);
    photos.set((await upload(url, ann.key, photo, 'a.jpg')).id!, toSha1(photo));
  };
  for (let n = 0; n < PHOTOS; n += 1) await add(single.url);
  await expectAll(single.url, ann, photos);

  await single.stop();
  const moving = await startBox(store);
  expect(await moving.run('storage', 'move', '--to', 's3')).toContain('moved 4 originals');
  await moving.stop();
  const dump = await backUp(moving);
  const [first, second] = cluster.nodes;
  copyDumps(box, first.machine);
  await makePrimary(cluster.databases, 1);
  await first.run('maintenance', 'restore', dump);
  for (const node of cluster.nodes) {
    await node.run('maintenance', 'accept-folders');
    node.start();
  }
  for (const node of cluster.nodes) await node.untilReady();
  await add(first.url);
  await expectAll(second.url, ann, photos);

  for (const node of cluster.nodes) await node.stop();
  const later = await backUp(first);
  copyDumps(first.machine, box);
  await moving.run('maintenance', 'restore', later);
  moving.start();
  await moving.untilReady();
  expect(await moving.run('storage', 'move', '--to', 'files')).toContain('0 are bad');
  await moving.stop();
  const back = await startBox();
  await expectAll(back.url, ann, photos);
  expect(photos.size).toBe(PHOTOS + 1);
  expect(await back.run('maintenance', 'verify')).toContain('5');
  await back.stop();
});
