import { beforeAll, describe, expect, test } from 'bun:test';
import type { TSchema } from 'elysia';
import { albumAssets, sharedLinkAssets, sharedLinks } from '../../src/db/tables/albums.ts';
import { COMPATIBLE, SPECIFIED } from '../contract/compare.ts';
import { unconnectedApp } from '../contract/report.ts';
import { useHousehold } from '../support/database.ts';
import { duplicateSets } from '../support/duplicate-sets.ts';
import { call, seed, send, type TestUser } from '../support/harness.ts';
import { createValid } from '../support/valid-body.ts';

// Scripts with narrow keys: the permission that Immich's document names is enough for items of one's own. What opens items
// of somebody else, or downloads to guests, needs what they may do then.

const { database, app, house, me } = await useHousehold();
let own: string;
/** An item that a partner shows to the owner. */
let theirs: string;
beforeAll(() => {
  own = house.ids.plain;
  theirs = house.ids.ofPartner;
});

async function addKey(...permissions: string[]): Promise<TestUser> {
  const body = { name: 'k', permissions };
  const made = await call(app, 'POST /api-keys', { session: house.owner, body });
  return { ...house.owner, key: made.body.secret };
}

type Route = Parameters<typeof call>[1];
const ask = async (route: string, permissions: readonly string[], body?: object) =>
  call(app, route as Route, { as: await addKey(...permissions), ...(body && { body }) });

const SEES = ['asset.read', 'asset.view'];
const SHARED = [...SEES, 'asset.download'];

/** Each of `needed` is needed, named where it is missing, and together they are enough. */
async function expectNeeds(
  act: (permissions: readonly string[]) => ReturnType<typeof call>,
  of: string,
  needed: readonly string[],
) {
  for (const missing of needed) {
    const { status, body } = await act([of, ...needed.filter((one) => one !== missing)]);
    expect([status, body]).toEqual([403, { message: `Missing required permission: ${missing}` }]);
  }
  const { status } = await act([of, ...needed]);
  expect(status).toBeLessThan(300);
}

/** A key without the permission is refused. */
async function expectNamed(route: string, of: string, body?: object) {
  const { status, body: refusal } = await ask(route, ['activity.read'], body);
  expect([status, refusal.message]).toEqual([403, `Missing required permission: ${of}`]);
}

describe('albums', () => {
  const create = (body: object) => (permissions: readonly string[]) =>
    ask('POST /albums', permissions, { albumName: 'a', ...body });

  test('510: a key that creates albums puts own items into them', async () => {
    const body = { assetIds: [own, house.ids.locked, house.ids.trashed] };
    const made = await create(body)(['album.create']);
    expect([made.status, made.body.assetCount]).toEqual([201, 1]);
    await expectNamed('POST /albums', 'album.create', { albumName: 'a' });
  });

  test('511: it shares them, and another key adds members', async () => {
    const users = [{ userId: house.member.id, role: 'viewer' }];
    const made = await create({ assetIds: [own], albumUsers: users })(['album.create']);
    expect([made.status, made.body.albumUsers.length]).toEqual([201, 2]);
    const route = `PUT /albums/${made.body.id}/users`;
    const body = { albumUsers: [{ userId: me.id, role: 'editor' }] };
    const added = await ask(route, ['albumUser.create'], body);
    expect([added.status, added.body.albumUsers.length]).toEqual([200, 3]);
    await expectNamed(route, 'albumUser.create', body);
    const stranger = await call(app, route as Route, { as: house.stranger, body });
    expect(stranger.status).toBe(400);
  });

  test("512: a partner's items are shared by a key that sees them itself, or no album is made", async () => {
    const count = () => call(app, 'GET /albums', { as: house.member });
    const before = (await count()).body.length;
    const users = [{ userId: house.member.id, role: 'viewer' }];
    const share = create({ assetIds: [theirs], albumUsers: users });
    expect((await share(['album.create', 'album.read'])).status).toBe(403);
    expect((await count()).body).toHaveLength(before);
    await expectNeeds(share, 'album.create', SHARED);
    // Its owner's album alone opens nothing.
    expect((await create({ assetIds: [theirs] })(['album.create'])).status).toBe(201);
  });

  test('513: so is an album with items that others have put into it', async () => {
    const { body: album } = await create({})(['album.create']);
    await database.db.insert(albumAssets).values({ albumId: album.id, assetId: theirs });
    await expectNeeds(
      (permissions) =>
        ask(`PUT /albums/${album.id}/users`, permissions, {
          albumUsers: [{ userId: me.id, role: 'viewer' }],
        }),
      'albumUser.create',
      SHARED,
    );
  });
});

