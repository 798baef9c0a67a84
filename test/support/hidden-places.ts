import type { App } from '../../src/app.ts';
import { call, seed, type TestDatabase, type TestUser } from './harness.ts';

export const PLACE = {
  city: 'Porto',
  state: 'Norte',
  country: 'Portugal',
  latitude: 41,
  longitude: -8,
  timeZone: 'Asia/Kolkata',
  dateTimeOriginal: new Date('2026-01-10T10:00:00Z'),
  modifyDate: new Date('2026-01-10T10:00:05Z'),
};
/** The place, or an instant: beside the clock, which is shown, it tells the time zone. */
export const TOLD =
  /Porto|Norte|Portugal|Kolkata|titude":\[?41|"lat":41|01-10T10:00|ffsetHours":\[[^\]]*5/;

/**
 * Ada shares her Timeline with Bob. He has put a live photo of hers into an album with Eve as its editor,
 * and made a link to the album and one to the picture.
 */
export async function sharePlace(database: TestDatabase, app: App) {
  const add = seed(database);
  const user = (name: string) => add.user(['all'], { name });
  const [ada, bob, eve] = [await user('Ada'), await user('Bob'), await user('Eve')];
  await call(app, 'POST /partners', { as: ada, body: { sharedWithId: bob.id } });
  const at = {
    ownerId: ada.id,
    takenAt: new Date('2026-01-10T10:00:00Z'),
    localTakenAt: '2026-01-10T15:30:00.000',
    fileModifiedAt: new Date('2026-01-10T10:00:09Z'),
    exif: PLACE,
  };
  const videoId = await add.asset({
    ...at,
    type: 'VIDEO',
    visibility: 'hidden',
    fileName: 'a.mov',
  });
  const id = await add.asset({ ...at, liveVideoId: videoId, isFavorite: true });
  const albumId = await addAlbum(app, bob, [eve], [id]);
  const query = {
    picture: await addLink(app, bob, { type: 'INDIVIDUAL', assetIds: [id] }),
    album: await addLink(app, bob, { type: 'ALBUM', albumId }),
  };
  return { ada, bob, eve, id, videoId, albumId, query };
}

export async function addAlbum(
  app: App,
  as: TestUser,
  members: readonly TestUser[],
  assetIds: readonly string[],
): Promise<string> {
  const albumUsers = members.map((member) => ({ userId: member.id, role: 'editor' }));
  const body = { albumName: 'a', assetIds, albumUsers };
  return (await call(app, 'POST /albums', { as, body })).body.id as string;
}

export async function addLink(app: App, as: TestUser, link: object): Promise<string> {
  const body = { allowDownload: true, showMetadata: true, ...link };
  return `key=${(await call(app, 'POST /shared-links', { as, body })).body.key}`;
}
