import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import {
  call,
  NOW,
  seed,
  type TestDatabase,
  type TestUser,
  testApp,
  testDatabase,
} from '../../../test/harness.ts';
import { unlock } from '../../../test/library.ts';
import type { App } from '../../app.ts';
import { reconciliationBuckets, reconciliations } from '../../db/tables/backup.ts';
import { users } from '../../db/tables/users.ts';
import { fingerprintOf } from './inventory.store.ts';

let database: TestDatabase;
let app: App;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
});
afterAll(() => database.close());

const DEVICES = '/users/me/backup-devices' as const;

/** A hash of the bucket; `n` tells hashes of a bucket apart. */
const hashOf = (bucket: number, n: number): string =>
  bucket.toString(16).padStart(2, '0') +
  createHash('sha256').update(`${bucket} ${n}`).digest('hex').slice(2);

const bytesOf = (hash: string) => Buffer.from(hash, 'hex');
const digestOf = (hashes: readonly string[]) =>
  createHash('sha256')
    .update(bytesOf([...new Set(hashes)].sort().join('')))
    .digest('hex');
const inBucket = (hashes: readonly string[], index: number) =>
  hashes.filter((hash) => Number.parseInt(hash.slice(0, 2), 16) === index);

const bucketsOf = (hashes: readonly string[]) =>
  Array.from({ length: 256 }, (_, index) => {
    const own = inBucket(hashes, index);
    return { index, count: own.length, digest: digestOf(own) };
  });

const has = (ownerId: string, hash: string, over: object = {}) =>
  seed(database).asset({
    ownerId,
    sha256: bytesOf(hash),
    sha1: bytesOf(hash).subarray(0, 20),
    ...over,
  });

type Device = TestUser & { readonly deviceId: string };
async function newDevice(): Promise<Device> {
  const user = await seed(database).user();
  await unlock(database, user);
  return { ...user, deviceId: await register(user, 'k') };
}
async function register(user: TestUser, deviceKey: string): Promise<string> {
  const body = { deviceKey, name: 'n' };
  return (await call(app, `POST ${DEVICES}`, { as: user, body })).body.id;
}

const start = (me: Device, hashes: readonly string[]) =>
  call(app, `POST ${DEVICES}/${me.deviceId}/reconciliations`, {
    session: me,
    body: { buckets: bucketsOf(hashes) },
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
  const both = [hashOf(1, 0), hashOf(2, 0), hashOf(7, 0)];
  const missing = [hashOf(1, 1), hashOf(1, 2), hashOf(2, 1)].sort();
  for (const hash of [...both, hashOf(2, 9), hashOf(2, 8)]) await has(me.id, hash);
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
    send: (index: number) => send(me, runId, index, inBucket(hashes, index)),
  };
}

