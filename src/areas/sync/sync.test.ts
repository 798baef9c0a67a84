import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  call,
  NOW,
  seed,
  send,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../../../test/harness.ts';
import { type Household, seedHousehold, unlock } from '../../../test/library.ts';
import {
  APP_TYPES,
  emptyCopy,
  type Line,
  linesOf,
  syncAll,
  syncOnce,
} from '../../../test/sync/client.ts';
import { connect, settled } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';
import type { App } from '../../app.ts';
import { REQUEST_TYPES } from './types.ts';

// What others do on the same server holds the watermark back.
setDefaultTimeout(60_000);

let database: TestDatabase;
let app: App;
let house: Household;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  house = await seedHousehold(database);
});
afterAll(() => database.close());

async function linesFor(session: TestUser, types: readonly string[] = APP_TYPES): Promise<Line[]> {
  await settled(database);
  const response = await connect(app, session).stream(types);
  expect(response.status).toBe(200);
  return Array.fromAsync(linesOf(response.body!));
}

const ids = (lines: readonly Line[], type: string) =>
  house.namesOf(lines.filter((line) => line.type === type).map((line) => line.data.id));

describe('a stream', () => {
  test('is JSON lines in the fixed order of types, whatever the order asked for, and ends itself', async () => {
    await settled(database);
    const response = await send(app, 'POST /sync/stream', {
      session: house.owner,
      body: { types: APP_TYPES.toReversed() },
    });
    expect(response.headers.get('content-type')).toBe('application/jsonlines+json');
    const text = await response.text();
    expect(text.endsWith('}\n')).toBe(true);
    const types = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type as string);
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      'AuthUserV1',
      'UserV1',
      'PartnerV1',
      'AssetV2',
      'StackV1',
      'PartnerAssetBackfillV2',
      'AlbumAssetBackfillV2',
      'AlbumV2',
      'AlbumUserBackfillV1',
      'AlbumToAssetBackfillV1',
      'AssetExifV1',
      'AlbumAssetExifBackfillV1',
      'PartnerAssetExifBackfillV1',
      'UserMetadataV1',
      'SyncCompleteV1',
    ]);
  });

  test('shows each account what it may see, and nothing else', async () => {
    const own = await linesFor(house.owner);
    expect(ids(own, 'AssetV2')).toEqual([
      'archived',
      'favorite',
      'hidden',
      'live',
      'liveVideo',
      'plain',
      'stackChild',
      'trashed',
      'video',
    ]);
    expect(ids(own, 'PartnerAssetBackfillV2')).toEqual(['ofPartner']);
    const shelf = ['archived', 'favorite', 'live', 'plain', 'stackChild', 'video'];
    expect(ids(own, 'AlbumAssetBackfillV2')).toEqual(shelf);

    const viewed = await linesFor(house.viewer);
    expect(ids(viewed, 'PartnerAssetBackfillV2')).toEqual([
      'favorite',
      'live',
      'plain',
      'stackChild',
      'video',
    ]);
    expect(ids(await linesFor(house.member), 'AlbumAssetBackfillV2')).toEqual(shelf);
    const nothing = new Set((await linesFor(house.stranger)).map((line) => line.type));
    expect(nothing).toEqual(new Set(['AuthUserV1', 'UserV1', 'UserMetadataV1', 'SyncCompleteV1']));
    // Favorites are the owner's own business.
    for (const lines of [viewed, await linesFor(house.member)]) {
      expect(lines.filter((line) => line.data.isFavorite)).toEqual([]);
    }
    expect(own.filter((line) => line.data.isFavorite).map(({ data }) => data.id)).toEqual([
      house.ids.favorite,
      house.ids.favorite,
    ]);
  });

  test('has only the types that were asked for', async () => {
    const lines = await linesFor(house.owner, ['AlbumsV2']);
    expect(lines.map((line) => line.type)).toEqual(['AlbumV2', 'SyncCompleteV1']);
    expect(await linesFor(house.owner, [])).toHaveLength(1);
  });

  test('says when something is in the trash, and never tells PIN or rules of hiding', async () => {
    const lines = await linesFor(house.owner);
    const trashed = lines.find((line) => line.data.id === house.ids.trashed)!;
    expect(trashed.data.deletedAt).toBe(NOW.toISOString());
    expect(lines.find((line) => line.type === 'AuthUserV1')!.data.pinCode).toBeNull();
    const preferences = lines.find((line) => line.data.key === 'preferences')!;
    expect(preferences.data.value).toHaveProperty('memories');
    expect(preferences.data.value).not.toHaveProperty('lockedContent');
  });

  test('of areas that have nothing yet is empty and complete', async () => {
    const types = ['MemoriesV1', 'MemoryToAssetsV1'];
    const lines = await linesFor(house.owner, types);
    expect(lines.map((line) => line.type)).toEqual(['SyncCompleteV1']);
  });

  test('serves no first versions that have a second', async () => {
    for (const type of ['AssetsV1', 'PartnerAssetsV1', 'AlbumAssetsV1', 'AssetFacesV1', 'None']) {
      const body = { types: ['UsersV1', type] };
      const reply = await call(app, 'POST /sync/stream', { session: house.owner, body });
      expect(reply.status).toBe(400);
    }
  });

  test('is for sessions: a key alone is refused, also one that may do everything', async () => {
    for (const [route, body] of [
      ['POST /sync/stream', { types: [] }],
      ['POST /sync/ack', { acks: [] }],
      ['GET /sync/ack', undefined],
      ['DELETE /sync/ack', {}],
    ] as const) {
      expect((await call(app, route, { as: house.owner, body })).status).toBe(403);
      expect((await call(app, route, { body })).status).toBe(401);
      const guest = await call(app, `${route}?slug=album` as typeof route, { body });
      expect(guest.status).toBe(403);
      const narrow = await seed(database).user(['user.read']);
      expect((await call(app, route, { as: narrow, session: narrow, body })).status).toBe(403);
    }
  });
});

