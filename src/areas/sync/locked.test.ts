import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { useHousehold } from '../../../test/support/database.ts';
import { call, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { unlock } from '../../../test/support/household.ts';
import { addFace } from '../../../test/support/people.ts';
import { saveRecognizedText } from '../../../test/support/recognized-text.ts';
import { emptyCopy, type Line, syncAll, syncOnce } from '../../../test/sync/client.ts';
import { connect, readLines, waitForWatermark } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const { database, app, house } = await useHousehold();

const linesFor = (session: TestUser, types?: readonly string[]) =>
  readLines(database, app, session, types);

describe('Locked content', () => {
  test('is sent only while the PIN is entered, and removed by the next stream afterwards', async () => {
    const { owner, ids: asset } = house;
    const locked = [asset.locked, asset.lockedArchive, asset.lockedTrash].toSorted();
    const copy = emptyCopy();
    const connection = connect(app, owner);
    const held = () => [...copy.assets.keys()].filter((id) => locked.includes(id)).toSorted();
    await call(app, 'DELETE /sync/ack', { session: owner, body: {} });
    await waitForWatermark(database);
    await syncAll(connection, copy);
    expect(held()).toEqual([]);
    const sent = await linesFor(owner);
    for (const id of locked) expect(JSON.stringify(sent)).not.toContain(id);

    await unlock(database, owner);
    await syncAll(connection, copy);
    expect(held()).toEqual(locked);
    expect(copy.assets.get(asset.locked)!['visibility']).toBe('locked');
    expect(copy.exifs.has(asset.locked)).toBe(true);
    await expectCopy(database, copy, { id: owner.id, isElevated: true });

    await database.sql`update session set elevated_until = ${NOW.toISOString()}`;
    const { counts } = await syncOnce(connection, copy);
    expect(counts).toEqual({ AssetDeleteV1: 3, SyncCompleteV1: 1 });
    expect(held()).toEqual([]);
    await expectCopy(database, copy, { id: owner.id });
    expect((await syncOnce(connection, copy)).counts).toEqual({ SyncCompleteV1: 1 });
  });

  test('changes without any line being sent, not even its removal', async () => {
    const me = await seed(database).user();
    const friend = await seed(database).user();
    await database.sql`
      insert into partner (sharer_id, viewer_id) values (${me.id}, ${friend.id})`;
    const id = await seed(database).asset({ ownerId: me.id, lockedAt: NOW });
    const shelved = await seed(database).asset({ ownerId: me.id, visibility: 'archive' });
    await linesFor(me).then(async (lines) => connect(app, me).ack([lines.at(-1)!.ack]));
    await linesFor(friend).then(async (lines) => connect(app, friend).ack([lines.at(-1)!.ack]));

    await database.sql`update asset set file_name = 'b.jpg' where id in (${id}, ${shelved})`;
    await database.sql`update asset_exif set city = 'Lisbon' where asset_id in (${id}, ${shelved})`;
    await database.sql`insert into asset_metadata (asset_id, key, value) values (${id}, 'k', '{}')`;
    await database.sql`delete from asset_metadata where asset_id = ${id}`;
    await database.sql`delete from asset where id = ${id}`;
    expect(kinds(await linesFor(me))).toEqual(['AssetV2', 'AssetExifV1', 'SyncCompleteV1']);
    expect(kinds(await linesFor(friend))).toEqual(['SyncCompleteV1']);
  });

  test('loses what was removed from it there, when it comes back before the next stream', async () => {
    const me = await seed(database).user();
    const { assetId } = await addFace(database, { ownerId: me.id });
    const { sql } = database;
    await sql`insert into asset_metadata (asset_id, key, value) values (${assetId}, 'k', '{}')`;
    await sql`insert into asset_edit (asset_id, position, action, parameters)
      values (${assetId}, 1, 'rotate', '{"angle": 90}')`;
    await saveRecognizedText(database, { assetId, ownerId: me.id }, ['Bread']);
    const copy = emptyCopy();
    const connection = connect(app, me);
    await waitForWatermark(database);
    await syncAll(connection, copy);
    const details = () => [copy.metadata, copy.edits, copy.faces, copy.ocr].map(({ size }) => size);
    expect(details()).toEqual([1, 1, 1, 1]);

    await sql`update asset set locked_at = now() where id = ${assetId}`;
    for (const table of ['asset_metadata', 'asset_edit', 'face', 'document']) {
      await sql`delete from ${sql(table)} where asset_id = ${assetId}`;
    }
    await sql`update asset set locked_at = null where id = ${assetId}`;
    await waitForWatermark(database);
    await syncAll(connection, copy);
    expect(details()).toEqual([0, 0, 0, 0]);
    await expectCopy(database, copy, { id: me.id });
  });

  /** Without what is compared as a whole, and was not acknowledged here. */
  const kinds = (lines: readonly Line[]) =>
    lines.map((line) => line.type).filter((type) => !/^(AuthUser|UserMetadata)V1$/.test(type));

  test('is removed even if the stream with it broke off or its acks were deleted', async () => {
    const me = await seed(database).user();
    for (let n = 0; n < 5; n++) await seed(database).asset({ ownerId: me.id, lockedAt: NOW });
    const connection = connect(app, me);
    const copy = emptyCopy();
    await waitForWatermark(database);
    await syncAll(connection, copy);
    await unlock(database, me);
    await syncOnce(connection, copy, { batch: 1, breakAfter: 3 });
    expect(copy.assets.size).toBeGreaterThan(0);
    await call(app, 'DELETE /sync/ack', { session: me, body: {} });
    await database.sql`update session set elevated_until = null where user_id = ${me.id}`;
    await syncAll(connection, copy);
    expect(copy.assets.size).toBe(0);
  });
});
