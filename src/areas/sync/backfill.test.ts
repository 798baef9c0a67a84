import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  seed,
  testApp,
  type TestDatabase,
  testDatabase,
  type TestUser,
} from '../../../test/support/harness.ts';
import { sample } from '../../../test/support/sample.ts';
import { emptyCopy, type Line, syncAll, syncOnce } from '../../../test/sync/client.ts';
import { connect, readLines, waitForWatermark } from '../../../test/sync/support.ts';
import { expectCopy } from '../../../test/sync/world.ts';
import type { App } from '../../app.ts';
import { paging } from './page.store.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

/** A page is smaller than an album with all its members, and than the number of albums. */
const ROWS = 3;

let database: TestDatabase;
let app: App;
const pageRows = paging.rows;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
  paging.rows = ROWS;
});
afterAll(async () => {
  paging.rows = pageRows;
  await database.close();
});

const FEEDS = [
  ['AlbumUsersV1', 'AlbumUserBackfillV1'],
  ['AlbumAssetsV2', 'AlbumAssetBackfillV2'],
  ['AlbumToAssetsV1', 'AlbumToAssetBackfillV1'],
  ['AlbumAssetExifsV1', 'AlbumAssetExifBackfillV1'],
  ['PartnerAssetsV2', 'PartnerAssetBackfillV2'],
  ['PartnerAssetExifsV1', 'PartnerAssetExifBackfillV1'],
  ['PartnerStacksV1', 'PartnerStackBackfillV1'],
] as const;

async function album(owner: TestUser, assetIds: readonly string[], members: readonly TestUser[]) {
  const { sql } = database;
  const [row] = await sql<{ id: string }[]>`
    insert into album (owner_id, name) values (${owner.id}, 'a') returning id`;
  await sql`insert into album_asset (album_id, asset_id)
    select ${row!.id}, unnest(${assetIds as string[]}::uuid[])`;
  for (const member of members) await share(row!.id, member);
  return row!.id;
}

const share = (albumId: string, member: TestUser) => database.sql`
  insert into album_user (album_id, user_id, role) values (${albumId}, ${member.id}, 'viewer')`;
const unshare = (albumId: string, member: TestUser) => database.sql`
  delete from album_user where album_id = ${albumId} and user_id = ${member.id}`;

async function stack(owner: TestUser): Promise<void> {
  const top = await seed(database).asset({ ownerId: owner.id });
  const below = await seed(database).asset({ ownerId: owner.id });
  await database.sql`
    with made as (insert into stack (owner_id, primary_id) values (${owner.id}, ${top}) returning id)
    update asset set stack_id = made.id from made where asset.id in (${top}, ${below})`;
}

/**
 * Ten albums of one account, of none to eight assets, that another sees, one of that other, and two
 * partners. Somebody else has albums and assets that nobody else may see.
 */
async function neighbours() {
  const [owner, viewer, partner, stranger] = [
    await seed(database).user(),
    await seed(database).user(),
    await seed(database).user(),
    await seed(database).user(),
  ];
  const assets: string[] = [];
  for (let n = 0; n < 8; n++) {
    const exif = { description: `d${n}` };
    assets.push(await seed(database).asset({ ownerId: owner.id, exif }));
  }
  const albums: string[] = [];
  for (const size of [2, 0, 8, 1, 0, 0, 0, 4, 3, 1]) {
    albums.push(await album(owner, assets.slice(0, size), [viewer]));
  }
  await album(viewer, assets.slice(3, 5), []);
  for (const sharer of [owner, partner]) {
    for (let n = 0; n < 4; n++) await stack(sharer);
    await database.sql`
      insert into partner (sharer_id, viewer_id) values (${sharer.id}, ${viewer.id})`;
  }
  const hidden = [await seed(database).asset({ ownerId: stranger.id })];
  hidden.push(await album(stranger, hidden, []), await album(owner, assets, [stranger]));
  return { owner, viewer, albums, assets, hidden };
}

const getSubject = ({ ack }: Line) => ack.split('|')[2]!;
const subjects = (lines: readonly Line[], type: string) =>
  lines.filter((line) => line.type === type).map(getSubject);

test('a page spans several albums and partners in order, and excludes those of others', async () => {
  const { viewer, hidden } = await neighbours();
  const types = FEEDS.map(([request]) => request);
  const inPages = await readLines(database, app, viewer, types);
  paging.rows = pageRows;
  const atOnce = await readLines(database, app, viewer, types);
  paging.rows = ROWS;
  const text = (lines: readonly Line[]) =>
    lines.map(({ type, ack, data }) => `${type} ${ack.split('|')[2]} ${JSON.stringify(data)}`);
  expect(text(inPages).slice(0, -1)).toEqual(text(atOnce).slice(0, -1));
  for (const id of hidden) expect(JSON.stringify(inPages)).not.toContain(id);

  for (const [, type] of FEEDS) {
    const sent = subjects(inPages, type);
    expect(sent.length).toBeGreaterThan(ROWS);
    expect(new Set(sent).size).toBe(sent.length);
    // Backfills are sent in the order in which they began, each complete before the next.
    const places = sent.map((subject) => subject.split('.').slice(0, 2));
    const inOrder = places.toSorted(
      ([a, x], [b, y]) => Number(a) - Number(b) || (x! < y! ? -1 : 1),
    );
    expect(places).toEqual(inOrder);
  }
});

