import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { photoLikeJpeg } from '../fixtures/index.ts';
import { until } from '../support/until.ts';
import { type Account, download, send, signUp, toSha1, upload } from './clients.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { findPrimary, untilReplicated } from './database.ts';

// The files of appliance/cluster, each in its place: what clients see of it, and what is lost when a machine goes off.

setDefaultTimeout(600_000);

/** A primary that is off is replaced within `ttl` of patroni.yml; the rest is for a busy machine. */
const FAILOVER_MS = 60_000;

let cluster: Cluster;
let ann: Account;
beforeAll(async () => {
  cluster = await startCluster();
  ann = await signUp(cluster.url);
});
afterAll(() => cluster?.stop());

const get = (url: string, path: string) =>
  fetch(`${url}/api${path}`, {
    headers: { 'x-api-key': ann.key },
    signal: AbortSignal.timeout(40_000),
  });

test('what comes through the balancer is there at each server: original and thumbnail', async () => {
  const photo = await photoLikeJpeg(800, 600);
  const { status, id } = await upload(cluster.url, ann.key, photo, 'a.jpg');
  expect(status).toBe(201);
  for (const { url } of cluster.nodes) {
    expect(await download(url, ann.key, id!)).toBe(toSha1(photo));
    await until(async () => (await get(url, `/assets/${id}/thumbnail`)).status === 200);
    expect((await fetch(`${url}/api/assets/${id}/original`)).status).toBe(401);
  }
});

test('a server that goes off takes nobody with it', async () => {
  const [first] = cluster.nodes;
  await first.kill();
  // The balancer has noticed.
  await until(async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => get(cluster.url, '/users/me').then((found) => found.status)),
    );
    return answers.every((status) => status === 200);
  }, 10_000);
  expect((await upload(cluster.url, ann.key, randomBytes(10_000))).status).toBe(201);
  first.start();
  await first.untilReady();
});

test('a primary that goes off is replaced, and nothing that was acknowledged is lost', async () => {
  const primary = cluster.databases[await findPrimary(cluster.databases)]!;
  const [standby] = cluster.databases.filter((database) => database !== primary);
  const acknowledged = new Map<string, string>();
  let isOver = false;
  const backAt: { promoted?: number; read?: number; upload?: number } = {};
  const from = performance.now();
  const since = () => Math.round(performance.now() - from);
  const uploading = (async () => {
    while (!isOver) {
      const [bytes, before] = [randomBytes(10_000), since()];
      const { status, id } = await upload(cluster.url, ann.key, bytes).catch(() => ({
        status: 0,
        id: undefined,
      }));
      if (status === 201) acknowledged.set(id!, toSha1(bytes));
      if (status === 201 && before > (backAt.promoted ?? Infinity)) backAt.upload ??= since();
      await Bun.sleep(50);
    }
  })();
  await until(() => acknowledged.size > 5);
  await primary.kill();
  await until(() => standby!.is('primary'), FAILOVER_MS);
  backAt.promoted = since();
  await until(async () => (await get(cluster.url, '/users/me')).status === 200, 10_000);
  backAt.read = since();
  await until(() => backAt.upload !== undefined, 20_000);
  isOver = true;
  await uploading;
  console.log('primary killed, ms until', backAt);
  for (const [id, checksum] of acknowledged) {
    expect(await download(cluster.url, ann.key, id)).toBe(checksum);
  }
  primary.start();
  await untilReplicated(cluster.databases);
  expect(await primary.is('replica')).toBe(true);
});

test('the commands of an administrator work with the settings of a server', async () => {
  const [node] = cluster.nodes;
  expect(await node.run('status', '--nodes')).toMatch(/^node2 +server +ready/m);
  expect(await node.run('doctor')).toMatch(/^ok +object store +http:\/\/store:7480\/photos/m);
  expect(await node.run('storage', 'verify')).toContain(', 0 are not');
  const [key, secret] = [...cluster.options.credentials.matchAll(/= (\S+)/g)].map(
    ([, word]) => word,
  );
  const signed = `--aws-sigv4 aws:amz:default:s3 --user ${key}:${secret}`;
  const digest = '--header x-amz-content-sha256:UNSIGNED-PAYLOAD';
  const bucket = '--request PUT http://store:7480/another';
  await cluster.store.run(['sh', '-c', `curl --fail ${signed} ${digest} ${bucket}`]);
  const { length } = await send<unknown[]>(cluster.url, 'GET /users', {
    headers: { 'x-api-key': ann.key },
  });
  expect(length).toBe(1);
});
