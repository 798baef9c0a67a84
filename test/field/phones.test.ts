import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readProfile } from '../../src/areas/oauth/claims.ts';
import { DEFAULTS } from '../../src/areas/system-config/index.ts';
import { openFormServer, type FormServer } from '../support/form-server.ts';
import { photoForm, randomFileBytes, upload } from '../support/forms.ts';
import { call, seed, type TestUser } from '../support/harness.ts';
import type { Json } from '../support/json.ts';
import { emptyCopy, syncAll } from '../sync/client.ts';
import { connect, waitForWatermark } from '../sync/support.ts';

// Transactions of other tests in the same cluster hold the watermark back.
setDefaultTimeout(300_000);

// Phones keep a copy of what they may see, and put in what they take.

let server: FormServer;
beforeAll(async () => {
  server = await openFormServer();
});
afterAll(() => server.close());

type Route = Parameters<typeof call>[1];
const send = (route: string, as: TestUser, body?: object) =>
  call(server.app, route as Route, { as, ...(body && { body }) });
const addUser = (quotaBytes: number | null = null) =>
  seed(server.database).user(['all'], { quotaBytes });
const put = (as: TestUser, length: number) =>
  upload(server.app, photoForm(randomFileBytes(length)), { as });

/** A phone; `sync` returns the ids of the items that it has then. */
function createPhone(user: TestUser) {
  const copy = emptyCopy();
  const sync = async () => {
    await waitForWatermark(server.database);
    await syncAll(connect(server.app, user), copy);
    return [...copy.assets.keys()].sort();
  };
  return { copy, sync };
}

async function makeAlbum(owner: TestUser, assetIds: readonly string[], member: TestUser) {
  const albumUsers = [{ userId: member.id, role: 'editor' }];
  const body = { albumName: 'a', assetIds, albumUsers };
  return (await send('POST /albums', owner, body)).body.id as string;
}

describe('the copy of a phone', () => {
  test('561: loses an album that its account was removed from, and knows it again later', async () => {
    const [owner, member] = [await addUser(), await addUser()];
    const item = await seed(server.database).asset({ ownerId: owner.id });
    const album = await makeAlbum(owner, [item], member);
    const phone = createPhone(member);
    expect(await phone.sync()).toEqual([item]);
    await send(`DELETE /albums/${album}/user/${member.id}`, owner);
    await phone.sync();
    expect([phone.copy.albums.size, phone.copy.albumAssets.size]).toEqual([0, 0]);
    await send(`PUT /albums/${album}/users`, owner, {
      albumUsers: [{ userId: member.id, role: 'viewer' }],
    });
    expect(await phone.sync()).toEqual([item]);
    expect([...phone.copy.albums.keys()]).toEqual([album]);
  });

  test('562: is told what leaves an album, and what is put into it again', async () => {
    const [owner, member] = [await addUser(), await addUser()];
    const [one, two] = [
      await seed(server.database).asset({ ownerId: owner.id }),
      await seed(server.database).asset({ ownerId: owner.id }),
    ];
    const album = await makeAlbum(owner, [one, two], member);
    const phone = createPhone(member);
    await phone.sync();
    const count = () => phone.copy.albumAssets.size;
    expect(count()).toBe(2);
    await send(`DELETE /albums/${album}/assets`, owner, { ids: [one] });
    await phone.sync();
    expect(count()).toBe(1);
    await send(`PUT /albums/${album}/assets`, owner, { ids: [one] });
    await phone.sync();
    expect(count()).toBe(2);
  });

  test('563: has nothing of an account that shares no more, nor what that adds then', async () => {
    const [owner, partner] = [await addUser(), await addUser()];
    const item = await seed(server.database).asset({ ownerId: partner.id });
    await send('POST /partners', partner, { sharedWithId: owner.id });
    const phone = createPhone(owner);
    expect(await phone.sync()).toEqual([item]);
    await send(`DELETE /partners/${owner.id}`, partner);
    const later = await seed(server.database).asset({ ownerId: partner.id });
    expect(await phone.sync()).not.toContain(later);
    expect(phone.copy.partners.size).toBe(0);
    expect((await send(`GET /assets/${item}`, owner)).status).toBe(400);
  });

  test('564: has after a trip to the trash and back what it had before', async () => {
    const me = await addUser();
    const item = await seed(server.database).asset({ ownerId: me.id, isFavorite: true });
    const phone = createPhone(me);
    await phone.sync();
    const before = phone.copy.assets.get(item);
    await send('DELETE /assets', me, { ids: [item] });
    await phone.sync();
    expect(phone.copy.assets.get(item)?.['deletedAt']).not.toBeNull();
    await send('POST /trash/restore', me);
    await phone.sync();
    expect(phone.copy.assets.get(item)).toEqual(before);
  });
});

