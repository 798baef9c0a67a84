import { beforeEach, describe, expect, test } from 'bun:test';
import { useApp } from '../../../../test/support/database.ts';
import { call, type Caller, seed, type TestUser } from '../../../../test/support/harness.ts';
import { unlock } from '../../../../test/support/household.ts';
import { FORMATS, RAW_EXTENSIONS } from '../../../media/formats.ts';

const { database, app } = await useApp();
let owner: TestUser;
let stranger: TestUser;
beforeEach(async () => {
  owner = await seed(database).user();
  stranger = await seed(database).user();
});

const taken = (day: number) => new Date(`2025-01-0${day}T12:00:00.123Z`);
const add = (fileName: string, day = 1, over: object = {}): Promise<string> =>
  seed(database).asset({ ownerId: owner.id, fileName, takenAt: taken(day), ...over });
const list = (query = '', caller: Caller = { as: owner }) =>
  call(app, `GET /assets/raw-pairs${query}`, caller);
type Pair = { raw: { id: string }; picture: { id: string } };
const listIds = async (query = '', caller?: Caller): Promise<string[][]> =>
  (await list(query, caller)).body.items.map(({ raw, picture }: Pair) => [raw.id, picture.id]);

describe('raw photos with a picture', () => {
  test('are listed with it, the newest first, and summed up', async () => {
    const old = [
      await add('IMG_1.CR3', 1, { fileSize: 30 }),
      await add('img_1.jpg', 1, { fileSize: 3, visibility: 'archive' }),
    ];
    const recent = [await add('Trip.2.dng', 2, { fileSize: 40 }), await add('Trip.2.HEIC', 2)];
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: { files: 2, bytes: 70 }, nextCursor: null });
    expect(body.items.map(({ raw, picture }: Pair) => [raw.id, picture.id])).toEqual([recent, old]);
    expect(body.items[1]).toEqual({
      raw: { id: old[0], originalFileName: 'IMG_1.CR3', fileSizeInBytes: 30 },
      picture: { id: old[1], originalFileName: 'img_1.jpg', fileSizeInBytes: 3 },
      fileCreatedAt: '2025-01-01T12:00:00.123Z',
      isStacked: false,
    });
  });

  test('have the same name and time, and are told once with several pictures', async () => {
    const raw = await add('A.NEF');
    const pictures = [await add('A.jpg'), await add('a.JPEG')];
    await add('B.NEF');
    await add('B.jpg', 2);
    await add('C.NEF');
    await add('CC.jpg');
    await add('D.NEF');
    await add('D.ARW');
    await add('E.NEF');
    await add('E.mp4', 1, { type: 'VIDEO' });
    expect(await listIds()).toEqual([[raw, pictures.toSorted()[0]!]]);
    expect((await list()).body.total.files).toBe(1);
  });

  test('are paged by a cursor, each once, also those of one moment', async () => {
    for (let at = 0; at < 5; at++) {
      await add(`${at}.raf`);
      await add(`${at}.jpg`);
    }
    const all = await listIds();
    const first = await list('?size=2');
    expect(first.body.total.files).toBe(5);
    const second = await list(`?size=2&cursor=${first.body.nextCursor}`);
    expect(second.body.total).toBeNull();
    const third = await list(`?size=2&cursor=${second.body.nextCursor}`);
    const paged = [first, second, third].flatMap(({ body }) =>
      body.items.map(({ raw, picture }: Pair) => [raw.id, picture.id]),
    );
    expect(paged).toEqual(all);
    expect(third.body.nextCursor).toBeNull();
  });

  test('in a stack say so', async () => {
    const [raw, picture] = [await add('A.NEF'), await add('A.jpg')];
    const body = { assetIds: [picture, raw] };
    expect((await call(app, 'POST /stacks', { as: owner, body })).status).toBe(201);
    expect((await list()).body.items[0].isStacked).toBe(true);
  });

  const NOTHING = { items: [], total: { files: 0, bytes: 0 }, nextCursor: null };

  test.each([
    ['of others', { ownerId: true }],
    ['in the trash', { trashedAt: new Date() }],
    ['hidden', { visibility: 'hidden' }],
    ['locked', { lockedAt: new Date() }],
  ] as const)('%s are not listed, neither raw photos nor pictures', async (_, over) => {
    const out = 'ownerId' in over ? { ownerId: stranger.id } : over;
    await add('A.NEF', 1, out);
    await add('A.jpg');
    await add('B.NEF', 2);
    await add('B.jpg', 2, out);
    await unlock(database, owner);
    expect((await list()).body).toEqual(NOTHING);
    expect((await list('', { session: owner })).body).toEqual(NOTHING);
  });

  test('in an external library are not listed, which takes no space of ours', async () => {
    const libraryId = crypto.randomUUID();
    await database.sql`insert into library (id, owner_id, name, import_paths, exclusion_patterns)
      values (${libraryId}, ${owner.id}, 'Photos', '{/photos}', '{}')`;
    const out = { libraryId, folder: '/photos' };
    await add('A.NEF', 1, out);
    await add('A.jpg', 1, out);
    expect((await list()).body).toEqual(NOTHING);
  });

  test('of the archive are not listed', async () => {
    await add('A.NEF', 1, { visibility: 'archive' });
    await add('A.jpg');
    expect((await list()).body).toEqual(NOTHING);
  });

  test('a partner, and an account with an album of them, find none of them', async () => {
    const ids = [await add('A.NEF'), await add('A.jpg')];
    const body = {
      albumName: 'Shared',
      assetIds: ids,
      albumUsers: [{ userId: stranger.id, role: 'editor' }],
    };
    expect((await call(app, 'POST /albums', { as: owner, body })).status).toBe(201);
    const partner = { sharedWithId: stranger.id };
    expect((await call(app, 'POST /partners', { as: owner, body: partner })).status).toBe(201);
    expect((await list('', { as: stranger })).body).toEqual(NOTHING);
  });

  test('a cursor that is none, a key without the permission and nobody are refused', async () => {
    expect((await list('?cursor=x')).status).toBe(400);
    expect((await list('?size=0')).status).toBe(400);
    const limited = await seed(database).user(['album.read']);
    expect((await list('', { as: limited })).status).toBe(403);
    expect((await list('', {})).status).toBe(401);
  });
});

test('the database knows a raw photo by the same extensions as the program', async () => {
  const names = [...FORMATS.keys()].flatMap((extension) => [
    `a.${extension}`,
    `A.b.${extension.toUpperCase()}`,
  ]);
  const rows = await database.sql`
    select name, is_raw_name(name) as "isRaw" from unnest(${names}::text[]) as name`;
  const found = rows.filter(({ isRaw }) => isRaw).map(({ name }) => name as string);
  const raw = RAW_EXTENSIONS.flatMap((extension) => [
    `a.${extension}`,
    `A.b.${extension.toUpperCase()}`,
  ]);
  expect(found.toSorted()).toEqual(raw.toSorted());
  const others = await database.sql`
    select name from unnest(array['nef', '.nef', 'nef.jpg', 'a.']) as name where is_raw_name(name)`;
  expect([...others]).toEqual([]);
});
