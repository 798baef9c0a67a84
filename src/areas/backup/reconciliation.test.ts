import { describe, expect, test } from 'bun:test';
import { call, NOW } from '../../../test/support/harness.ts';
import {
  toBuckets,
  hashToBytes,
  DEVICES,
  computeDigest,
  createHash256,
  filterBucket,
  setUpReconciliation,
} from '../../../test/support/reconciling.ts';

const server = setUpReconciliation();
const { differing, has, history, newDevice, send, start } = server;

describe('a start', () => {
  test('ST-103: of equal inventories is complete at once', async () => {
    const me = await newDevice();
    const hashes = [createHash256(0, 0), createHash256(0, 1), createHash256(255, 0)];
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

  test('is complete for two empty inventories, and not if the server lacks a hash', async () => {
    const me = await newDevice();
    expect((await start(me, [])).body).toMatchObject({ status: 'completed', deviceCount: 0 });
    const hash = createHash256(9, 9);
    const { body } = await start(me, [hash]);
    expect(body).toMatchObject({ status: 'started', differingBuckets: [9], matchedCount: 0 });
    expect((await send(me, body.runId, 9, [hash])).body.missingHashes).toEqual([hash]);
  });

  test('ends the unfinished run of the device', async () => {
    const { me, hashes, runId, send: sendBucket } = await differing();
    await sendBucket(1);
    const next = (await start(me, hashes)).body;
    expect(next.pendingBuckets).toEqual([1, 2]);
    expect(await sendBucket(2)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
    const { items, total } = await history(me);
    expect(total).toBe(2);
    expect(
      items.map((item: { runId: string; status: string }) => [item.runId, item.status]),
    ).toEqual([
      [next.runId, 'started'],
      [runId, 'invalidated'],
    ]);
    expect(items[1]).toMatchObject({ missingCount: 2, validatedBucketCount: 1 });
    const kept = await server.database.sql`
      select distinct run_id from reconciliation_bucket join reconciliation on id = run_id
      where device_id = ${me.deviceId}`;
    expect(kept.map((row) => row['run_id'])).toEqual([next.runId]);
  });

  test('by two concurrent requests leaves one unfinished run', async () => {
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
    const statuses = (await history(me)).items.map((item: { status: string }) => item.status);
    expect(statuses.filter((status: string) => status === 'started')).toHaveLength(1);
  });

  test('LM-008: needs every bucket once, and no more than 2000 hashes in it', async () => {
    const me = await newDevice();
    const good = toBuckets([]);
    const empty = computeDigest([]);
    for (const buckets of [
      good.slice(1),
      [...good, { index: 0, count: 0, digest: empty }],
      good.map((bucket) => (bucket.index === 9 ? { ...bucket, index: 8 } : bucket)),
      good.map((bucket) => (bucket.index === 9 ? { ...bucket, count: 2001 } : bucket)),
      good.map((bucket) => (bucket.index === 9 ? { ...bucket, index: 256 } : bucket)),
      good.map((bucket) => (bucket.index === 9 ? { ...bucket, digest: 'abc' } : bucket)),
      good.map((bucket) =>
        bucket.index === 9 ? { ...bucket, digest: createHash256(1, 1) } : bucket,
      ),
    ]) {
      const reply = await call(server.app, `POST ${DEVICES}/${me.deviceId}/reconciliations`, {
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
    await has(me.id, createHash256(200, 0));
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
    const list = await call(server.app, `GET ${DEVICES}`, { as: me });
    expect(list.body.items[0].lastReconciliation).toMatchObject({ runId, missingCount: 3 });
  });

  test('ST-107: hashes that only the server has are not missing', async () => {
    const me = await newDevice();
    const mine = createHash256(3, 0);
    for (const n of [0, 1, 2, 3]) await has(me.id, createHash256(3, n));
    const { runId, differingBuckets } = (await start(me, [mine])).body;
    expect(differingBuckets).toEqual([3]);
    expect((await send(me, runId, 3, [mine])).body).toMatchObject({
      status: 'completed',
      missingCount: 0,
      matchedCount: 1,
      missingHashes: [],
    });
  });

  test('without hashes on the device is sent empty', async () => {
    const me = await newDevice();
    await has(me.id, createHash256(3, 0));
    const { runId } = (await start(me, [])).body;
    expect((await send(me, runId, 3, [])).body).toMatchObject({ status: 'completed' });
  });

  test('that is equal may be sent and changes nothing', async () => {
    const { hashes, me, runId, started } = await differing();
    expect((await send(me, runId, 7, filterBucket(hashes, 7))).body).toEqual(started);
  });

  test('LM-009: that differs from the one announced by the start → 400, and the run is unchanged', async () => {
    const { me, runId, hashes } = await differing();
    const own = filterBucket(hashes, 1);
    for (const wrong of [
      own.slice(1),
      [...own, createHash256(1, 77)],
      [...own.slice(1), createHash256(1, 77)],
      [...own.slice(1), own[1]!],
      [...own.slice(1), createHash256(2, 0)],
    ]) {
      expect(await send(me, runId, 1, wrong)).toMatchObject({
        status: 400,
        body: { code: 'bucket_mismatch' },
      });
    }
    const many = Array.from({ length: 2001 }, (_, n) => createHash256(1, n));
    expect((await send(me, runId, 1, many)).status).toBe(400);
    expect((await send(me, runId, 1, ['x'.repeat(64)])).status).toBe(400);
    expect((await send(me, runId, 256, [])).status).toBe(400);
    const [run] = (await history(me)).items;
    expect(run).toMatchObject({ status: 'started', validatedBucketCount: 0, missingCount: 0 });
    expect((await send(me, runId, 1, own.toReversed())).status).toBe(200);
  });

  test('accepts hashes in base64', async () => {
    const { me, runId, hashes, missing } = await differing();
    const own = filterBucket(hashes, 1).map((hash) => hashToBytes(hash).toString('base64'));
    expect((await send(me, runId, 1, own)).body.missingHashes).toEqual(missing.slice(0, 2));
  });
});

test('ER-010: the loser of two conflicting requests gets a retryable error', async () => {
  const { hashes, me, runId, send: sendBucket } = await differing();
  await server.database.sql.begin(async (other) => {
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
  expect((await send(me, runId, 1, filterBucket(hashes, 1))).body).toMatchObject({
    status: 'completed',
    missingCount: 3,
    matchedCount: 3,
  });
});
