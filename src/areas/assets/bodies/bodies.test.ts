import { afterAll, beforeAll, expect, test } from 'bun:test';
import { sql as query } from 'drizzle-orm';
import fc from 'fast-check';
import {
  createCtx,
  createSession,
  NOW,
  seed,
  send,
  type TestDatabase,
  type TestUser,
  testApp,
  testDatabase,
} from '../../../../test/support/harness.ts';
import type { Session } from '../../../access/session.ts';
import { visibleAssets } from '../../../access/scope.ts';
import type { App } from '../../../app.ts';
import type { Ctx } from '../../../core/context.ts';
import { queryRows } from '../../../db/query.ts';
import { findAssetsById, toViewOptions } from '../domain.ts';
import { findViews } from '../store.ts';
import { toAsset } from '../view.ts';
import { findBodies, setMembers } from './bodies.domain.ts';
import { bodyName } from './bodies.store.ts';

let database: TestDatabase;
let app: App;
beforeAll(async () => {
  database = await testDatabase();
  app = testApp(database);
});
afterAll(() => database.close());

const toCtx = (session: Session): Ctx => createCtx(database, session);

/** The names as a listing of everything in reach selects them. */
async function selectNames(ctx: Ctx, ids: readonly string[], withExif = true): Promise<string[]> {
  const rows = await queryRows<{ name: string }>(
    ctx.db,
    query`select ${bodyName(toViewOptions(ctx.session, withExif))} as name
      from ${visibleAssets(ctx.db, ctx.session, 'any')}
      left join asset_exif exif on exif.asset_id = asset.id
      where asset.id = any(${`{${ids.join()}}`}::uuid[]) order by asset.id`,
  );
  return rows.map(({ name }) => name);
}
const find = async (ctx: Ctx, names: readonly string[], withExif = true) =>
  findBodies(ctx, names, toViewOptions(ctx.session, withExif));
const show = async (ctx: Ctx, ids: readonly string[]) => find(ctx, await selectNames(ctx, ids));

/** The same texts, read and written anew. */
async function render(ctx: Ctx, ids: readonly string[], withExif = true): Promise<string[]> {
  const views = new Map((await findViews(ctx, ids)).map((view) => [view.id, view]));
  const options = toViewOptions(ctx.session, withExif);
  return ids.map((id) => JSON.stringify(toAsset(views.get(id)!, options)));
}

const CHANGES = {
  favorite: 'update asset set is_favorite = not is_favorite',
  archive: `update asset set visibility = case visibility when 'timeline' then 'archive' else 'timeline' end`,
  hide: `update asset set visibility = case visibility when 'timeline' then 'hidden' else 'timeline' end`,
  lock: 'update asset set locked_at = case when locked_at is null then now() end',
  trash: 'update asset set trashed_at = case when trashed_at is null then now() end',
  name: `update asset set file_name = 'é' || file_name`,
  picture: `update asset set width = coalesce(width, 0) + 1, thumbhash = '\\x01'`,
  time: `update asset set file_modified_at = file_modified_at + interval '1 second'`,
  video: 'update asset set live_video_id = case when live_video_id is null then $2::uuid end',
  rating: 'update asset_exif set rating = (coalesce(rating, 0) + 1) % 6',
  description: `update asset_exif set description = description || '"},\u{1F600}'`,
  place: `update asset_exif set city = coalesce(city, '') || 'x', time_zone = 'Europe/Berlin'`,
  edit: `insert into asset_edit select id, 0, 'rotate', '{"angle":90}' from asset`,
  unedit: 'delete from asset_edit',
  bare: 'delete from asset_exif',
  exif: `insert into asset_exif (asset_id, make) select id, 'Canon' from asset`,
} as const;
type Change = keyof typeof CHANGES;

async function change(name: Change, id: string, videoId: string): Promise<void> {
  const statement = CHANGES[name];
  const key = /^(?:update asset |.* from asset$)/.test(statement) ? 'id' : 'asset_id';
  const end = statement.startsWith('insert') ? ' on conflict do nothing' : '';
  const values = statement.includes('$2') ? [id, videoId] : [id];
  await database.sql.unsafe(`${statement} where ${key} = $1::uuid${end}`, values);
}