describe('the room of an account', () => {
  const getUsage = async (as: TestUser) => {
    const { body } = await send('GET /users/me', as);
    return [body.quotaUsageInBytes, body.quotaSizeInBytes];
  };

  test('565: of 0 bytes takes nothing, without a limit everything', async () => {
    const [none, unlimited] = [await addUser(0), await addUser(null)];
    const refused = await put(none, 10);
    expect([refused.status, refused.body]).toEqual([400, { message: 'Quota has been exceeded!' }]);
    expect(await getUsage(none)).toEqual([0, 0]);
    expect((await put(unlimited, 1000)).status).toBe(201);
    expect(await getUsage(unlimited)).toEqual([1000, null]);
  });

  test('566: is free again after an item is deleted for ever, and not in the trash', async () => {
    const me = await addUser(1000);
    const { body } = await put(me, 900);
    await send('DELETE /assets', me, { ids: [body.id] });
    expect(await getUsage(me)).toEqual([900, 1000]);
    expect((await put(me, 900)).status).toBe(400);
    await send('POST /trash/empty', me);
    expect((await send(`GET /assets/${body.id}`, me)).status).toBe(400);
    expect((await put(me, 900)).status).toBe(201);
    expect((await getUsage(me))[0]).toBe(900);
  });

  test('567: is that of whoever made the link by which guests add', async () => {
    const [me, other] = [await addUser(1000), await addUser(1000)];
    const album = await makeAlbum(me, [], other);
    const body = { type: 'ALBUM', albumId: album, allowUpload: true };
    const { key } = (await send('POST /shared-links', me, body)).body as Json;
    const guest = (length: number) =>
      upload(server.app, photoForm(randomFileBytes(length)), { query: `?key=${key}` });
    const added = await guest(600);
    expect(added.status).toBe(201);
    expect(await getUsage(me)).toEqual([600, 1000]);
    expect(await getUsage(other)).toEqual([0, 1000]);
    expect((await guest(600)).status).toBe(400);
    const { status, body: seen } = await send(`GET /assets/${added.body.id}`, me);
    expect([status, seen.ownerId]).toEqual([200, me.id]);
  });
});

test('568: an address of a sign-on service is the same in any case, and no room is no room', () => {
  const read = (profile: object, defaultStorageQuota: number | null = null) =>
    readProfile({ ...profile }, { ...DEFAULTS.oauth, defaultStorageQuota });
  for (const email of ['ANNA@Example.com', '  anna@example.com\n']) {
    expect(read({ email }).email).toBe('anna@example.com');
  }
  expect(read({ email: 'anna@' }).email).toBeUndefined();
  // No room is 0 GiB, by the claim or by default; without either there is no limit.
  expect(read({ immich_quota: 0 }, 5).quotaBytes).toBe(0);
  expect(read({ immich_quota: '1.5' }).quotaBytes).toBe(1.5 * 1024 ** 3);
  expect(read({}, 0).quotaBytes).toBe(0);
  expect(read({}).quotaBytes).toBeNull();
});
