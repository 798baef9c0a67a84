import { beforeEach, expect, test } from 'bun:test';
import sharp from 'sharp';
import { useApp } from '../../../test/support/database.ts';
import { call, send, type TestUser } from '../../../test/support/harness.ts';
import { addAlbum, addLink, PLACE, sharePlace, TOLD } from '../../../test/support/hidden-places.ts';
import { originalPath } from '../../storage/stored-file.ts';

// Ada shares her own pictures by links, which do not tell where they were taken.

const { database, app } = await useApp();

let ada: TestUser;
let bob: TestUser;
let id: string;
let videoId: string;
let albumId: string;

type Link = { readonly id: string; readonly query: string };
let ways: Readonly<Record<'album' | 'pictures', Link>>;

async function makeLink(target: object): Promise<Link> {
  const query = await addLink(app, ada, { hidesPlaces: true, ...target });
  return { id: (await call(app, `GET /shared-links/me?${query}`)).body.id as string, query };
}

beforeEach(async () => {
  ({ ada, bob, id, videoId } = await sharePlace(database, app));
  albumId = await addAlbum(app, ada, [], [id]);
  ways = {
    album: await makeLink({ type: 'ALBUM', albumId }),
    pictures: await makeLink({ type: 'INDIVIDUAL', assetIds: [id] }),
  };
});

const BUCKET = 'timeBucket=2026-01-01&withCoordinates=true';
type Asked = readonly [route: string, body?: object];
const OF_PICTURES: readonly (() => Asked)[] = [
  () => [`GET /assets/${id}`],
  () => [`GET /assets/${videoId}`],
  () => [`GET /timeline/bucket?${BUCKET}`],
  () => ['GET /shared-links/me'],
];
const OF_ALBUM: readonly (() => Asked)[] = [
  ...OF_PICTURES.slice(0, 2),
  () => [`GET /timeline/bucket?${BUCKET}&albumId=${albumId}`],
  () => [`GET /albums/${albumId}/map-markers`],
  () => ['POST /search/metadata', { withExif: true, albumIds: [albumId] }],
];
const WAYS = [
  ['album', OF_ALBUM],
  ['pictures', OF_PICTURES],
] as const;

const ask = ({ query }: Link, [route, body]: Asked) =>
  call(app, `${route}${route.includes('?') ? '&' : '?'}${query}` as 'GET /', {
    ...(body && { body }),
  });

const TAGGED = /Stephansplatz|Exif\0\0MM|http:\/\/ns/;

/** Rotated, with places in EXIF and XMP, after the picture, and as a second picture. */
async function taggedPicture(): Promise<Buffer> {
  const picture = () =>
    sharp({ create: { width: 64, height: 32, channels: 3, background: 'green' } })
      .withExif({ IFD0: { ImageDescription: 'Stephansplatz' } })
      .withMetadata({ orientation: 6 })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">Stephansplatz</x:xmpmeta>')
      .jpeg()
      .toBuffer();
  const bytes = Buffer.concat([await picture(), Buffer.from('Stephansplatz'), await picture()]);
  expect([bytes.includes('Stephansplatz'), (await sharp(bytes).metadata()).orientation]).toEqual([
    true,
    6,
  ]);
  return bytes;
}

const guestGets = ({ query }: Link, path: string) =>
  send(app, `GET /${path}${path.includes('?') ? '&' : '?'}${query}`);
const guestSends = ({ query }: Link, path: string, assetIds: readonly string[]) =>
  send(app, `POST /${path}?${query}`, { body: { assetIds } });

const change = (link: Link, hidesPlaces: boolean) =>
  call(app, `PATCH /shared-links/${link.id}`, { as: ada, body: { hidesPlaces } });