type House = Awaited<ReturnType<typeof makeHouse>>;

/** An owner with a few assets in an album, a partner, and links to the album. */
async function makeHouse() {
  const [owner, partner] = [await seed(database).user(), await seed(database).user()];
  const ids: string[] = [];
  for (let day = 1; day <= 4; day++) {
    const takenAt = new Date(Date.UTC(2026, 0, day));
    const exif = { city: 'Porto', latitude: 41, longitude: -8, dateTimeOriginal: takenAt };
    ids.unshift(await seed(database).asset({ ownerId: owner.id, takenAt, exif }));
  }
  const videoId = await seed(database).asset({ ownerId: owner.id, visibility: 'hidden' });
  const { sql } = database;
  await sql`insert into partner (sharer_id, viewer_id, in_timeline)
    values (${owner.id}, ${partner.id}, true)`;
  const [album] =
    await sql`insert into album (owner_id, name) values (${owner.id}, 'a') returning id`;
  await sql`insert into album_asset (album_id, asset_id, added_by)
    select ${album!['id']}, id, owner_id from asset where id = any(${ids})`;
  const links = await Promise.all(
    [true, false].map(async (showMetadata) => {
      const slug = crypto.randomUUID();
      const [link] = await sql`
        insert into shared_link (owner_id, type, key, slug, album_id, show_metadata)
        values (${owner.id}, 'ALBUM', ${Buffer.from(slug)}, ${slug}, ${album!['id']}, ${showMetadata})
        returning id`;
      return { slug, id: link!['id'] as string, showMetadata };
    }),
  );
  return { owner, partner, ids, videoId, albumId: album!['id'] as string, links };
}

type Viewer = {
  readonly session: Session;
  readonly as?: TestUser;
  readonly slug?: string;
  readonly sees: string;
};

const ON_SHELF = `visibility in ('timeline', 'archive') and locked_at is null and trashed_at is null`;

function listViewers({ owner, partner, albumId, links }: House, hidesPlaces: boolean): Viewer[] {
  const sharing = {
    sharers: [owner.id],
    timelineSharers: [owner.id],
    placelessSharers: hidesPlaces ? [owner.id] : [],
  };
  return [
    { session: createSession(owner.id), as: owner, sees: ON_SHELF },
    {
      session: createSession(partner.id, sharing),
      as: partner,
      sees: `${ON_SHELF} and visibility = 'timeline'`,
    },
    ...links.map(({ slug, id, showMetadata }) => ({
      session: {
        kind: 'sharedLink',
        linkId: id,
        ownerId: owner.id,
        albumId,
        allowUpload: false,
        allowDownload: false,
        showMetadata,
        sharers: [],
        placelessSharers: [],
      } as Session,
      slug,
      sees: ON_SHELF,
    })),
  ];
}

async function expectFresh(house: House, viewer: Viewer, withExif: boolean): Promise<void> {
  const shown = await database.sql.unsafe<{ id: string }[]>(
    `select id from asset where id = any($1::uuid[]) and ${viewer.sees} order by taken_at desc`,
    [house.ids],
  );
  const ids = shown.map(({ id }) => id);
  const path = `POST /search/metadata${viewer.slug ? `?slug=${viewer.slug}` : ''}`;
  const body = { withExif, ...(viewer.slug && { albumIds: [house.albumId] }) };
  const reply = await send(app, path, { as: viewer.as, body });
  const items = await render(toCtx(viewer.session), ids, withExif);
  const count = `"total":${ids.length},"count":${ids.length}`;
  expect(await reply.text()).toBe(
    `{"albums":{"total":0,"count":0,"items":[],"facets":[]},"assets":{${count},` +
      `"items":[${items.join()}],"facets":[],"nextPage":null,"nextCursor":null}}`,
  );
}

