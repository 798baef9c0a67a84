import { beforeAll, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { photoForm, randomFileBytes, upload } from '../../../test/support/forms.ts';
import { call, seed, send, type TestUser } from '../../../test/support/harness.ts';
import { addFile } from '../../../test/support/processing.ts';

const { database, app } = await useApp();
let owner: TestUser;
let member: TestUser;
let albumId: string;
let assetId: string;
const BYTES = Buffer.from('the bytes of the original');
/** The answer to a guest who may not download. */
const NO_DOWNLOAD = {
  status: 400,
  body: { message: 'Not found or no asset.download access' },
};
const HIDDEN = {
  make: 'Canon',
  model: 'EOS R5',
  city: 'Lisbon',
  country: 'Portugal',
  latitude: 38.712,
  longitude: -9.139,
  timeZone: 'Europe/Lisbon',
  description: 'our kitchen',
};

beforeAll(async () => {
  owner = await seed(database).user(['all'], { name: 'Olivia Owner' });
  member = await seed(database).user(['all'], { name: 'Max Member' });
  const file = { name: 'secret-name.jpg', bytes: BYTES };
  assetId = await addFile(database, file, {
    ownerId: owner.id,
    takenAt: new Date('2024-07-01T10:00:00Z'),
    localTakenAt: '2024-07-01T11:00:00',
    exif: HIDDEN,
  });
  const body = {
    albumName: 'Summer',
    assetIds: [assetId],
    albumUsers: [{ userId: member.id, role: 'editor' }],
  };
  albumId = (await call(app, 'POST /albums', { as: owner, body })).body.id;
});

type Link = { id: string; key: string };
async function link(over: object = {}): Promise<Link> {
  const body = { type: 'ALBUM', albumId, ...over };
  const reply = await call(app, 'POST /shared-links', { as: owner, body });
  expect(reply.status).toBe(201);
  return reply.body;
}
const by = ({ key }: Link) => ({ headers: { 'x-immich-share-key': key } });

/** All that a guest can read of a link, as one text with the headers of the answers. */
async function readable(shared: Link): Promise<string> {
  const query = `?key=${shared.key}`;
  const answers = await Promise.all([
    send(app, `GET /shared-links/me${query}`),
    send(app, `GET /albums/${albumId}${query}`),
    send(app, `GET /assets/${assetId}${query}`),
    send(app, `GET /timeline/buckets${query}`),
    send(app, `GET /timeline/bucket${query}&timeBucket=2024-07-01&withCoordinates=true`),
    send(app, `GET /albums/${albumId}/map-markers${query}`),
    send(app, `POST /search/metadata${query}`, {
      body: { albumIds: [albumId], withExif: true, withPeople: true },
    }),
    send(app, `POST /download/info${query}`, { body: { albumId } }),
  ]);
  const texts = await Promise.all(
    answers.map(async (answer) => JSON.stringify([...answer.headers]) + (await answer.text())),
  );
  expect(texts.filter((text) => text.includes(assetId)).length).toBeGreaterThan(2);
  return texts.join('\n');
}

describe('CVE-2026-25118: what a guest reads', () => {
  test("contains no e-mail addresses and no names of the album's people", async () => {
    const text = await readable(await link());
    for (const person of [owner, member]) expect(text).not.toContain(person.email);
    for (const name of ['Olivia Owner', 'Max Member', member.id]) expect(text).not.toContain(name);
    expect(text).toContain('Canon');
  });

  test('contains only the picture if metadata are hidden', async () => {
    const text = await readable(await link({ showMetadata: false }));
    expect(text).not.toContain('"ownerId":"');
    const values = ['Canon', 'EOS R5', 'Lisbon', 'Portugal', '38.712', 'our kitchen'];
    for (const value of [...values, 'secret-name', '2024-07-01T10:00']) {
      expect(text).not.toContain(value);
    }
    expect(text).toContain('2024-07-01T11:00:00.000Z');
  });

  test('does not reveal hidden metadata by the original or its file name', async () => {
    const shared = await link({ showMetadata: false, allowDownload: true });
    expect((await send(app, `GET /assets/${assetId}/original`, by(shared))).status).toBe(400);
    for (const path of ['archive', 'info'] as const) {
      const reply = await call(app, `POST /download/${path}`, {
        ...by(shared),
        body: { assetIds: [assetId] },
      });
      expect(reply).toMatchObject(NO_DOWNLOAD);
    }
    for (const size of ['original', 'fullsize']) {
      const path = `GET /assets/${assetId}/thumbnail?size=${size}`;
      const reply = await send(app, path, by(shared));
      // There is no rendered picture here: without metadata nothing else stands in for it.
      expect(reply.status).toBe(404);
      expect(await reply.text()).not.toContain('secret');
    }
  });
});

describe('originals', () => {
  test('are sent only to guests who may download', async () => {
    const open = await link();
    const reply = await send(app, `GET /assets/${assetId}/original`, by(open));
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-disposition')).toContain('secret-name.jpg');
    expect(Buffer.from(await reply.arrayBuffer())).toEqual(BYTES);
    const archive = await send(app, 'POST /download/archive', {
      ...by(open),
      body: { assetIds: [assetId] },
    });
    expect(Buffer.from(await archive.arrayBuffer()).includes(BYTES)).toBe(true);

    const closed = await link({ allowDownload: false });
    expect(await call(app, `GET /assets/${assetId}/original`, by(closed))).toMatchObject(
      NO_DOWNLOAD,
    );
    expect((await call(app, `GET /assets/${assetId}`, by(closed))).status).toBe(200);
    const plan = (body: object) => call(app, 'POST /download/info', { ...by(closed), body });
    expect(await plan({ assetIds: [assetId] })).toMatchObject(NO_DOWNLOAD);
    expect(await plan({ albumId })).toMatchObject({
      status: 400,
      body: { message: 'Not found or no album.download access' },
    });
    expect(
      (await call(app, 'POST /download/info', { ...by(open), body: { albumId } })).status,
    ).toBe(201);
  });

  test('CVE-2026-40096: names of the owner stay text in answers and headers', async () => {
    const name = '"><script>alert(1)</script>\r\nSet-Cookie: a=b';
    const { key } = await link({ description: name });
    const me = await send(app, `GET /shared-links/me?key=${key}`);
    expect(me.headers.get('content-type')).toStartWith('application/json');
    expect(((await me.json()) as { description: string }).description).toBe(name);
    const archive = await send(app, `POST /download/archive?key=${key}`, {
      body: { assetIds: [assetId], archiveName: name },
    });
    const disposition = archive.headers.get('content-disposition')!;
    expect(disposition).not.toMatch(/[\r\n<>]/);
    expect(archive.headers.getSetCookie()).toEqual([]);
    await archive.body?.cancel();
  });
});

describe('an album link', () => {
  const shown = async (shared: Link): Promise<string[]> => {
    const path = `GET /timeline/bucket?timeBucket=2026-01-01&key=${shared.key}` as const;
    return (await call(app, path)).body.id;
  };

  test('shows assets that are added to the album later, and no longer those removed', async () => {
    const shared = await link();
    const later = await seed(database).asset({ ownerId: owner.id });
    expect(await shown(shared)).not.toContain(later);
    const path = `/albums/${albumId}/assets` as const;
    await call(app, `PUT ${path}`, { as: owner, body: { ids: [later] } });
    expect(await shown(shared)).toContain(later);
    await call(app, `DELETE ${path}`, { as: owner, body: { ids: [later] } });
    expect(await shown(shared)).not.toContain(later);
    expect((await call(app, `GET /assets/${later}`, by(shared))).status).toBe(400);
  });

  for (const [name, change] of [
    ['locked', 'locked_at = now()'],
    ['trashed', 'trashed_at = now()'],
  ] as const) {
    test(`shows nothing that is ${name}, in any way`, async () => {
      const shared = await link();
      const id = await seed(database).asset({ ownerId: owner.id });
      await call(app, `PUT /albums/${albumId}/assets`, { as: owner, body: { ids: [id] } });
      expect(await shown(shared)).toContain(id);
      await database.sql.unsafe(`update asset set ${change} where id = '${id}'`);
      expect(await shown(shared)).not.toContain(id);
      for (const path of ['', '/thumbnail', '/original', '/video/playback']) {
        expect((await send(app, `GET /assets/${id}${path}`, by(shared))).status).toBe(400);
      }
      const body = { assetIds: [id] };
      const archive = await call(app, 'POST /download/archive', { ...by(shared), body });
      expect(archive.status).toBe(400);
    });
  }

  test('accepts uploads of guests if it allows them, and shows them', async () => {
    const open = await link({ allowUpload: true });
    const query = `?key=${open.key}`;
    const { status, body } = await upload(app, photoForm(randomFileBytes()), { query });
    expect(status).toBe(201);
    expect((await call(app, `GET /assets/${body.id}`, by(open))).status).toBe(200);
    const closed = await link({ allowUpload: false });
    const refused = await upload(app, photoForm(randomFileBytes()), {
      query: `?key=${closed.key}`,
    });
    expect(refused).toMatchObject({ status: 401, body: { message: 'Unauthorized' } });
  });

  test('allows no changes except uploads', async () => {
    const shared = await link({ allowUpload: true });
    const asks = [
      call(app, `PUT /assets/${assetId}`, { ...by(shared), body: { isFavorite: true } }),
      call(app, 'DELETE /assets', { ...by(shared), body: { ids: [assetId] } }),
      call(app, `PATCH /albums/${albumId}`, { ...by(shared), body: { albumName: 'x' } }),
      call(app, `PUT /albums/${albumId}/assets`, { ...by(shared), body: { ids: [assetId] } }),
    ];
    for (const { status } of await Promise.all(asks)) expect(status).toBe(403);
  });
});

test('guests are told who shares, once they have entered the password', async () => {
  const ask = (shared: { key: string }) =>
    call(app, `GET /shared-links/me/owner?key=${shared.key}`);
  expect(await ask(await link({}))).toMatchObject({ status: 200, body: { name: 'Olivia Owner' } });
  expect((await ask(await link({ password: 'open sesame' }))).status).toBe(401);
  expect((await ask({ key: 'unknown' })).status).toBe(401);
  expect((await call(app, 'GET /shared-links/me/owner', { as: owner })).status).toBe(403);
});

test('a link works by slug as by key', async () => {
  const shared = await link({ slug: 'summer-2024' });
  const { body } = await call(app, 'GET /shared-links/me?slug=summer-2024');
  expect(body).toMatchObject({ id: shared.id, album: { albumUsers: [], albumName: 'Summer' } });
  expect(body.album).not.toHaveProperty('contributorCounts');
  const headers = { 'x-immich-share-slug': 'summer-2024' };
  expect((await call(app, 'GET /shared-links/me', { headers })).status).toBe(200);
});
