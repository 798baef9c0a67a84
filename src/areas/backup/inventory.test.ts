import { describe, expect, test } from 'bun:test';
import { and, eq } from 'drizzle-orm';
import { waitUntilBlocked } from '../../../test/support/blocked-statements.ts';
import { NOW } from '../../../test/support/harness.ts';
import {
  hashToBytes,
  type Device,
  createHash256,
  setUpReconciliation,
} from '../../../test/support/reconciling.ts';
import { reconciliationBuckets, reconciliations } from '../../db/tables/backup.ts';
import { users } from '../../db/tables/identity.ts';
import { computeFingerprint } from './inventory.store.ts';

const server = setUpReconciliation();
const { differing, has, history, newDevice, send, start } = server;

describe('a changed inventory', () => {
  for (const [name, change] of [
    ['an upload', (me: Device) => has(me.id, createHash256(100, 0))],
    [
      'a removal',
      (me: Device) => server.database.sql`
      delete from asset where owner_id = ${me.id} and sha256 = ${hashToBytes(createHash256(7, 0))}`,
    ],
    [
      'a file found missing',
      () => server.database.sql`
      update original set missing_at = now() where sha256 = ${hashToBytes(createHash256(7, 0))}`,
    ],
  ] as const) {
    test(`ST-108: ${name} ends the run, and a new one succeeds`, async () => {
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
      await server.database.sql`update original set missing_at = null where missing_at is not null`;
    });
  }

  test('ER-015: returns an error that is not retryable', async () => {
    const { me, send } = await differing();
    await has(me.id, createHash256(101, 0));
    expect((await send(1)).body).toMatchObject({ code: 'inventory_changed', retryable: false });
  });

  test('is unaffected by moved items and by other accounts', async () => {
    const { me, send } = await differing();
    const stranger = await newDevice();
    await has(stranger.id, createHash256(1, 1));
    await server.database.sql`
      update asset set is_favorite = true, visibility = 'archive', locked_at = now(),
        trashed_at = now(), file_name = 'x' where owner_id = ${me.id}`;
    expect((await send(1)).body.missingCount).toBe(2);
  });
});

describe('the inventory', () => {
  test('contains all assets of the caller whose file exists, in any state', async () => {
    const me = await newDevice();
    const other = await newDevice();
    const hashes = Array.from({ length: 5 }, (_, n) => createHash256(4, n));
    await has(me.id, hashes[0]!, { lockedAt: NOW });
    await has(me.id, hashes[1]!, { trashedAt: NOW });
    await has(me.id, hashes[2]!, { visibility: 'hidden' });
    await has(me.id, hashes[3]!);
    await has(other.id, hashes[4]!);
    expect((await start(me, hashes.slice(0, 4))).body).toMatchObject({ status: 'completed' });

    const found = (await start(me, hashes)).body;
    expect((await send(me, found.runId, 4, hashes)).body.missingHashes).toEqual([hashes[4]]);

    await server.database.sql`
      update original set missing_at = now() where sha256 = ${hashToBytes(hashes[3]!)}`;
    const lost = (await start(me, hashes)).body;
    const result = (await send(me, lost.runId, 4, hashes)).body;
    expect(result).toMatchObject({ status: 'completed', missingCount: 2 });
    expect(result.missingHashes).toEqual(hashes.slice(3).sort());
    await server.database.sql`
      update original set missing_at = null where sha256 = ${hashToBytes(hashes[3]!)}`;
    expect((await start(me, hashes.slice(0, 4))).body).toMatchObject({ status: 'completed' });
  });

  test('excludes assets of partners, and of others even for administrators', async () => {
    const me = await newDevice();
    await server.database.db.update(users).set({ isAdmin: true }).where(eq(users.id, me.id));
    const other = await newDevice();
    await has(other.id, createHash256(5, 0));
    await server.database.sql`
      insert into partner (sharer_id, viewer_id, in_timeline) values (${other.id}, ${me.id}, true)`;
    const { body } = await start(me, [createHash256(5, 0)]);
    expect((await send(me, body.runId, 5, [createHash256(5, 0)])).body.missingCount).toBe(1);
  });

  test('has a fingerprint that depends on the set of hashes only', async () => {
    const me = await newDevice();
    const of = () => computeFingerprint(server.database.db, me.id);
    const before = await of();
    const id = await has(me.id, createHash256(6, 0));
    const one = await of();
    expect(one).not.toBe(before);
    await server.database.sql`update asset set trashed_at = now() where id = ${id}`;
    expect(await of()).toBe(one);
    await has(me.id, createHash256(6, 1));
    expect(await of()).not.toBe(one);
    await server.database.sql`delete from asset where sha256 = ${hashToBytes(createHash256(6, 1))}`;
    expect(await of()).toBe(one);
  });

  test('counts a file that is found missing while somebody uploads it', async () => {
    const me = await newDevice();
    const hash = createHash256(8, 0);
    const other = await newDevice();
    await has(other.id, hash);
    const uploaded = Promise.withResolvers<void>();
    const marked = Promise.withResolvers<void>();
    const uploading = server.database.sql.begin(async (sql) => {
      await sql`insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at,
          local_taken_at, file_modified_at)
        values (${me.id}, 'IMAGE', ${hashToBytes(hash)}, ${hashToBytes(hash).subarray(0, 20)}, 'a', 1,
          now(), now(), now())`;
      uploaded.resolve();
      await marked.promise;
    });
    await uploaded.promise;
    const marking = server.database.sql`
      update original set missing_at = now() where sha256 = ${hashToBytes(hash)}`.execute();
    await waitUntilBlocked(server.database.sql);
    marked.resolve();
    await uploading;
    await marking;
    // The fingerprint without the mark.
    const [row] = await server.database.sql`select hash_bits(${hashToBytes(hash)})::text as bits`;
    expect(await computeFingerprint(server.database.db, me.id)).not.toBe(`1.${row!['bits']}`);
  });
});

test('digests cached by a start are used only while the inventory is unchanged', async () => {
  const me = await newDevice();
  await has(me.id, createHash256(10, 0));
  await start(me, []);
  const kept = () => server.database.sql`
    select fingerprint from inventory_digest where owner_id = ${me.id}`;
  expect((await kept())[0]!['fingerprint']).toBe(
    await computeFingerprint(server.database.db, me.id),
  );
  await has(me.id, createHash256(11, 0));
  expect((await start(me, [createHash256(10, 0), createHash256(11, 0)])).body.status).toBe(
    'completed',
  );
  expect((await kept())[0]!['fingerprint']).toBe(
    await computeFingerprint(server.database.db, me.id),
  );
  const { body } = await start(me, [createHash256(10, 0)]);
  expect(body.differingBuckets).toEqual([11]);
  const rows = await server.database.db
    .select()
    .from(reconciliationBuckets)
    .innerJoin(reconciliations, eq(reconciliations.id, reconciliationBuckets.runId))
    .where(
      and(eq(reconciliations.deviceId, me.deviceId), eq(reconciliationBuckets.isDiffering, true)),
    );
  expect(rows).toHaveLength(1);
});