test('a stream continues after any acknowledged line', async () => {
  const { viewer } = await neighbours();
  for (const [request, type] of FEEDS) {
    const whole = await readLines(database, app, viewer, [request]);
    const sent = subjects(whole, type);
    const places = [...whole.entries()].filter(([, line]) => line.type === type);
    // The first and the last, and some between them.
    for (const [index, line] of [
      places[0]!,
      ...sample(`lines of ${request}`, places.slice(1, -1), 4),
      places.at(-1)!,
    ]) {
      await database.sql`delete from sync_checkpoint where session_id in (
        select id from session where user_id = ${viewer.id})`;
      await connect(app, viewer).ack([line.ack]);
      const rest = await readLines(database, app, viewer, [request]);
      expect(subjects(rest, type)).toEqual(sent.slice(index + 1));
    }
  }
});

test('an album whose access ends between two pages is not sent, the others are', async () => {
  const { viewer, albums } = await neighbours();
  const copy = emptyCopy();
  const connection = connect(app, viewer);
  await waitForWatermark(database);
  await syncOnce(connection, copy, { types: ['AuthUsersV1', 'UsersV1', 'AlbumsV2'] });
  let batches = 0;
  const { counts } = await syncOnce(connection, copy, {
    types: ['AlbumUsersV1'],
    batch: 2,
    async between() {
      batches += 1;
      if (batches === 1) await unshare(albums[8]!, viewer);
    },
  });
  expect(batches).toBeGreaterThan(3);
  // Ten albums with two members, one with one; without those of the album that went.
  expect(counts['AlbumUserBackfillV1']).toBe(21 - 2);
  expect([...copy.albumUsers.values()].map((row) => row['albumId'])).not.toContain(albums[8]);
  await waitForWatermark(database);
  await syncAll(connection, copy);
  await expectCopy(database, copy, { id: viewer.id });
});

test('the stream continues with the next album when a partly sent one is deleted', async () => {
  const { viewer, albums } = await neighbours();
  const types = ['AlbumToAssetsV1'];
  const whole = await readLines(database, app, viewer, types);
  const inAlbum = (id: string) =>
    whole.filter((line) => line.data.albumId === id && line.type === 'AlbumToAssetBackfillV1');
  await connect(app, viewer).ack([inAlbum(albums[2]!)[4]!.ack]);
  await unshare(albums[2]!, viewer);
  const rest = await readLines(database, app, viewer, types);
  const sent = rest.filter(({ type }) => type === 'AlbumToAssetBackfillV1');
  expect(sent.map(({ data }) => data.albumId)).toEqual(
    whole.slice(2 + 8, -1).map(({ data }) => data.albumId),
  );
});

test('the next stream sends added albums completely, and nothing else', async () => {
  const { owner, viewer, albums, assets } = await neighbours();
  const copy = emptyCopy();
  const connection = connect(app, viewer);
  await waitForWatermark(database);
  await syncAll(connection, copy);
  const later: string[] = [];
  for (const size of [5, 0, 2, 1]) later.push(await album(owner, assets.slice(0, size), [viewer]));
  // One of those from before is shared anew.
  await unshare(albums[7]!, viewer);
  await share(albums[7]!, viewer);
  await waitForWatermark(database);
  const { counts } = await syncOnce(connection, copy, { batch: 4 });
  expect(counts).toMatchObject({
    AlbumUserBackfillV1: 10,
    AlbumToAssetBackfillV1: 5 + 2 + 1 + 4,
  });
  await expectCopy(database, copy, { id: viewer.id });
  expect((await syncOnce(connection, copy)).counts).toEqual({ SyncCompleteV1: 1 });
});

test('a later stream completes an interrupted backfill, with later changes', async () => {
  const { owner, viewer, albums, assets } = await neighbours();
  const copy = emptyCopy();
  const connection = connect(app, viewer);
  await waitForWatermark(database);
  let later: string | undefined;
  for (const breakAfter of [30, 40, 50, 60]) {
    await syncOnce(connection, copy, { batch: 3, breakAfter });
    later = await album(owner, assets.slice(0, 3), [viewer]);
    await database.sql`delete from album_asset where album_id = ${albums[9]!}`;
    await database.sql`update asset set file_name = 'b.jpg' where id = ${assets[1]!}`;
    await waitForWatermark(database);
  }
  await syncAll(connection, copy, { batch: 3 });
  await expectCopy(database, copy, { id: viewer.id });
  expect([...copy.albums.keys()]).toContain(later!);
});
