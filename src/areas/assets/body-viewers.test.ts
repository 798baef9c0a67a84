import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { effort } from '../../../test/support/effort.ts';
import { useApp } from '../../../test/support/database.ts';
import { render, show } from '../../../test/support/asset-bodies.ts';
import {
  createCtx,
  createSession,
  seed,
  send,
  type TestUser,
} from '../../../test/support/harness.ts';
import type { Session } from '../../access/session.ts';
import type { Ctx } from '../../core/context.ts';

const { database, app } = await useApp();

const toCtx = (session: Session): Ctx => createCtx(database, session);

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
        hidesPlaces: false,
        sharers: [],
        placelessSharers: [],
        partialSharers: [],
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
    { numRuns: effort({ quick: 3, full: 8 }) },
  );
}, 300_000);

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
