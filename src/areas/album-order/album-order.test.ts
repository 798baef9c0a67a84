import { beforeEach, describe, expect, test } from 'bun:test';
import { sql as raw } from 'drizzle-orm';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../test/support/harness.ts';
import { addManyAssets } from '../../../test/support/many-assets.ts';
import { findAccountSession } from '../../access/account-session.ts';
import type { Position } from '../../db/keyset.ts';
import { listItems } from './store.ts';

const { database, app } = await useApp();
const { sql } = database;
let me: TestUser;
/** Newest first. */
let ids: string[];
let album: string;
beforeEach(async () => {
  me = await seed(database).user();
  ids = await addManyAssets(database, me.id, 5);
  album = (await send('POST /albums', { albumName: 'A', assetIds: ids })).id;
});

const send = async (route: string, body?: object, caller: Caller = { as: me }) => {
  const reply = await call(app, route as 'PUT /assets', { ...caller, body: body as never });
  expect([route, reply.status < 300, reply.body]).toEqual([route, true, reply.body]);
  return reply.body;
};
const path = (rest: string, id = album) => `/albums/${id}/${rest}`;
const order = (body: object, caller: Caller = { as: me }) =>
  call(app, `PUT ${path('order')}` as 'PUT /', { ...caller, body: body as never });
const move = (body: object, caller: Caller = { as: me }) =>
  call(app, `POST ${path('items/move')}` as 'POST /', { ...caller, body: body as never });
const list = async (caller: Caller = { as: me }, query = '') =>
  (await send(`GET ${path('items')}${query}`, undefined, caller)) as {
    items: { id: string }[];
    nextCursor: string | null;
  };
/** The places of `ids` in the order of the album: '01234'. */
const read = async (caller?: Caller): Promise<string> =>
  (await list(caller)).items.map(({ id }) => ids.indexOf(id)).join('');
const byHand = () => send(`PUT ${path('order')}`, { order: 'custom' });
const at = (...places: number[]) => places.map((place) => ids[place]!);

const addEditor = async (role = 'editor') => {
  const other = await seed(database).user();
  await send(`PUT /albums/${album}/users`, { albumUsers: [{ userId: other.id, role }] });
  return other;
};
const addLink = async (): Promise<Caller> => {
  const { key } = await send('POST /shared-links', { type: 'ALBUM', albumId: album });
  return { headers: { 'x-immich-share-key': key } };
};

