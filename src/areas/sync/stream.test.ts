import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { useHousehold } from '../../../test/support/database.ts';
import { call, NOW, seed, send, type TestUser } from '../../../test/support/harness.ts';
import { APP_TYPES, type Line, parseLines } from '../../../test/sync/client.ts';
import { connect, readLines, waitForWatermark } from '../../../test/sync/support.ts';
import { REQUEST_TYPES } from './types.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

const { database, app, house } = await useHousehold();

const linesFor = (session: TestUser, types?: readonly string[]) =>
  readLines(database, app, session, types);

const ids = (lines: readonly Line[], type: string) =>
  house.getNames(lines.filter((line) => line.type === type).map((line) => line.data.id));

describe('a stream', () => {
  test('is JSON lines in the fixed order of types and ends by itself', async () => {
    await waitForWatermark(database);
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

  test('sends each account what it may see, and nothing else', async () => {
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
    const shared = ['archived', 'favorite', 'live', 'plain', 'stackChild', 'video'];
    expect(ids(own, 'AlbumAssetBackfillV2')).toEqual(shared);

    const viewed = await linesFor(house.viewer);
    expect(ids(viewed, 'PartnerAssetBackfillV2')).toEqual([
      'favorite',
      'live',
      'plain',
      'stackChild',
      'video',
    ]);
    expect(ids(await linesFor(house.member), 'AlbumAssetBackfillV2')).toEqual(shared);
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

  test('has the requested types only', async () => {
    const lines = await linesFor(house.owner, ['AlbumsV2']);
    expect(lines.map((line) => line.type)).toEqual(['AlbumV2', 'SyncCompleteV1']);
    expect(await linesFor(house.owner, [])).toHaveLength(1);
  });

  test('marks trashed items, and contains neither the PIN nor content rules', async () => {
    const lines = await linesFor(house.owner);
    const trashed = lines.find((line) => line.data.id === house.ids.trashed)!;
    expect(trashed.data.deletedAt).toBe(NOW.toISOString());
    expect(lines.find((line) => line.type === 'AuthUserV1')!.data.pinCode).toBeNull();
    const preferences = lines.find((line) => line.data.key === 'preferences')!;
    expect(preferences.data.value).toHaveProperty('memories');
    expect(preferences.data.value).not.toHaveProperty('lockedContent');
  });

  test('of types without content is empty and complete', async () => {
    const types = ['MemoriesV1', 'MemoryToAssetsV1'];
    const lines = await linesFor(house.owner, types);
    expect(lines.map((line) => line.type)).toEqual(['SyncCompleteV1']);
  });

  test('refuses first versions that have a second', async () => {
    for (const type of ['AssetsV1', 'PartnerAssetsV1', 'AlbumAssetsV1', 'AssetFacesV1', 'None']) {
      const body = { types: ['UsersV1', type] };
      const reply = await call(app, 'POST /sync/stream', { session: house.owner, body });
      expect(reply.status).toBe(400);
    }
  });

  test('requires a session: an API key is refused, even with all permissions', async () => {
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

test('a stream stops when its session ends', async () => {
  const me = await seed(database).user();
  const response = await connect(app, me).stream(REQUEST_TYPES);
  await database.sql`delete from session where user_id = ${me.id}`;
  const read = Array.fromAsync(parseLines(response.body!));
  await expect(read).rejects.toThrow();
});