describe('links', () => {
  const create = (body: object) => (permissions: readonly string[]) =>
    ask('POST /shared-links', permissions, { type: 'INDIVIDUAL', ...body });

  test('514: a key that creates links opens own items, to be looked at only', async () => {
    const { status, body } = await create({ assetIds: [own] })(['sharedLink.create']);
    expect([status, body.allowDownload, body.allowUpload]).toEqual([201, false, false]);
    const { id: albumId } = (await ask('POST /albums', ['album.create'], { albumName: 'l' })).body;
    const made = await create({ type: 'ALBUM', albumId })(['sharedLink.create']);
    expect([made.status, made.body.allowDownload]).toEqual([201, false]);
    for (const { key } of [body, made.body]) {
      const archive = { assetIds: [own] };
      const fetched = await call(app, `POST /download/archive?key=${key}`, { body: archive });
      expect(fetched.status).toBe(400);
    }
    await expectNamed('POST /shared-links', 'sharedLink.create', { type: 'ALBUM', albumId });
  });

  test('515: a link by which guests download or upload needs a key that may', async () => {
    // Clients cannot be told apart from those that say nothing, which means yes.
    const asked = await create({ assetIds: [own], allowDownload: true })(['sharedLink.create']);
    expect([asked.status, asked.body.allowDownload]).toEqual([201, false]);
    await expectNeeds(create({ assetIds: [own], allowUpload: true }), 'sharedLink.create', [
      'asset.upload',
    ]);
    const { body } = await create({ assetIds: [own] })(['sharedLink.create', 'asset.download']);
    expect(body.allowDownload).toBe(true);
  });

  test("516: a partner's items are opened by a key that sees them itself", async () => {
    await expectNeeds(create({ assetIds: [own, theirs] }), 'sharedLink.create', SEES);
    const { id } = (await create({ assetIds: [own] })(['sharedLink.create'])).body;
    const route = `PUT /shared-links/${id}/assets`;
    await expectNeeds((by) => ask(route, by, { assetIds: [theirs] }), 'sharedLink.update', SEES);
  });

  test('517: a key that changes links adds own items, and names and ends links', async () => {
    const { id } = (await create({ assetIds: [own] })(['sharedLink.create'])).body;
    const assetIds = [house.ids.video, house.ids.locked];
    const added = await ask(`PUT /shared-links/${id}/assets`, ['sharedLink.update'], { assetIds });
    expect(added.body.map(({ success }: { success: boolean }) => success)).toEqual([true, false]);
    const change = { description: 'x', expiresAt: '2030-01-01T00:00:00.000Z' };
    const changed = await ask(`PATCH /shared-links/${id}`, ['sharedLink.update'], change);
    expect([changed.status, changed.body.description]).toEqual([200, 'x']);
    const stranger = await call(app, `PATCH /shared-links/${id}` as Route, {
      as: house.stranger,
      body: change,
    });
    expect(stranger.status).toBe(400);
    const open = { allowDownload: true };
    await expectNeeds((by) => ask(`PATCH /shared-links/${id}`, by, open), 'sharedLink.update', [
      'asset.download',
    ]);
  });
});

test('518: a key that creates memories puts items into them', async () => {
  const body = {
    type: 'on_this_day',
    data: { year: 2020 },
    memoryAt: '2020-01-02T00:00:00.000Z',
    assetIds: [own, theirs],
  };
  const { status, body: made } = await ask('POST /memories', ['memory.create'], body);
  expect(status).toBe(201);
  expect(made.assets.map(({ id }: { id: string }) => id)).toEqual([own]);
  await expectNamed('POST /memories', 'memory.create', body);
});

test('519: a key that makes partners shows the own library', async () => {
  const made = await ask('POST /partners', ['partner.create'], { sharedWithId: me.id });
  expect([made.status, made.body.id]).toEqual([201, me.id]);
  await expectNamed('POST /partners', 'partner.create', { sharedWithId: me.id });
});

test('520: a key that decides about duplicates trashes what is turned down', async () => {
  const pictures = duplicateSets(() => ({ database, app, me: house.owner }));
  const [kept, worse] = [
    await pictures.addPicture([1, 1, 0, 0]),
    await pictures.addPicture([1, 1, 0, 0]),
  ];
  await pictures.matchAll();
  const [{ duplicateId }] = (await pictures.list()) as [{ duplicateId: string }];
  const groups = [{ duplicateId, keepAssetIds: [kept], trashAssetIds: [worse] }];
  const { body } = await ask('POST /duplicates/resolve', ['duplicate.delete'], { groups });
  expect(body).toEqual([{ id: duplicateId, success: true }]);
  await expectNamed('POST /duplicates/resolve', 'duplicate.delete', { groups });
});

