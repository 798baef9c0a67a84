import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { createSeededRandom } from '../support/effort.ts';
import {
  append,
  type Client,
  formatAppend,
  getUploadState,
  INCOMPLETE,
  reserve,
} from '../support/resumable.ts';
import { closeAllConnections, openConnection, type Wire } from '../support/wire.ts';
import { type Account, download, send, signUp, toSha1 } from './clients.ts';
import { type Cluster, startCluster } from './cluster.ts';

// Resumable uploads through two servers with folders of their own, which stop, die and are cut off in between.

setDefaultTimeout(3_600_000);
const SECONDS = Number(process.env['SAFELIGHT_TEST_CLUSTER_SECONDS'] ?? 120) / 2;
const ANSWER_MS = 60_000;
const PAUSE_MS = 300;

const random = createSeededRandom('cluster uploads');
let cluster: Cluster;
let ann: Account;
beforeAll(async () => {
  cluster = await startCluster();
  ann = await signUp(cluster.url);
});
afterAll(() => cluster?.stop());

const pickClient = (): Client => {
  const { machine } = cluster.nodes[random.below(2)]!;
  return { host: machine.address, port: 2283, key: ann.key };
};

const withDeadline = <T>(work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    Bun.sleep(ANSWER_MS).then((): never => {
      throw new Error('the connection timed out without a final answer');
    }),
  ]);

/** Sends bytes of a request for the whole rest of the file, which hangs then. */
async function beginAppend(client: Client, location: string, file: Uint8Array, from: number) {
  const wire = await openConnection(client.port, client);
  formatAppend(wire, client, location, from, file.subarray(from, from + random.below(50_000)), {
    headers: { 'content-length': file.length - from },
  });
  return wire;
}

const counts = { acknowledged: 0, anew: 0, hanging: 0, disturbed: 0 };

/** Sends a part of the file. Returns the upload, which is another if it had to begin anew; undefined when it is complete. */
async function step(location: string, file: Uint8Array, hanging: Wire[]) {
  const client = pickClient();
  const [status, offset, complete] = await withDeadline(getUploadState(client, location));
  if (complete === '?1') return undefined;
  if (status === 404) {
    counts.anew += 1;
    return withDeadline(reserve(pickClient(), file));
  }
  if (status !== 204) {
    await Bun.sleep(PAUSE_MS);
    return location;
  }
  const from = Number(offset);
  const to = Math.min(file.length, from + 1 + random.below(150_000));
  if (random.below(4) === 0) {
    counts.hanging += 1;
    hanging.push(await beginAppend(client, location, file, from));
    return location;
  }
  const headers = to === file.length ? {} : INCOMPLETE;
  const part = append(client, location, from, file.subarray(from, to), { headers });
  return (await withDeadline(part)).status === 202 ? undefined : location;
}

/** Resolves when the file was acknowledged, however often its server is lost. */
async function upload(file: Uint8Array): Promise<void> {
  const hanging: Wire[] = [];
  for (let location: string | undefined = ''; location !== undefined;) {
    try {
      location =
        location === ''
          ? await withDeadline(reserve(pickClient(), file))
          : await step(location, file, hanging);
    } catch (error) {
      // Its server was killed, stopped or cut off, or has said so.
      if (!/without a final answer|refused|reset|timed out|not reserved: 5/i.test(String(error))) {
        throw error;
      }
      await Bun.sleep(PAUSE_MS);
    }
  }
  // The hanging ones come back with other bytes.
  for (const wire of hanging) wire.write(randomBytes(50_000));
  counts.acknowledged += 1;
}

/** Stops, cuts off or kills one of the servers for a moment. */
async function disturb(): Promise<void> {
  const node = cluster.nodes[random.below(2)]!;
  counts.disturbed += 1;
  const how = random.below(3);
  if (how === 0) {
    node.signal('SIGSTOP');
    await Bun.sleep(random.below(3000));
    return node.signal('SIGCONT');
  }
  if (how === 1) {
    node.machine.setConnected(false);
    await Bun.sleep(random.below(3000));
    return node.machine.setConnected(true);
  }
  await node.kill();
  node.start();
  await node.untilReady();
}

test('each upload that was acknowledged is what was sent', async () => {
  const end = performance.now() + SECONDS * 1000;
  const files: Uint8Array[] = [];
  const uploadUntilEnd = async () => {
    while (performance.now() < end) {
      const file = randomBytes(100_000 + random.below(300_000));
      await upload(file);
      files.push(file);
    }
  };
  const disturbUntilEnd = async () => {
    while (performance.now() < end) {
      await Bun.sleep(1000 + random.below(3000));
      await disturb();
    }
  };
  await Promise.all([uploadUntilEnd(), uploadUntilEnd(), disturbUntilEnd()]);
  closeAllConnections();
  console.log(counts);
  expect(counts.acknowledged).toBeGreaterThan(5);
  for (const file of files) {
    const checksum = createHash('sha1').update(file).digest('hex');
    const { results } = await send<{ results: { assetId: string }[] }>(
      cluster.url,
      'POST /assets/bulk-upload-check',
      { headers: { 'x-api-key': ann.key }, body: { assets: [{ id: 'a', checksum }] } },
    );
    for (const { url } of cluster.nodes) {
      expect(await download(url, ann.key, results[0]!.assetId)).toBe(toSha1(file));
    }
  }
});