describe('an order by hand', () => {
  test('begins in the order by date, and Immich sees no other one than before', async () => {
    const before = await send(`GET /albums/${album}`);
    expect(await send(`GET ${path('order')}`)).toEqual({ order: 'desc', revision: 0 });
    expect((await call(app, `GET ${path('items')}` as 'GET /', { as: me })).status).toBe(409);
    expect(await byHand()).toEqual({ order: 'custom', revision: 1 });
    expect(await read()).toBe('01234');
    await move({ assetIds: at(4), before: ids[0] });
    expect(await send(`GET /albums/${album}`)).toEqual(before);
    expect(await send(`PUT ${path('order')}`, { order: 'asc' })).toEqual({
      order: 'asc',
      revision: 3,
    });
    expect((await send(`GET /albums/${album}`)).order).toBe('asc');
    await byHand();
    expect(await read()).toBe('40123');
  });

  test('begins with the oldest in an album that does', async () => {
    await send(`PUT ${path('order')}`, { order: 'asc' });
    await byHand();
    expect(await read()).toBe('43210');
  });

  const moves: [name: string, body: () => object, result: string][] = [
    ['to the front', () => ({ assetIds: at(3), before: ids[0] }), '30124'],
    ['to the end', () => ({ assetIds: at(0), after: ids[4] }), '12340'],
    ['between two', () => ({ assetIds: at(4), after: ids[1] }), '01423'],
    ['where they are', () => ({ assetIds: at(1), after: ids[0] }), '01234'],
    [
      'several, in the order that is given',
      () => ({ assetIds: at(4, 0), before: ids[2] }),
      '14023',
    ],
    ['before one of those beside them', () => ({ assetIds: at(1, 2), before: ids[3] }), '01234'],
  ];
  test.each(moves)('moves items %s', async (_name, body, result) => {
    await byHand();
    expect((await move(body())).body).toEqual({ order: 'custom', revision: 2 });
    expect(await read()).toBe(result);
  });

  test('puts what is added at the end', async () => {
    await byHand();
    await move({ assetIds: at(0), after: ids[4] });
    for (const _ of [1, 2]) {
      const [added] = await addManyAssets(database, me.id, 1);
      ids.push(added!);
      await send(`PUT /albums/${album}/assets`, { ids: [added] });
    }
    expect(await read()).toBe('1234056');
    await move({ assetIds: at(1), after: ids[6] });
    expect(await read()).toBe('2340561');
    const [last] = await addManyAssets(database, me.id, 1);
    ids.push(last!);
    await send(`PUT /albums/${album}/assets`, { ids: [last] });
    expect(await read()).toBe('23405617');
  });

  test('has room for any number of moves to one place, and between items added at once', async () => {
    const added = await addManyAssets(database, me.id, 3);
    ids.push(...added.toSorted());
    await byHand();
    await send(`PUT /albums/${album}/assets`, { ids: added });
    expect(await read()).toBe('01234567');
    await move({ assetIds: at(0), after: ids[5] });
    expect(await read()).toBe('12345067');
    for (let n = 0; n < 60; n++) await move({ assetIds: at(6 + (n % 2)), after: ids[1] });
    expect(await read()).toBe('17623450');
  });

  test('writes the rows that are moved, and no others', async () => {
    await byHand();
    const versions = async () => {
      const rows = await sql`
        select asset_id as id, xmin::text as version from album_asset where album_id = ${album}`;
      return new Map(rows.map((row) => [row['id'], row['version']]));
    };
    const before = await versions();
    await move({ assetIds: at(4, 3), before: ids[1] });
    const changed = [...(await versions())].filter(([id, version]) => before.get(id) !== version);
    expect(new Set(changed.map(([id]) => id))).toEqual(new Set(at(3, 4)));
  });

  test('is listed page by page', async () => {
    await byHand();
    const pages = [];
    let cursor: string | null = null;
    do {
      const query: string = `?size=2${cursor ? `&cursor=${cursor}` : ''}`;
      const page = await list({ as: me }, query);
      pages.push(page.items.map(({ id }) => ids.indexOf(id)).join(''));
      cursor = page.nextCursor;
    } while (cursor);
    expect(pages).toEqual(['01', '23', '4']);
    for (const [text, value] of [
      ['x', ''],
      [ids[0], '1:2'],
      [ids[0], '9'.repeat(19)],
    ]) {
      const forged = Buffer.from(`${text}${value}`).toString('base64url');
      const reply = await call(app, `GET ${path('items')}?cursor=${forged}` as 'GET /', { as: me });
      expect(reply.status).toBe(400);
    }
  });

  test('is read page by page at the same cost, wherever the page is', async () => {
    const many = await addManyAssets(database, me.id, 3000);
    await send(`PUT /albums/${album}/assets`, { ids: many });
    await byHand();
    await sql`analyze album_asset, asset`;
    const session = (await findAccountSession(database.db, me.id))!;
    const [middle] = await sql`
      select asset_id as id, position::text as value from album_asset where album_id = ${album}
      order by position offset 2000 limit 1`;
    const fetched = await database.db.transaction(async (tx) => {
      // Before, too: the counts include transactions of the connection that were not reported yet.
      const count = async () => {
        const rows = await tx.execute(raw`
          select idx_tup_fetch + seq_tup_read as fetched from pg_stat_xact_user_tables
          where relname = 'asset'`);
        return Number(rows[0]!['fetched']);
      };
      const before = await count();
      const after = middle as unknown as Position;
      expect(await listItems(tx, session, album, { after, limit: 10 })).toHaveLength(10);
      return (await count()) - before;
    });
    expect(fetched).toBeGreaterThan(0);
    expect(fetched).toBeLessThan(20);
  });

  test('shows members and guests the same, without what the album does not show', async () => {
    const viewer = await addEditor('viewer');
    const link = await addLink();
    await byHand();
    await move({ assetIds: at(4), before: ids[0] });
    await send(`PUT /assets/${ids[1]}`, { visibility: 'locked' });
    await send(`PUT /assets/${ids[2]}`, { visibility: 'archive' });
    await send('DELETE /assets', { ids: [ids[3]] });
    for (const caller of [{ as: me }, { as: viewer }, link]) expect(await read(caller)).toBe('402');
    expect((await move({ assetIds: at(1), before: ids[0] })).body.errors[0].path).toEqual([
      'assetIds',
      0,
    ]);
    expect((await move({ assetIds: at(0), before: ids[3] })).status).toBe(400);
    await send('POST /trash/restore/assets', { ids: [ids[3]] });
    expect(await read()).toBe('4023');
  });
});