for (const [way, questions] of WAYS) {
  test(`a link to ${way} tells no place of the own pictures until its owner lets it`, async () => {
    const link = ways[way];
    const telling = async () => {
      const found: string[] = [];
      for (const question of questions) {
        const asked = question();
        const reply = await ask(link, asked);
        expect([asked[0], reply.status]).toEqual([asked[0], 200]);
        if (TOLD.test(JSON.stringify(reply.body))) found.push(asked[0]);
      }
      return found;
    };
    expect(await telling()).toEqual([]);
    const { body } = await ask(link, [`GET /assets/${id}`]);
    // Everything else is shown.
    expect(body).toMatchObject({
      id,
      localDateTime: '2026-01-10T15:30:00.000Z',
      exifInfo: { timeZone: null, city: null, latitude: null },
    });
    expect((await change(link, false)).body.hidesPlaces).toBeUndefined();
    expect(await telling()).toEqual(questions.map((question) => question()[0]));
    expect((await change(link, true)).body.hidesPlaces).toBe(true);
    expect(await telling()).toEqual([]);
  });

  test(`a link to ${way} serves copies without metadata instead of files that tell the place`, async () => {
    const [row] = await database.sql`
      select encode(sha256, 'hex') as sha256 from asset where id = ${id}`;
    const path = originalPath(database.deps.paths, Buffer.from(row!['sha256'], 'hex'));
    const size = await Bun.write(path, await taggedPicture());
    await database.sql`update asset set file_size = ${size} where id = ${id}`;
    const archive = async () =>
      Buffer.from(await (await guestSends(ways[way], 'download/archive', [id])).arrayBuffer());
    const original = async () =>
      Buffer.from(await (await guestGets(ways[way], `assets/${id}/original`)).arrayBuffer());
    for (const bytes of [await original(), await archive()]) {
      expect(bytes.length).toBeGreaterThan(500);
      expect(bytes.toString('latin1')).not.toMatch(TAGGED);
    }
    expect((await sharp(await original()).metadata()).orientation).toBe(6);
    const full = await guestGets(ways[way], `assets/${id}/thumbnail?size=fullsize`);
    expect(full.status).toBe(404);
    const plan = await ask(ways[way], ['POST /download/info', { assetIds: [id] }]);
    expect(plan.body.archives).toHaveLength(1);
    await call(app, `PATCH /shared-links/${ways[way].id}`, {
      as: ada,
      body: { allowDownload: false },
    });
    expect((await guestGets(ways[way], `assets/${id}/original`)).status).toBe(400);
    expect((await guestSends(ways[way], 'download/archive', [id])).status).toBe(400);
    await call(app, `PATCH /shared-links/${ways[way].id}`, {
      as: ada,
      body: { allowDownload: true, hidesPlaces: false },
    });
    expect((await original()).toString('latin1')).toMatch(TAGGED);
  });

  test(`a link to ${way} does not tell the place to filters`, async () => {
    const link = ways[way];
    const inBox = async (box: string) =>
      (await ask(link, [`GET /timeline/bucket?${BUCKET}&bbox=${box}`])).body.id;
    const [around, elsewhere] = ['-9,40,-7,42', '10,40,12,42'];
    expect([await inBox(around), await inBox(elsewhere)]).toEqual([[], []]);
    if (way === 'pictures') return;
    const found = async (filter: object) =>
      (await ask(link, ['POST /search/metadata', { filter, albumIds: [albumId] }])).body.assets
        .items.length as number;
    for (const name of ['city', 'state', 'country'] as const) {
      expect(await found({ [name]: { ne: null } })).toBe(0);
      expect(await found({ or: [{ [name]: { in: [PLACE[name]] } }] })).toBe(0);
    }
    // The instant beside the clock would tell the time zone.
    expect(await found({ takenAt: { lt: '2026-01-10T12:00:00Z' } })).toBe(0);
    await change(link, false);
    expect(await found({ city: { eq: PLACE.city } })).toBe(1);
    expect(await inBox(around)).toEqual([id]);
  });
}

test('a link that says nothing of places is as before, and its answer has no further member', async () => {
  const body = { type: 'INDIVIDUAL', assetIds: [id] };
  const made = await call(app, 'POST /shared-links', { as: ada, body });
  expect(made.body).not.toHaveProperty('hidesPlaces');
  const { exifInfo } = (await call(app, `GET /assets/${id}?key=${made.body.key}`)).body;
  expect(exifInfo.city).toBe(PLACE.city);
});

test('strangers, guests and keys without the permission cannot let a link tell places', async () => {
  const link = ways.pictures;
  const body = { hidesPlaces: false };
  const route = `PATCH /shared-links/${link.id}` as const;
  expect((await call(app, route, { as: bob, body })).status).toBe(400);
  expect((await call(app, `PATCH /shared-links/${link.id}?${link.query}`, { body })).status).toBe(
    403,
  );
  expect((await call(app, route, { as: ada, body: { hidesPlaces: 'no' } })).status).toBe(400);
  const shown = await ask(link, [`GET /assets/${id}`]);
  expect(shown.body.exifInfo.city).toBeNull();
});