test('after any changes a listing shows every viewer what is stored, byte for byte', async () => {
  const step = fc.record({
    name: fc.constantFrom(...(Object.keys(CHANGES) as Change[]), 'hidePlaces' as const),
    which: fc.nat(3),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      const house = await makeHouse();
      let hidesPlaces = false;
      for (const { name, which } of steps) {
        if (name === 'hidePlaces') {
          hidesPlaces = !hidesPlaces;
          await database.sql`update partner set hides_places = ${hidesPlaces}
            where sharer_id = ${house.owner.id}`;
        } else await change(name, house.ids[which]!, house.videoId);
        for (const viewer of listViewers(house, hidesPlaces)) {
          for (const withExif of [true, false]) await expectFresh(house, viewer, withExif);
        }
      }
    }),
    { numRuns: 8 },
  );
}, 120_000);

async function makeAsset(more: object = {}) {
  const owner = await seed(database).user();
  const id = await seed(database).asset({ ownerId: owner.id, ...more });
  return { owner, id, ctx: toCtx(createSession(owner.id)) };
}

test('what is known is not read again, and what has changed is', async () => {
  const { id, ctx } = await makeAsset();
  const before = await selectNames(ctx, [id]);
  const [first] = await find(ctx, before);
  const offline = { ...ctx, db: undefined as never };
  expect(await find(offline, before)).toEqual([first]);
  await database.sql`update asset_exif set description = 'new' where asset_id = ${id}`;
  const after = await selectNames(ctx, [id]);
  await expect(find(offline, after)).rejects.toThrow();
  expect(await find(ctx, after)).toEqual(await render(ctx, [id]));
});

test('a change between naming and reading is shown, and known under its own name', async () => {
  const { id, ctx } = await makeAsset();
  const before = await selectNames(ctx, [id]);
  await database.sql`update asset set is_favorite = true where id = ${id}`;
  const fresh = await render(ctx, [id]);
  expect(await find(ctx, before)).toEqual(fresh);
  const offline = { ...ctx, db: undefined as never };
  await expect(find(offline, before)).rejects.toThrow();
  expect(await find(offline, await selectNames(ctx, [id]))).toEqual(fresh);
});

test('what is deleted or locked between naming and reading is left out', async () => {
  const { owner, id, ctx } = await makeAsset();
  const [locked, other] = [
    await seed(database).asset({ ownerId: owner.id }),
    await seed(database).asset({ ownerId: owner.id }),
  ];
  const ids = [id, locked, other].toSorted();
  const names = await selectNames(ctx, ids);
  await database.sql`delete from asset where id = ${id}`;
  await database.sql`update asset set locked_at = now() where id = ${locked}`;
  const [shown] = await render(ctx, [other]);
  expect(await find(ctx, names)).toEqual(ids.map((one) => (one === other ? shown : undefined)));
});