describe('a start', () => {
  test('ST-103: of equals is complete at once', async () => {
    const me = await newDevice();
    const hashes = [hashOf(0, 0), hashOf(0, 1), hashOf(255, 0)];
    for (const hash of hashes) await has(me.id, hash);
    const { status, body } = await start(me, hashes);
    expect(status).toBe(200);
    expect(body).toEqual({
      runId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      deviceId: me.deviceId,
      status: 'completed',
      checkedAt: NOW.toISOString(),
      deviceCount: 3,
      differingBuckets: [],
      pendingBuckets: [],
      matchedCount: 3,
      missingCount: 0,
      missingHashes: [],
      completedAt: NOW.toISOString(),
    });
  });

  test('of nothing with nothing is complete, of something with nothing is not', async () => {
    const me = await newDevice();
    expect((await start(me, [])).body).toMatchObject({ status: 'completed', deviceCount: 0 });
    const hash = hashOf(9, 9);
    const { body } = await start(me, [hash]);
    expect(body).toMatchObject({ status: 'started', differingBuckets: [9], matchedCount: 0 });
    expect((await send(me, body.runId, 9, [hash])).body.missingHashes).toEqual([hash]);
  });

  test('ends what the device left unfinished', async () => {
    const { me, hashes, runId, send: sendBucket } = await differing();
    await sendBucket(1);
    const next = (await start(me, hashes)).body;
    expect(next.pendingBuckets).toEqual([1, 2]);
    expect(await sendBucket(2)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    const { items, total } = await history(me);
    expect(total).toBe(2);
    expect(items.map((item: any) => [item.runId, item.status])).toEqual([
      [next.runId, 'started'],
      [runId, 'invalidated'],
    ]);
    expect(items[1]).toMatchObject({ missingCount: 2, validatedBucketCount: 1 });
    const kept = await database.sql`
      select distinct run_id from reconciliation_bucket join reconciliation on id = run_id
      where device_id = ${me.deviceId}`;
    expect(kept.map((row) => row['run_id'])).toEqual([next.runId]);
  });

  test('by two requests at once leaves one unfinished run', async () => {
    const { me, hashes } = await differing();
    const replies = await Promise.all(Array.from({ length: 4 }, () => start(me, hashes)));
    for (const { status, body } of replies) {
      if (status !== 200) {
        expect([status, body]).toEqual([
          409,
          expect.objectContaining({ code: 'snapshot_conflict', retryable: true }),
        ]);
      }
    }
    expect(replies.some(({ status }) => status === 200)).toBe(true);
    const statuses = (await history(me)).items.map((item: any) => item.status);
    expect(statuses.filter((status: string) => status === 'started')).toHaveLength(1);
  });

  test('LM-008: needs every bucket once, and no more than 2000 hashes in it', async () => {
    const me = await newDevice();
    const good = bucketsOf([]);
    const empty = digestOf([]);
    for (const buckets of [
      good.slice(1),
      [...good, { index: 0, count: 0, digest: empty }],
      good.map((bucket) => (bucket.index === 9 ? { ...bucket, index: 8 } : bucket)),
      good.map((bucket) => (bucket.index === 9 ? { ...bucket, count: 2001 } : bucket)),
      good.map((bucket) => (bucket.index === 9 ? { ...bucket, index: 256 } : bucket)),
      good.map((bucket) => (bucket.index === 9 ? { ...bucket, digest: 'abc' } : bucket)),
      good.map((bucket) => (bucket.index === 9 ? { ...bucket, digest: hashOf(1, 1) } : bucket)),
    ]) {
      const reply = await call(app, `POST ${DEVICES}/${me.deviceId}/reconciliations`, {
        session: me,
        body: { buckets },
      });
      expect(reply.status).toBe(400);
    }
    expect((await history(me)).total).toBe(0);
  });
});

describe('a bucket', () => {
  test('ST-104: the first of two leaves the run unfinished', async () => {
    const { started, missing, send } = await differing();
    const { status, body } = await send(1);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...started,
      status: 'started',
      completedAt: null,
      pendingBuckets: [2],
      matchedCount: 2,
      missingCount: 2,
      missingHashes: missing.slice(0, 2),
    });
  });

  test('ST-105: sent twice counts once', async () => {
    const { send } = await differing();
    const [first, second] = [await send(1), await send(1)];
    expect(second).toMatchObject({ status: 200, body: first.body });
  });

  test('ST-106: the last one completes the run, and may be sent again', async () => {
    const { me, missing, send, runId } = await differing();
    const first = await send(1);
    const last = await send(2);
    expect(last.body).toMatchObject({
      status: 'completed',
      pendingBuckets: [],
      differingBuckets: [1, 2],
      missingCount: 3,
      matchedCount: 3,
      completedAt: NOW.toISOString(),
    });
    expect([...first.body.missingHashes, ...last.body.missingHashes]).toEqual(missing);
    // Its answer may be lost on the way, and the inventory move on.
    await has(me.id, hashOf(200, 0));
    expect((await send(2)).body).toEqual(last.body);
    expect((await history(me)).items).toEqual([
      {
        runId,
        deviceId: me.deviceId,
        status: 'completed',
        checkedAt: NOW.toISOString(),
        deviceCount: 6,
        differingBucketCount: 2,
        validatedBucketCount: 2,
        matchedCount: 3,
        missingCount: 3,
        startedAt: NOW.toISOString(),
        completedAt: NOW.toISOString(),
      },
    ]);
    const list = await call(app, `GET ${DEVICES}`, { as: me });
    expect(list.body.items[0].lastReconciliation).toMatchObject({ runId, missingCount: 3 });
  });

  test('ST-107: what only the server has is not missing', async () => {
    const me = await newDevice();
    const mine = hashOf(3, 0);
    for (const n of [0, 1, 2, 3]) await has(me.id, hashOf(3, n));
    const { runId, differingBuckets } = (await start(me, [mine])).body;
    expect(differingBuckets).toEqual([3]);
    expect((await send(me, runId, 3, [mine])).body).toMatchObject({
      status: 'completed',
      missingCount: 0,
      matchedCount: 1,
      missingHashes: [],
    });
  });

  test('that the device has nothing in is sent empty', async () => {
    const me = await newDevice();
    await has(me.id, hashOf(3, 0));
    const { runId } = (await start(me, [])).body;
    expect((await send(me, runId, 3, [])).body).toMatchObject({ status: 'completed' });
  });

  test('that is equal may be sent, and changes nothing', async () => {
    const { hashes, me, runId, started } = await differing();
    expect((await send(me, runId, 7, inBucket(hashes, 7))).body).toEqual(started);
  });

  test('LM-009: that is not the one of the start → 400, and the run stays as it is', async () => {
    const { me, runId, hashes } = await differing();
    const own = inBucket(hashes, 1);
    for (const wrong of [
      own.slice(1),
      [...own, hashOf(1, 77)],
      [...own.slice(1), hashOf(1, 77)],
      [...own.slice(1), own[1]!],
      [...own.slice(1), hashOf(2, 0)],
    ]) {
      expect(await send(me, runId, 1, wrong)).toMatchObject({
        status: 400,
        body: { code: 'bucket_mismatch' },
      });
    }
    const many = Array.from({ length: 2001 }, (_, n) => hashOf(1, n));
    expect((await send(me, runId, 1, many)).status).toBe(400);
    expect((await send(me, runId, 1, ['x'.repeat(64)])).status).toBe(400);
    expect((await send(me, runId, 256, [])).status).toBe(400);
    const [run] = (await history(me)).items;
    expect(run).toMatchObject({ status: 'started', validatedBucketCount: 0, missingCount: 0 });
    expect((await send(me, runId, 1, own.toReversed())).status).toBe(200);
  });

  test('may be written in base64', async () => {
    const { me, runId, hashes, missing } = await differing();
    const own = inBucket(hashes, 1).map((hash) => bytesOf(hash).toString('base64'));
    expect((await send(me, runId, 1, own)).body.missingHashes).toEqual(missing.slice(0, 2));
  });
});

