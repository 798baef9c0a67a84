import { afterAll, beforeAll, expect } from 'bun:test';
import { createHash } from 'node:crypto';
import type { App } from '../../src/app.ts';
import { call, seed, testApp, type TestDatabase, testDatabase, type TestUser } from './harness.ts';
import { unlock } from './household.ts';

// A phone that compares what it has with the server, and can do everything wrong.

export const DEVICES = '/users/me/backup-devices';

/** A hash of the bucket; `n` tells hashes of a bucket apart. */
export const createHash256 = (bucket: number, n: number): string =>
  bucket.toString(16).padStart(2, '0') +
  createHash('sha256').update(`${bucket} ${n}`).digest('hex').slice(2);

export const hashToBytes = (hash: string): Buffer => Buffer.from(hash, 'hex');

export const computeDigest = (hashes: readonly string[]): string =>
  createHash('sha256')
    .update(hashToBytes([...new Set(hashes)].sort().join('')))
    .digest('hex');

export const filterBucket = (hashes: readonly string[], index: number): string[] =>
  hashes.filter((hash) => Number.parseInt(hash.slice(0, 2), 16) === index);

export const toBuckets = (hashes: readonly string[]) =>
  Array.from({ length: 256 }, (_, index) => {
    const own = filterBucket(hashes, index);
    return { index, count: own.length, digest: computeDigest(own) };
  });

export type Device = TestUser & { readonly deviceId: string };

/** A server per file, and what devices send to it. */
export function setUpReconciliation() {
  let database: TestDatabase;
  let app: App;
  beforeAll(async () => {
    database = await testDatabase();
    app = testApp(database);
  });
  afterAll(() => database.close());

  const has = (ownerId: string, hash: string, over: object = {}) =>
    seed(database).asset({
      ownerId,
      sha256: hashToBytes(hash),
      sha1: hashToBytes(hash).subarray(0, 20),
      ...over,
    });
  async function register(user: TestUser, deviceKey: string): Promise<string> {
    const body = { deviceKey, name: 'n' };
    return (await call(app, `POST ${DEVICES}`, { as: user, body })).body.id;
  }
  async function newDevice(): Promise<Device> {
    const user = await seed(database).user();
    await unlock(database, user);
    return { ...user, deviceId: await register(user, 'k') };
  }
  const start = (me: Device, hashes: readonly string[]) =>
    call(app, `POST ${DEVICES}/${me.deviceId}/reconciliations`, {
      session: me,
      body: { buckets: toBuckets(hashes) },
    });
  const send = (me: Device, runId: string, index: number, hashes: readonly string[]) =>
    call(app, `POST ${DEVICES}/${me.deviceId}/reconciliations/${runId}/buckets`, {
      session: me,
      body: { index, hashes },
    });
  const history = async (me: Device) =>
    (await call(app, `GET ${DEVICES}/${me.deviceId}/reconciliations`, { session: me })).body;

  /** Buckets 1 and 2 differ: of the device's hashes the server lacks two and one; it has more itself. */
  async function differing() {
    const me = await newDevice();
    const both = [createHash256(1, 0), createHash256(2, 0), createHash256(7, 0)];
    const missing = [createHash256(1, 1), createHash256(1, 2), createHash256(2, 1)].sort();
    for (const hash of [...both, createHash256(2, 9), createHash256(2, 8)]) await has(me.id, hash);
    const hashes = [...both, ...missing];
    const { status, body } = await start(me, hashes);
    expect([status, body.differingBuckets]).toEqual([200, [1, 2]]);
    const runId: string = body.runId;
    return {
      me,
      hashes,
      missing,
      started: body,
      runId,
      send: (index: number) => send(me, runId, index, filterBucket(hashes, index)),
    };
  }
  return {
    get database() {
      return database;
    },
    get app() {
      return app;
    },
    has,
    register,
    newDevice,
    start,
    send,
    history,
    differing,
  };
}
