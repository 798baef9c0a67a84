// Makes the family's library in a database, as it is after its photos have been analysed and its faces named.
import type { App } from '../../src/app.ts';
import type { Deps } from '../../src/core/context.ts';
import { call, seed, type TestDatabase, type TestUser } from '../support/harness.ts';
import { addFace, addPerson } from '../support/people.ts';
import { PEOPLE, type WorldPhoto } from './search-families-world.ts';
import { analyzeAll, indexAll, saveSeen } from './search-photos.ts';

const SIDE = 1000;
/** A portrait is a face and little else. */
const PORTRAIT = /people\/0/;

type Library = {
  readonly owner: TestUser;
  /** By id. */
  readonly photos: ReadonlyMap<string, WorldPhoto>;
};

export async function fillLibrary(
  database: TestDatabase,
  app: App,
  deps: Deps,
  world: readonly WorldPhoto[],
): Promise<Library> {
  const seen = await analyzeAll(
    deps,
    world.map(({ picture }) => picture),
  );
  const owner = await seed(database).user();
  const people = await addPeople(database, owner);
  const photos = new Map<string, WorldPhoto>();
  for (const [at, photo] of world.entries()) {
    const assetId = await addAsset(database, owner, photo, at);
    photos.set(assetId, photo);
    await addFaces(database, owner, assetId, photo, people);
    const subject = { assetId, ownerId: owner.id, type: photo.type };
    await saveSeen(database, subject, seen[photo.picture.name]!);
  }
  await addAlbums(app, owner, photos);
  await addTags(app, owner, photos);
  await indexAll(database, deps);
  return { owner, photos };
}

async function addPeople(
  database: TestDatabase,
  { id: ownerId }: TestUser,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const [name, birthDate] of Object.entries(PEOPLE))
    ids.set(name, (await addPerson(database, { ownerId, name, birthDate })).id);
  return ids;
}

/** Under a name that says nothing. */
function addAsset(
  database: TestDatabase,
  { id: ownerId }: TestUser,
  { takenAt, place, isFavourite, type }: WorldPhoto,
  at: number,
): Promise<string> {
  const isVideo = type === 'VIDEO';
  return seed(database).asset({
    ownerId,
    type,
    takenAt,
    isFavorite: isFavourite,
    fileName: isVideo ? `MOV_${at}.mp4` : `IMG_${at}.jpg`,
    width: SIDE,
    height: SIDE,
    ...(isVideo && { durationMs: 14_000 }),
    ...(place && { exif: place }),
  });
}

/** In a row; the more they are, the smaller they are. */
async function addFaces(
  database: TestDatabase,
  { id: ownerId }: TestUser,
  assetId: string,
  { picture, people, strangers }: WorldPhoto,
  ids: ReadonlyMap<string, string>,
): Promise<void> {
  const faces = [...people.map((name) => ids.get(name)!), ...Array(strangers).fill(null)];
  const side = PORTRAIT.test(picture.name) ? 0.6 : Math.min(0.2, 0.7 / faces.length);
  for (const [at, personId] of faces.entries()) {
    const x1 = (at + 0.5) / faces.length - side / 2;
    const box = { x1, x2: x1 + side, y1: 0.2, y2: 0.2 + side };
    const size = { imageWidth: SIDE, imageHeight: SIDE, sidePx: side * SIDE };
    await addFace(database, { ownerId, assetId, personId, ...box, ...size });
  }
}

function groupIds(
  photos: Library['photos'],
  toNames: (photo: WorldPhoto) => readonly string[],
): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [id, photo] of photos)
    for (const name of toNames(photo)) groups.set(name, [...(groups.get(name) ?? []), id]);
  return groups;
}

async function addAlbums(app: App, as: TestUser, photos: Library['photos']): Promise<void> {
  const albums = groupIds(photos, ({ album }) => (album ? [album] : []));
  for (const [albumName, assetIds] of albums) {
    const reply = await call(app, 'POST /albums', { as, body: { albumName, assetIds } });
    if (reply.status !== 201) throw new Error(`album ${albumName}: ${JSON.stringify(reply.body)}`);
  }
}

async function addTags(app: App, as: TestUser, photos: Library['photos']): Promise<void> {
  for (const [tag, assetIds] of groupIds(photos, ({ tags }) => tags)) {
    const { body: made } = await call(app, 'PUT /tags', { as, body: { tags: [tag] } });
    const body = { assetIds, tagIds: [made[0].id] };
    const reply = await call(app, 'PUT /tags/assets', { as, body });
    if (reply.status !== 200) throw new Error(`tag ${tag}: ${JSON.stringify(reply.body)}`);
  }
}