describe('a changed inventory', () => {
  for (const [name, change] of [
    ['an upload', (me: Device) => has(me.id, hashOf(100, 0))],
    [
      'a removal',
      (me: Device) => database.sql`
      delete from asset where owner_id = ${me.id} and sha256 = ${bytesOf(hashOf(7, 0))}`,
    ],
    [
      'a file found missing',
      () => database.sql`
      update original set missing_at = now() where sha256 = ${bytesOf(hashOf(7, 0))}`,
    ],
  ] as const) {
    test(`ST-108: after ${name} the run is over, and a new one works`, async () => {
      const { me, hashes, send } = await differing();
      expect((await send(1)).status).toBe(200);
      await change(me);
      expect(await send(2)).toMatchObject({
        status: 409,
        body: { code: 'inventory_changed', retryable: false },
      });
      expect(await send(2)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
      expect((await history(me)).items[0]).toMatchObject({ status: 'invalidated' });
      expect((await start(me, hashes)).body).toMatchObject({ status: 'started' });
      await database.sql`update original set missing_at = null where missing_at is not null`;
    });
  }

  test('ER-015: tells that trying again is useless', async () => {
    const { me, send } = await differing();
    await has(me.id, hashOf(101, 0));
    expect((await send(1)).body).toMatchObject({ code: 'inventory_changed', retryable: false });
  });

  test('is not one that only moves items, nor one of somebody else', async () => {
    const { me, send } = await differing();
    const stranger = await newDevice();
    await has(stranger.id, hashOf(1, 1));
    await database.sql`
      update asset set is_favorite = true, visibility = 'archive', locked_at = now(),
        trashed_at = now(), file_name = 'x' where owner_id = ${me.id}`;
    expect((await send(1)).body.missingCount).toBe(2);
  });
});

test('ER-010: of two requests that collide the loser may try again', async () => {
  const { hashes, me, runId, send: sendBucket } = await differing();
  await database.sql.begin(async (other) => {
    await other`select 1 from reconciliation where id = ${runId} for update`;
    expect(await sendBucket(1)).toMatchObject({
      status: 409,
      body: { code: 'snapshot_conflict', retryable: true },
    });
  });
  expect((await sendBucket(1)).status).toBe(200);

  let left = Array.from({ length: 6 }, () => 2);
  while (left.length > 0) {
    const replies = await Promise.all(left.map((index) => sendBucket(index)));
    const lost = replies.filter(({ status }) => status !== 200);
    for (const { body } of lost) expect(body.code).toBe('snapshot_conflict');
    left = lost.map(() => 2);
  }
  expect((await send(me, runId, 1, inBucket(hashes, 1))).body).toMatchObject({
    status: 'completed',
    missingCount: 3,
    matchedCount: 3,
  });
});

describe('the inventory', () => {
  test('is what the caller has, wherever it is, if its file is there', async () => {
    const me = await newDevice();
    const other = await newDevice();
    const hashes = Array.from({ length: 5 }, (_, n) => hashOf(4, n));
    await has(me.id, hashes[0]!, { lockedAt: NOW });
    await has(me.id, hashes[1]!, { trashedAt: NOW });
    await has(me.id, hashes[2]!, { visibility: 'hidden' });
    await has(me.id, hashes[3]!);
    await has(other.id, hashes[4]!);
    expect((await start(me, hashes.slice(0, 4))).body).toMatchObject({ status: 'completed' });

    const found = (await start(me, hashes)).body;
    expect((await send(me, found.runId, 4, hashes)).body.missingHashes).toEqual([hashes[4]]);

    await database.sql`
      update original set missing_at = now() where sha256 = ${bytesOf(hashes[3]!)}`;
    const lost = (await start(me, hashes)).body;
    const result = (await send(me, lost.runId, 4, hashes)).body;
    expect(result).toMatchObject({ status: 'completed', missingCount: 2 });
    expect(result.missingHashes).toEqual(hashes.slice(3).sort());
    await database.sql`
      update original set missing_at = null where sha256 = ${bytesOf(hashes[3]!)}`;
    expect((await start(me, hashes.slice(0, 4))).body).toMatchObject({ status: 'completed' });
  });

  test("of others is not compared, also by administrators, and partners' is none of theirs", async () => {
    const me = await newDevice();
    await database.db.update(users).set({ isAdmin: true }).where(eq(users.id, me.id));
    const other = await newDevice();
    await has(other.id, hashOf(5, 0));
    await database.sql`
      insert into partner (sharer_id, viewer_id, in_timeline) values (${other.id}, ${me.id}, true)`;
    const { body } = await start(me, [hashOf(5, 0)]);
    expect((await send(me, body.runId, 5, [hashOf(5, 0)])).body.missingCount).toBe(1);
  });

  test('has a fingerprint that follows the set and nothing else', async () => {
    const me = await newDevice();
    const of = () => fingerprintOf(database.db, me.id);
    const before = await of();
    const id = await has(me.id, hashOf(6, 0));
    const one = await of();
    expect(one).not.toBe(before);
    await database.sql`update asset set trashed_at = now() where id = ${id}`;
    expect(await of()).toBe(one);
    await has(me.id, hashOf(6, 1));
    expect(await of()).not.toBe(one);
    await database.sql`delete from asset where sha256 = ${bytesOf(hashOf(6, 1))}`;
    expect(await of()).toBe(one);
  });

  test('counts a file that is found missing while somebody uploads it', async () => {
    const me = await newDevice();
    const hash = hashOf(8, 0);
    const other = await newDevice();
    await has(other.id, hash);
    const uploaded = Promise.withResolvers<void>();
    const marked = Promise.withResolvers<void>();
    const uploading = database.sql.begin(async (sql) => {
      await sql`insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at,
          local_taken_at, file_modified_at)
        values (${me.id}, 'IMAGE', ${bytesOf(hash)}, ${bytesOf(hash).subarray(0, 20)}, 'a', 1,
          now(), now(), now())`;
      uploaded.resolve();
      await marked.promise;
    });
    await uploaded.promise;
    const marking = database.sql`
      update original set missing_at = now() where sha256 = ${bytesOf(hash)}`.execute();
    const isWaiting = async () =>
      (
        await database.sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      ).length > 0;
    while (!(await isWaiting()));
    marked.resolve();
    await uploading;
    await marking;
    // What it would be without the mark.
    const [row] = await database.sql`select hash_bits(${bytesOf(hash)})::text as bits`;
    expect(await fingerprintOf(database.db, me.id)).not.toBe(`1.${row!['bits']}`);
  });
});

describe('who may', () => {
  test('AU-013: only a session whose PIN was entered', async () => {
    const { me, runId, hashes } = await differing();
    await database.sql`update session set elevated_until = null where user_id = ${me.id}`;
    const routes = [
      [`GET ${DEVICES}/${me.deviceId}/reconciliations`, undefined],
      [`POST ${DEVICES}/${me.deviceId}/reconciliations`, { buckets: bucketsOf(hashes) }],
      [
        `POST ${DEVICES}/${me.deviceId}/reconciliations/${runId}/buckets`,
        { index: 1, hashes: inBucket(hashes, 1) },
      ],
    ] as const;
    for (const [route, body] of routes) {
      for (const caller of [{ session: me }, { as: me }]) {
        expect(await call(app, route, { ...caller, body })).toMatchObject({
          status: 401,
          body: { code: 'elevation_required' },
        });
      }
      expect((await call(app, route, { body })).status).toBe(401);
    }
    // A key beside the unlocked session must hold the permission.
    await unlock(database, me);
    const narrow = await seed(database).user(['user.read']);
    await database.sql`update api_key set user_id = ${me.id} where user_id = ${narrow.id}`;
    for (const [route, body] of routes) {
      expect((await call(app, route, { session: me, as: narrow, body })).status).toBe(403);
    }
  });

  test('AU-014: not while hidden content is filtered', async () => {
    const { me, hashes, send: sendBucket } = await differing();
    const body = { lockedContent: { filterEnabled: true } };
    await call(app, 'PUT /users/me/preferences', { session: me, body });
    const refused = { status: 403, body: { code: 'hidden_content_filter_active' } };
    expect(await start(me, hashes)).toMatchObject(refused);
    expect(await sendBucket(1)).toMatchObject(refused);
    const route = `GET ${DEVICES}/${me.deviceId}/reconciliations` as const;
    expect(await call(app, route, { session: me })).toMatchObject(refused);
    const off = { lockedContent: { filterEnabled: false } };
    await call(app, 'PUT /users/me/preferences', { session: me, body: off });
    expect((await sendBucket(1)).status).toBe(200);
  });

  test('only the owner of the device, with a run of that device', async () => {
    const { me, runId, hashes } = await differing();
    const stranger = await newDevice();
    const notFound = { status: 404, body: { code: 'not_found' } };
    const own = inBucket(hashes, 1);
    expect(await start({ ...stranger, deviceId: me.deviceId }, hashes)).toMatchObject(notFound);
    expect(await send(stranger, runId, 1, own)).toMatchObject(notFound);
    const asOwner = { ...stranger, deviceId: me.deviceId };
    expect(await send(asOwner, runId, 1, own)).toMatchObject(notFound);
    const second = { ...me, deviceId: await register(me, 'second') };
    expect(await send(second, runId, 1, own)).toMatchObject(notFound);
    expect((await send(me, runId, 1, own)).status).toBe(200);
  });

  test('ID-003: an id of any version is unknown, not malformed', async () => {
    const { me, runId, hashes } = await differing();
    const own = inBucket(hashes, 1);
    const notFound = { status: 404, body: { code: 'not_found' } };
    for (const id of [V1, crypto.randomUUID(), Bun.randomUUIDv7(), NIL, MAX]) {
      expect(await send(me, id, 1, own)).toMatchObject(notFound);
      expect(await send({ ...me, deviceId: id }, runId, 1, own)).toMatchObject(notFound);
    }
    expect((await send(me, 'x', 1, own)).status).toBe(400);
  });

  test('not with a removed device, until it is back', async () => {
    const { me, hashes, send: sendBucket } = await differing();
    await call(app, `DELETE ${DEVICES}/${me.deviceId}`, { as: me });
    const notFound = { status: 404, body: { code: 'not_found' } };
    expect(await start(me, hashes)).toMatchObject(notFound);
    expect(await sendBucket(1)).toMatchObject(notFound);
    expect((await history(me)).total).toBe(1);
    await register(me, 'k');
    expect((await sendBucket(1)).status).toBe(200);
  });
});

const V1 = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const NIL = '00000000-0000-0000-0000-000000000000';
const MAX = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

test('the digests kept from a start are used only while they are true', async () => {
  const me = await newDevice();
  await has(me.id, hashOf(10, 0));
  await start(me, []);
  const kept = () => database.sql`
    select fingerprint from inventory_digest where owner_id = ${me.id}`;
  expect((await kept())[0]!['fingerprint']).toBe(await fingerprintOf(database.db, me.id));
  await has(me.id, hashOf(11, 0));
  expect((await start(me, [hashOf(10, 0), hashOf(11, 0)])).body.status).toBe('completed');
  expect((await kept())[0]!['fingerprint']).toBe(await fingerprintOf(database.db, me.id));
  const { body } = await start(me, [hashOf(10, 0)]);
  expect(body.differingBuckets).toEqual([11]);
  const rows = await database.db
    .select()
    .from(reconciliationBuckets)
    .innerJoin(reconciliations, eq(reconciliations.id, reconciliationBuckets.runId))
    .where(
      and(eq(reconciliations.deviceId, me.deviceId), eq(reconciliationBuckets.isDiffering, true)),
    );
  expect(rows).toHaveLength(1);
});
