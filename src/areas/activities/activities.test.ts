import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../test/support/database.ts';
import { call, seed, type TestUser } from '../../../test/support/harness.ts';

const { database, app } = await useApp();
let owner: TestUser;
let member: TestUser;
let stranger: TestUser;
let albumId: string;
/** Two items that the album shows. */
let first: string;
let second: string;
beforeEach(async () => {
  const add = seed(database);
  [owner, member, stranger] = [await add.user(), await add.user(), await add.user()];
  first = await add.asset({ ownerId: owner.id });
  second = await add.asset({ ownerId: owner.id });
  albumId = await album([first, second]);
});

async function album(assetIds: string[]): Promise<string> {
  const albumUsers = [{ userId: member.id, role: 'viewer' }];
  const body = { albumName: 'A', assetIds, albumUsers };
  return (await call(app, 'POST /albums', { as: owner, body })).body.id;
}
const post = (as: TestUser, body: object) =>
  call(app, 'POST /activities', { as, body: { albumId, ...body } });
const comment = async (as: TestUser, text: string, assetId?: string): Promise<string> => {
  const reply = await post(as, { type: 'comment', comment: text, ...(assetId && { assetId }) });
  expect(reply.status).toBe(201);
  return reply.body.id;
};
const like = (as: TestUser, assetId?: string) =>
  post(as, { type: 'like', ...(assetId && { assetId }) });
const list = (as: TestUser, query = '') =>
  call(app, `GET /activities?albumId=${albumId}${query}`, { as });
const listed = async (as: TestUser, query = ''): Promise<string[]> =>
  (await list(as, query)).body.map((activity: { id: string }) => activity.id);
const statistics = async (as: TestUser, query = '') =>
  (await call(app, `GET /activities/statistics?albumId=${albumId}${query}`, { as })).body;

test('comments and likes are told with their author, oldest first', async () => {
  const said = await comment(member, 'Rome!', first);
  const liked = await like(owner);
  expect(liked.status).toBe(201);
  expect((await list(owner)).body).toEqual([
    {
      id: said,
      type: 'comment',
      comment: 'Rome!',
      assetId: first,
      createdAt: expect.stringMatching(/Z$/),
      user: expect.objectContaining({ id: member.id, email: member.email }),
    },
    {
      id: liked.body.id,
      type: 'like',
      comment: null,
      assetId: null,
      createdAt: expect.any(String),
      user: expect.objectContaining({ id: owner.id }),
    },
  ]);
});

test('a list and its counts are narrowed by asset, level, type and author', async () => {
  const ids = {
    album: await comment(owner, 'all of it'),
    first: await comment(member, 'this', first),
    second: await comment(owner, 'that', second),
    like: (await like(member, first)).body.id,
    albumLike: (await like(member)).body.id,
  };
  const elsewhere = albumId;
  albumId = await album([first]);
  await comment(owner, 'elsewhere', first);
  albumId = elsewhere;
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const of = async (query: string) => (await listed(member, query)).map((id) => names.get(id));
  expect(await of('')).toEqual(['album', 'first', 'second', 'like', 'albumLike']);
  expect(await of(`&assetId=${first}`)).toEqual(['first', 'like']);
  expect(await of(`&assetId=${first}&type=like`)).toEqual(['like']);
  expect(await of('&level=album')).toEqual(['album', 'albumLike']);
  expect(await of(`&level=album&assetId=${first}`)).toEqual(['album', 'albumLike']);
  expect(await of('&level=asset&type=comment')).toEqual(['first', 'second']);
  expect(await of(`&userId=${owner.id}`)).toEqual(['album', 'second']);
  expect(await of(`&userId=${stranger.id}`)).toEqual([]);
  expect((await list(member, '&type=shout')).status).toBe(400);

  expect(await statistics(member)).toEqual({ comments: 3, likes: 2 });
  expect(await statistics(member, `&assetId=${first}`)).toEqual({ comments: 1, likes: 1 });
  expect(await statistics(member, `&assetId=${second}`)).toEqual({ comments: 1, likes: 0 });
});

test('what is said about an item is gone while the album does not show it', async () => {
  const kept = await comment(owner, 'album');
  const said = await comment(owner, 'secret', first);
  for (const change of ['locked_at = now()', 'trashed_at = now()', `visibility = 'hidden'`]) {
    await database.sql.unsafe(`update asset set ${change} where id = $1`, [first]);
    expect(await listed(owner)).toEqual([kept]);
    expect(await listed(owner, `&assetId=${first}`)).toEqual([]);
    expect(await statistics(owner)).toEqual({ comments: 1, likes: 0 });
    expect((await like(owner, first)).status).toBe(400);
    await database.sql`update asset set locked_at = null, trashed_at = null,
      visibility = 'archive' where id = ${first}`;
    expect(await listed(owner)).toEqual([kept, said]);
  }
  const body = { ids: [first] };
  await call(app, `DELETE /albums/${albumId}/assets`, { as: owner, body });
  expect(await listed(owner)).toEqual([kept]);
});