describe('a copy of what belongs to an item', () => {
  let better: string;
  const copy = (permissions: readonly string[]) =>
    ask('PUT /assets/copy', permissions, { sourceId: own, targetId: better });
  beforeAll(async () => {
    better = await seed(database).asset({ ownerId: house.owner.id });
  });

  test('521: needs its own permission, also where there are albums', async () => {
    const body = { albumName: 'c', assetIds: [own] };
    const { body: album } = await call(app, 'POST /albums', { as: house.owner, body });
    await database.db.delete(sharedLinkAssets);
    expect((await copy(['asset.copy'])).status).toBe(204);
    const read = await call(app, `GET /albums/${album.id}`, { as: house.owner });
    expect(read.body.assetCount).toBe(2);
    const stranger = { as: house.stranger, body: { sourceId: own, targetId: better } };
    expect((await call(app, 'PUT /assets/copy', stranger)).status).toBe(400);
  });

  test('522: and to download where guests may then, and is not made without', async () => {
    const key = crypto.getRandomValues(new Uint8Array(50));
    const values = { ownerId: house.owner.id, type: 'INDIVIDUAL', key } as const;
    await database.db.delete(sharedLinkAssets);
    const [link] = await database.db.insert(sharedLinks).values(values).returning();
    await database.db.insert(sharedLinkAssets).values({ linkId: link!.id, assetId: own });
    expect((await copy(['asset.copy', ...SEES])).status).toBe(403);
    expect(await database.db.$count(sharedLinkAssets)).toBe(1);
    await expectNeeds(copy, 'asset.copy', ['asset.download']);
    expect(await database.db.$count(sharedLinkAssets)).toBe(2);
  });
});

test('523: a key that changes memories exports them, one that reads them fetches it', async () => {
  const body = { name: 'a', type: 'custom', assetIds: [own] };
  const { body: memory } = await ask('POST /memories', ['memory.create'], body);
  const order = await ask(`POST /memories/${memory.id}/exports`, ['memory.update'], {
    kind: 'archive',
  });
  expect(order.status).toBe(201);
  // There is no file yet.
  const { id } = order.body;
  expect((await ask(`GET /memories/exports/${id}/download`, ['memory.read'])).status).toBe(404);
  await expectNamed(`GET /memories/exports/${id}/download`, 'memory.read');
  await expectNamed(`POST /memories/exports/${id}/library`, 'memory.update');
  // An unknown frame.
  const frame = `GET /enrichment/frames/${crypto.randomUUID()}`;
  expect((await ask(frame, ['asset.read'])).status).toBe(400);
  await expectNamed(frame, 'asset.read');
});

describe('569: the permission that the document names is enough for', () => {
  const ROUTES = new Map(
    unconnectedApp().routes.map(({ method, path, hooks }) => [
      `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
      hooks.body as TSchema | undefined,
    ]),
  );
  /** A body with all members on top, the optional ones too. */
  const fill = (schema: TSchema | undefined) =>
    schema?.['properties'] &&
    createValid({ ...schema, required: Object.keys(schema['properties']) } as TSchema);
  const wanted = [...SPECIFIED, ...COMPATIBLE].filter(
    ({ name, auth, isAdmin, permission }) =>
      auth === 'key' && !isAdmin && permission && permission !== 'all' && ROUTES.has(name),
  );

  test.each(wanted)('$name', async ({ name, permission }) => {
    const route = name.replace(' /api', ' ').replaceAll(/\{\w+\}/g, () => crypto.randomUUID());
    const body = fill(ROUTES.get(name)) as object | undefined;
    const reply = await send(app, route as Route, {
      as: await seed(database).user([permission!]),
      ...(body && !name.startsWith('GET') && { body }),
    });
    const text = await reply.text();
    // Links are tested above: the body asks for what opens downloads and uploads to guests.
    if (!name.endsWith(' /api/shared-links')) expect(text).not.toContain('Missing required');
    // It is needed, too: no other key of the account calls the operation.
    const other = permission === 'activity.read' ? 'activity.update' : 'activity.read';
    const as = await seed(database).user([other]);
    const { status } = await call(app, route as Route, { as, ...(body && { body }) });
    expect(status).toBe(403);
  });
});