describe('a move', () => {
  test('is for owner and editors', async () => {
    await byHand();
    const body = { assetIds: at(4), before: ids[0] };
    const [viewer, editor] = [await addEditor('viewer'), await addEditor()];
    const stranger = await seed(database).user();
    const weak = await seed(database).user(['album.read', 'albumAsset.create']);
    const users = [viewer, stranger].map(async (as) => (await move(body, { as })).status);
    expect(await Promise.all(users)).toEqual([400, 400]);
    expect((await move(body, { as: weak })).status).toBe(403);
    expect((await move(body, await addLink())).status).toBe(403);
    expect((await order({ order: 'asc' }, await addLink())).status).toBe(403);
    expect((await order({ order: 'asc' }, { as: viewer })).status).toBe(400);
    const reading = await call(app, `GET ${path('items')}` as 'GET /', { as: stranger });
    expect(reading.status).toBe(400);
    expect(await read()).toBe('01234');
    expect((await move(body, { as: editor })).status).toBe(200);
    expect(await read()).toBe('40123');
  });

  test('is refused with another revision, and both of two at once are done without', async () => {
    await byHand();
    const other = await addEditor();
    const stale = await move({ assetIds: at(4), before: ids[0], revision: 0 });
    expect(stale).toMatchObject({
      status: 409,
      body: { code: 'stale_revision', currentRevision: 1 },
    });
    expect((await order({ order: 'asc', revision: 0 })).status).toBe(409);
    const replies = await Promise.all([
      move({ assetIds: at(4), before: ids[0] }),
      move({ assetIds: at(1), after: ids[3] }, { as: other }),
    ]);
    expect(new Set(replies.map(({ body }) => body.revision))).toEqual(new Set([2, 3]));
    expect(await read()).toBe('40231');
  });

  test('names what is wrong with it', async () => {
    expect((await move({ assetIds: at(0), after: ids[1] })).status).toBe(409);
    await byHand();
    const foreign = await seed(database).asset({ ownerId: me.id });
    const wrong: [body: object, field: string][] = [
      [{ assetIds: at(0) }, 'before'],
      [{ assetIds: at(0), before: ids[1], after: ids[2] }, 'before'],
      [{ assetIds: at(0), before: ids[0] }, 'before'],
      [{ assetIds: at(0, 0), before: ids[1] }, 'assetIds'],
      [{ assetIds: [foreign], before: ids[1] }, 'assetIds.0'],
      [{ assetIds: at(0), after: foreign }, 'after'],
      [{ assetIds: [], after: ids[0] }, 'assetIds'],
    ];
    for (const [body, field] of wrong) {
      const reply = await move(body);
      expect([reply.status, reply.body.errors[0].path.join('.')]).toEqual([400, field]);
    }
    expect(await read()).toBe('01234');
  });
});
