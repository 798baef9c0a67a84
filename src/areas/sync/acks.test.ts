import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { useHousehold } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';
import { emptyCopy, syncAll, syncOnce } from '../../../test/sync/client.ts';
import { connect, readLines, waitForWatermark } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const { database, app, house } = await useHousehold();

const linesFor = (session: TestUser, types?: readonly string[]) =>
  readLines(database, app, session, types);

describe('acks', () => {
  test('are stored by session and type, listed, and deleted by type', async () => {
    const me = await seed(database).user();
    const other = await seed(database).user();
    const [first, ...more] = await linesFor(me, ['UsersV1']);
    const post = (acks: string[], session = me) =>
      call(app, 'POST /sync/ack', { session, body: { acks } });
    expect((await post([first!.ack, more.at(-1)!.ack])).status).toBe(204);
    const list = async (session: TestUser) =>
      ((await call(app, 'GET /sync/ack', { session })).body as { type: string; ack: string }[])
        .map(({ type, ack }) => `${type} ${ack}`)
        .sort();
    expect((await list(me)).map((text) => text.split(' ')[0])).toEqual([
      'SyncCompleteV1',
      'UserDeleteV1',
      'UserV1',
    ]);
    expect(await list(other)).toEqual([]);

    const drop = (body: object) => call(app, 'DELETE /sync/ack', { session: me, body });
    expect((await drop({ types: ['UserV1'] })).status).toBe(204);
    expect(await list(me)).toHaveLength(2);
    expect((await linesFor(me, ['UsersV1'])).filter(({ type }) => type === 'UserV1').length).toBe(
      more.filter(({ type }) => type === 'UserV1').length + 1,
    );
    expect((await drop({})).status).toBe(204);
    expect(await list(me)).toEqual([]);
  });

  test('that the server never sent are refused and change nothing', async () => {
    const me = await seed(database).user();
    for (const ack of [
      'NoSuchType|1-1',
      'AssetV2',
      'AssetV2|',
      'AssetV2|x-y',
      'AssetV2|1-1|a|b',
      `AssetV2|${'9'.repeat(30)}-1`,
      "AssetV2|1-1|';",
      'SyncCompleteV1|1-1|zz.nothing',
      'SyncCompleteV1|1-1',
    ]) {
      const body = { acks: ['UserV1|1-1', ack] };
      expect((await call(app, 'POST /sync/ack', { session: me, body })).status).toBe(400);
    }
    expect((await call(app, 'GET /sync/ack', { session: me })).body).toEqual([]);
    const many = { acks: Array.from({ length: 1001 }, () => 'UserV1|1-1') };
    expect((await call(app, 'POST /sync/ack', { session: me, body: many })).status).toBe(400);
  });

  test('with an invalid cursor read from the start', async () => {
    const me = await seed(database).user();
    await seed(database).asset({ ownerId: me.id });
    const types = ['UsersV1', 'AssetsV2', 'AlbumAssetsV2', 'PartnersV1', 'AlbumsV2', 'StacksV1'];
    const whole = (await linesFor(me, types)).length;
    for (const cursor of ['nonsense', '1_2', '99999999999999999_x', '1.2.3', house.owner.id]) {
      const acks = ['AssetV2', 'PartnerV1', 'AlbumV2', 'StackV1', 'AlbumAssetBackfillV2'].map(
        (type) => `${type}|1-1|${cursor}`,
      );
      const { status } = await call(app, 'POST /sync/ack', { session: me, body: { acks } });
      expect(status).toBe(204);
      expect((await linesFor(me, types)).length).toBeGreaterThanOrEqual(whole);
    }
  });

  test('deleted for a type make the next stream send all of it, also of partners and albums', async () => {
    const copy = emptyCopy();
    const connection = connect(app, house.owner);
    await waitForWatermark(database);
    await syncAll(connection, copy);
    const types = ['AssetExifV1', 'PartnerAssetExifV1', 'AlbumAssetExifCreateV1'];
    const body = { types };
    await call(app, 'DELETE /sync/ack', { session: house.owner, body });
    const { counts } = await syncOnce(connection, copy);
    expect(counts).toEqual({
      AssetExifV1: 9,
      AlbumAssetExifBackfillV1: 6,
      PartnerAssetExifBackfillV1: 1,
      SyncCompleteV1: 1,
    });
    await expectCopy(database, copy, { id: house.owner.id });
  });
});