describe('acks', () => {
  test('are kept by session and type, listed, and deleted by type', async () => {
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

  test('that were never sent are refused, and change nothing', async () => {
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

  test('with a cursor that no stream made read from the start', async () => {
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

  test('deleting those of a type brings everything of it again, also of partners and albums', async () => {
    const copy = emptyCopy();
    const connection = connect(app, house.owner);
    await settled(database);
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

describe('what is Locked', () => {
  test('reaches a copy only while the PIN is entered, and is taken back by the next stream after', async () => {
    const { owner, ids: asset } = house;
    const locked = [asset.locked, asset.lockedArchive, asset.lockedTrash].toSorted();
    const copy = emptyCopy();
    const connection = connect(app, owner);
    const held = () => [...copy.assets.keys()].filter((id) => locked.includes(id)).toSorted();
    await call(app, 'DELETE /sync/ack', { session: owner, body: {} });
    await settled(database);
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

  test('changes unseen: no line of it leaves without the PIN, not even that it went', async () => {
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

  /** Without what is compared as a whole, and was not acknowledged here. */
  const kinds = (lines: readonly Line[]) =>
    lines.map((line) => line.type).filter((type) => !/^(AuthUser|UserMetadata)V1$/.test(type));

  test('is taken back even if the stream with it broke, or its acks were deleted', async () => {
    const me = await seed(database).user();
    for (let n = 0; n < 5; n++) await seed(database).asset({ ownerId: me.id, lockedAt: NOW });
    const connection = connect(app, me);
    const copy = emptyCopy();
    await settled(database);
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

describe('starting over', () => {
  const reset = async (me: TestUser) => {
    const connection = connect(app, me);
    const copy = emptyCopy();
    await seed(database).asset({ ownerId: me.id });
    await settled(database);
    await syncAll(connection, copy);
    return { connection, copy };
  };
  const expectReset = async (
    me: TestUser,
    { connection, copy }: Awaited<ReturnType<typeof reset>>,
  ) => {
    expect(await syncOnce(connection, copy)).toEqual({
      lines: 1,
      counts: { SyncResetV1: 1 },
      end: 'reset',
    });
    expect(copy.assets.size).toBe(0);
    expect((await syncOnce(connection, copy)).end).toBe('complete');
    await expectCopy(database, copy, { id: me.id });
  };

  test('when the last complete stream is older than thirty days', async () => {
    const me = await seed(database).user();
    const client = await reset(me);
    const age = (days: number) => database.sql`
      update sync_checkpoint set updated_at = ${new Date(NOW.getTime() - days * 86_400_000).toISOString()}
      where entity_type = 'SyncCompleteV1'`;
    await age(29);
    expect((await syncOnce(client.connection, client.copy)).counts).toEqual({ SyncCompleteV1: 1 });
    await age(31);
    await expectReset(me, client);
  });

  test('when somebody asks for it', async () => {
    const me = await seed(database).user();
    const client = await reset(me);
    const [session] = (await call(app, 'GET /sessions', { session: me })).body;
    await call(app, `PUT /sessions/${session.id}`, {
      session: me,
      body: { isPendingSyncReset: true },
    });
    await expectReset(me, client);
  });

  test('when the database was restored elsewhere, where transactions are counted anew', async () => {
    const me = await seed(database).user();
    const friend = await seed(database).user();
    await database.sql`insert into partner (sharer_id, viewer_id) values (${friend.id}, ${me.id})`;
    await seed(database).asset({ ownerId: friend.id });
    const client = await reset(me);
    await database.sql`update partner set since = '900000000000'`;
    await database.sql`update change_log set epoch = 'another place'`;
    await expectReset(me, client);
    expect(client.copy.assets.size).toBe(2);
  });

  test('when the client wants to', async () => {
    const me = await seed(database).user();
    await reset(me);
    const ask = async (body: object) =>
      (
        await Array.fromAsync(
          linesOf((await send(app, 'POST /sync/stream', { session: me, body })).body!),
        )
      ).map((line) => line.type);
    expect(await ask({ types: ['AssetsV2'] })).toEqual(['SyncCompleteV1']);
    expect(await ask({ types: ['AssetsV2'], reset: true })).toEqual(['AssetV2', 'SyncCompleteV1']);
  });
});

test('what commits late is not skipped', async () => {
  const me = await seed(database).user();
  const connection = connect(app, me);
  const copy = emptyCopy();
  const { sql } = database;
  const names = ['early', 'late', 'after'];
  const add = (name: string, tx: typeof sql = sql) => tx`
    with file as (insert into original (sha256, size)
      values (sha256(${Buffer.from(me.id + name)}), 1) returning sha256)
    insert into asset (owner_id, type, sha256, sha1, file_name, file_size, taken_at, local_taken_at,
      file_modified_at)
    select ${me.id}, 'IMAGE', sha256, substring(sha256 for 20), ${name}, 1, now(), now(), now() from file`;
  await settled(database);
  await syncAll(connection, copy);
  const held = () =>
    [...copy.assets.values()].map((asset) => String(asset['originalFileName'])).toSorted();
  // The first to write is the last to commit: its rows have the lower numbers.
  await sql.begin(async (slow) => {
    await add('late', slow as unknown as typeof sql);
    await add('early');
    await syncAll(connection, copy);
    expect(held()).toEqual([]);
  });
  await add('after');
  await settled(database);
  await syncAll(connection, copy);
  expect(held()).toEqual(names.toSorted());
});

test('many writers at once: nothing is missed by a reader that never waits', async () => {
  const me = await seed(database).user();
  const connection = connect(app, me);
  const copy = emptyCopy();
  let open = 6;
  const writers = Array.from({ length: open }, async (_, writer) => {
    for (let n = 0; n < 25; n++)
      await seed(database).asset({ ownerId: me.id, fileName: `${writer}-${n}` });
    open -= 1;
  });
  while (open > 0)
    await syncAll(connection, copy, { types: ['AuthUsersV1', 'UsersV1', 'AssetsV2'] });
  await Promise.all(writers);
  await settled(database);
  await syncAll(connection, copy, { types: ['AuthUsersV1', 'UsersV1', 'AssetsV2'] });
  expect(copy.assets.size).toBe(6 * 25);
});

test('a session that is ended while it streams gets no more', async () => {
  const me = await seed(database).user();
  const response = await connect(app, me).stream(REQUEST_TYPES);
  await database.sql`delete from session where user_id = ${me.id}`;
  const read = Array.fromAsync(linesOf(response.body!));
  await expect(read).rejects.toThrow();
});