test('a transaction sees each of its changes, and leaves nothing of them behind', async () => {
  const { id, ctx } = await makeAsset();
  await show(ctx, [id]);
  const describe = async (inside: Ctx, text: string) => {
    await queryRows(
      inside.db,
      query`update asset_exif set description = ${text} where asset_id = ${id}::uuid`,
    );
    const bodies = await show(inside, [id]);
    expect(JSON.parse(bodies[0]!).exifInfo.description).toBe(text);
    return bodies;
  };
  let names: string[] = [];
  await database.db.transaction(async (db) => {
    const inside = { ...ctx, db };
    await describe(inside, 'first');
    names = await selectNames(inside, [id]);
    await describe(inside, 'second');
    // One version for both: PostgreSQL tells the changes of a transaction apart by other means.
    expect(await selectNames(inside, [id])).toEqual(names);
  });
  expect(await selectNames(ctx, [id])).toEqual(names);
  expect(await show(ctx, [id])).toEqual(await render(ctx, [id]));

  const kept = await show(ctx, [id]);
  const undone = database.db.transaction(async (db) => {
    await describe({ ...ctx, db }, 'undone');
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await show(ctx, [id])).toEqual(kept);
});

test('frozen and rewritten rows show what they contain', async () => {
  const { id, ctx } = await makeAsset({ exif: { description: 'a' } });
  for (const statement of ['vacuum (freeze)', 'vacuum full']) {
    for (const table of ['asset', 'asset_exif']) await database.sql.unsafe(`${statement} ${table}`);
    expect(await show(ctx, [id])).toEqual(await render(ctx, [id]));
    await database.sql`update asset_exif set description = ${statement} where asset_id = ${id}`;
    expect(await show(ctx, [id])).toEqual(await render(ctx, [id]));
  }
});

test('a database that replaces another one does not show its assets', async () => {
  const [one, two] = [await testDatabase(), await testDatabase()];
  try {
    const id = crypto.randomUUID();
    const shown: string[] = [];
    for (const [at, place] of [one, two].entries()) {
      const owner = await seed(place).user();
      await seed(place).asset({ id, ownerId: owner.id, fileName: `${at}.jpg` });
      const [body] = await show(createCtx(place, createSession(owner.id)), [id]);
      shown.push(JSON.parse(body!).originalFileName);
    }
    expect(shown).toEqual(['0.jpg', '1.jpg']);
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
});

test('what one viewer was shown reaches nobody who may not see it', async () => {
  const house = await makeHouse();
  const [id] = house.ids as [string];
  const stranger = await seed(database).user();
  const unlocked = toCtx(createSession(house.owner.id, { unlocked: true }));
  await database.sql`update asset set is_favorite = true where id = ${id}`;
  await database.sql`update partner set hides_places = true where sharer_id = ${house.owner.id}`;
  const [body] = await show(unlocked, [id]);
  expect(JSON.parse(body!)).toMatchObject({ isFavorite: true, exifInfo: { city: 'Porto' } });
  const [ofPartner, ...ofGuests] = listViewers(house, true).slice(1);
  const [withoutPlace] = await show(toCtx(ofPartner!.session), [id]);
  expect(JSON.parse(withoutPlace!)).toMatchObject({ isFavorite: false, exifInfo: { city: null } });
  for (const guest of ofGuests) {
    const [seen] = await show(toCtx(guest.session), [id]);
    expect(seen).toEqual((await render(toCtx(guest.session), [id]))[0]!);
    expect(seen).not.toContain('"isFavorite":true');
    if (guest === ofGuests[1]) expect(seen).not.toMatch(/Porto|a\.jpg|exifInfo/);
  }
  await database.sql`update asset set locked_at = now() where id = ${id}`;
  expect(await show(unlocked, [id])).toHaveLength(1);
  for (const { as, session } of [
    { as: house.owner, session: createSession(house.owner.id) },
    { as: house.partner, session: ofPartner!.session },
    { as: stranger, session: createSession(stranger.id) },
  ]) {
    expect(await show(toCtx(session), [id])).toEqual([]);
    const reply = await send(app, 'POST /search/metadata', { as, body: { id } });
    expect((await reply.json()).assets.items).toEqual([]);
  }
});

test('members are set as in an object, whatever the texts of the asset contain', async () => {
  const tricky = `a"people":[],"stack":null\\"people\\":[].jpg`;
  const { id, ctx } = await makeAsset({ fileName: tricky, exif: { description: tricky } });
  const people = [{ id, name: '$& $1', birthDate: null, isHidden: false, thumbnailPath: '' }];
  const stack = { id, primaryAssetId: id, assetCount: 2 };
  const [body] = await show(ctx, [id]);
  const [view] = await findViews(ctx, [id]);
  const asset = toAsset(view!, toViewOptions(ctx.session, true));
  for (const members of [{}, { people }, { stack }, { people, stack }, { people: [] }]) {
    expect(setMembers(body!, members)).toBe(JSON.stringify({ ...asset, ...members }));
  }
  const bare = toAsset(view!, { viewerId: undefined, withExif: true, showMetadata: false });
  const text = JSON.stringify(bare);
  expect(setMembers(text, { people: [] })).toBe(JSON.stringify({ ...bare, people: [] }));
});

test('people and stacks are in the listing where they are asked for', async () => {
  const { owner, id, ctx } = await makeAsset({ takenAt: NOW });
  const [whole] = (await findAssetsById(ctx, [id])).values();
  for (const [body, members] of [
    [{ withPeople: true }, { people: whole!.people }],
    [{ withStacked: true }, { stack: whole!.stack }],
  ] as const) {
    const reply = await send(app, 'POST /search/metadata', { as: owner, body });
    const [plain] = await find(ctx, await selectNames(ctx, [id], false), false);
    expect((await reply.json()).assets.items).toEqual([{ ...JSON.parse(plain!), ...members }]);
  }
});
