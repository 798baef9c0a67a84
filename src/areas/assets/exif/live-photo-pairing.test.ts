import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { seed, type TestDatabase } from '../../../../test/support/harness.ts';
import { createVideo } from '../../../../test/support/live-photos.ts';
import { metadataTools, PARIS } from '../../../../test/support/metadata.ts';
import { addFile, openMediaLibrary } from '../../../../test/support/processing.ts';

let database: TestDatabase;
let ownerId: string;
let folder: string;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ database, folder, close } = await openMediaLibrary());
});
afterAll(() => close());
beforeEach(async () => {
  ownerId = (await seed(database).user()).id;
  await database.sql`truncate job`;
});

const { getAssetRow, getExifRow, makePhoto, read } = metadataTools(() => ({ database, folder }));

describe('pairing live photos', () => {
  async function add(over: { still?: object; video?: object } = {}) {
    // exiftool cannot add Apple's maker note to a file without one: the row says what it would.
    const cid = crypto.randomUUID().toUpperCase();
    const photo = await makePhoto('live.jpg', PARIS);
    const still = await addFile(database, photo, { ownerId, ...over.still });
    const video = await addFile(
      database,
      { name: 'live.mov', bytes: await createVideo(folder, cid!) },
      { ownerId, ...over.video },
    );
    await database.sql`update asset_exif set live_photo_cid = ${cid} where asset_id = ${still}`;
    return { still, video };
  }

  test('a video that arrives later is hidden behind its still and removed from albums', async () => {
    const { still, video } = await add();
    await database.sql`insert into album (owner_id, name) values (${ownerId}, 'a')`;
    await database.sql`
      insert into album_asset (album_id, asset_id)
      select id, unnest(${[still, video]}::uuid[]) from album where owner_id = ${ownerId}`;
    await read(video);
    expect(await getAssetRow(still)).toMatchObject({
      live_video_id: video,
      visibility: 'timeline',
    });
    expect(await getAssetRow(video)).toMatchObject({ visibility: 'hidden', locked_at: null });
    const members = await database.sql`
      select asset_id from album_asset join album on id = album_id where owner_id = ${ownerId}`;
    expect(members.map((row) => row['asset_id'])).toEqual([still]);
  });

  test('a paired video is trashed or locked together with its still', async () => {
    const [trashedAt, lockedAt] = [new Date('2026-01-01Z'), new Date('2026-01-02Z')];
    const trashed = await add({ still: { trashedAt } });
    await read(trashed.video);
    expect((await getAssetRow(trashed.video)).trashed_at).toEqual(
      (await getAssetRow(trashed.still)).trashed_at,
    );
    const locked = await add({ still: { lockedAt } });
    await read(locked.video);
    expect((await getAssetRow(locked.video)).locked_at).not.toBeNull();
  });

  test('a video that was locked or trashed on its own keeps its state', async () => {
    for (const state of [{ lockedAt: new Date() }, { trashedAt: new Date() }]) {
      const { still, video } = await add({ video: state });
      await read(video);
      expect((await getAssetRow(still)).live_video_id).toBeNull();
      expect((await getAssetRow(video)).visibility).toBe('timeline');
    }
  });

  test('the still of another owner is not paired', async () => {
    const other = await seed(database).user();
    const { still, video } = await add({ still: { ownerId: other.id } });
    await read(video);
    expect((await getAssetRow(still)).live_video_id).toBeNull();
    expect((await getAssetRow(video)).visibility).toBe('timeline');
  });

  test('a video pairs with at most one still, and a still with at most one video', async () => {
    const { still, video } = await add();
    const { live_photo_cid: cid } = await getExifRow(still);
    await read(video);
    const more = await addFile(
      database,
      { name: 'live.mov', bytes: await createVideo(folder, cid!) },
      { ownerId },
    );
    await read(more);
    await read(video);
    expect(await getAssetRow(still)).toMatchObject({ live_video_id: video });
    expect(await getAssetRow(more)).toMatchObject({ visibility: 'timeline' });
  });
});