test('an account likes a thing once, also when it asks often at once', async () => {
  const replies = await Promise.all(Array.from({ length: 6 }, () => like(member, first)));
  const statuses = replies.map((reply) => reply.status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 200, 201]);
  expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(1);
  expect((await like(member)).status).toBe(201);
  expect((await like(owner, first)).status).toBe(201);
  expect(await statistics(owner)).toEqual({ comments: 0, likes: 3 });
  await call(app, `DELETE /activities/${replies[0]!.body.id}`, { as: member });
  expect((await like(member, first)).status).toBe(201);
});

describe('what is refused', () => {
  test('a comment without a text, a like with one', async () => {
    for (const body of [
      { type: 'comment' },
      { type: 'comment', comment: '  ' },
      { type: 'like', comment: 'x' },
      { type: 'share' },
    ]) {
      expect((await post(owner, body)).status).toBe(400);
    }
    expect(await listed(owner)).toEqual([]);
  });

  test('an asset that the album does not hold, and an album that takes no activities', async () => {
    const other = await seed(database).asset({ ownerId: owner.id });
    for (const id of [other, crypto.randomUUID()]) {
      expect((await like(owner, id)).body.message).toBe('Not found or no activity.create access');
    }
    const body = { isActivityEnabled: false };
    await call(app, `PATCH /albums/${albumId}`, { as: owner, body });
    expect((await like(owner)).status).toBe(400);
  });
});

describe('who may', () => {
  test('a stranger hears of nothing and says nothing; an unknown album reads the same', async () => {
    await comment(owner, 'x');
    const foreign = await list(stranger);
    expect(foreign).toMatchObject({
      status: 400,
      body: { message: 'Not found or no album.read access' },
    });
    expect(await statistics(stranger)).toEqual(foreign.body);
    expect((await like(stranger)).body.message).toBe('Not found or no activity.create access');
    const known = albumId;
    albumId = crypto.randomUUID();
    expect((await list(stranger)).body).toEqual(foreign.body);
    albumId = known;
    expect(await listed(owner)).toHaveLength(1);
  });

  test('whoever is taken out of the album is a stranger at once, and may take back the own', async () => {
    const own = await comment(member, 'mine');
    await call(app, `DELETE /albums/${albumId}/user/${member.id}`, { as: owner });
    expect((await list(member)).status).toBe(400);
    expect((await like(member)).status).toBe(400);
    expect(await listed(owner)).toEqual([own]);
    expect((await call(app, `DELETE /activities/${own}`, { as: member })).status).toBe(204);
    expect(await listed(owner)).toEqual([]);
  });

  test('the author deletes the own, the owner of the album any, nobody else', async () => {
    const editor = await seed(database).user();
    const body = { albumUsers: [{ userId: editor.id, role: 'editor' }] };
    await call(app, `PUT /albums/${albumId}/users`, { as: owner, body });
    const ids = [await comment(owner, 'a'), await comment(member, 'b'), await comment(member, 'c')];
    const remove = (as: TestUser, id: string) => call(app, `DELETE /activities/${id}`, { as });
    for (const as of [stranger, editor]) {
      const foreign = await remove(as, ids[1]!);
      expect(foreign.body.message).toBe('Not found or no activity.delete access');
      expect((await remove(as, crypto.randomUUID())).body).toEqual(foreign.body);
    }
    expect((await remove(member, ids[0]!)).status).toBe(400);
    expect((await remove(member, ids[1]!)).status).toBe(204);
    expect((await remove(owner, ids[2]!)).status).toBe(204);
    expect(await listed(owner)).toEqual([ids[0]!]);
  });

  test('a link to the album reads and says nothing', async () => {
    const key = crypto.getRandomValues(new Uint8Array(50));
    await database.sql`insert into shared_link (owner_id, type, album_id, key)
      values (${owner.id}, 'ALBUM', ${albumId}, ${key})`;
    const link = `key=${Buffer.from(key).toString('base64url')}`;
    const path = `GET /activities?albumId=${albumId}&${link}` as const;
    expect((await call(app, path)).status).toBe(403);
    const body = { albumId, type: 'like' };
    expect((await call(app, `POST /activities?${link}`, { body })).status).toBe(403);
    expect(await listed(owner)).toEqual([]);
  });

  test('AU-003, AU-004: by the permission of the key', async () => {
    const weak = await seed(database).user(['activity.create', 'album.create']);
    const made = await call(app, 'POST /albums', { as: weak, body: { albumName: 'x' } });
    const body = { albumId: made.body.id, type: 'like' };
    expect((await call(app, 'POST /activities', { as: weak, body })).status).toBe(201);
    const refused = await call(app, `GET /activities?albumId=${made.body.id}`, { as: weak });
    expect(refused).toMatchObject({
      status: 403,
      body: { message: 'Missing required permission: activity.read' },
    });
  });
});
