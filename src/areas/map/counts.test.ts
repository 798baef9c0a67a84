import { expect, test } from 'bun:test';
import { deleteForGood } from '../../../test/support/deletion.ts';
import { useApp } from '../../../test/support/database.ts';
import { call, type Caller, NOW, seed, type TestUser } from '../../../test/support/harness.ts';
import { seedHousehold, unlock } from '../../../test/support/household.ts';
import { passTimeUntil } from '../../../test/support/passed-time.ts';
import { jobCtx } from '../../../test/support/processing.ts';
import { compareWithRecounts } from '../../../test/support/recounts.ts';
import { handleMoveItems } from '../trash/moves/operation.handlers.ts';
import { handleExpireTrash } from '../trash/retention/retention.handlers.ts';
import { handleRemoveAccounts } from '../admin-users/removal.handlers.ts';
import { handleFoldCells } from './fold.handlers.ts';

const { database, app } = await useApp();

const LATER = new Date(NOW.getTime() + 60 * 24 * 60 * 60 * 1000);

type Library = { readonly owner: TestUser; readonly who: Caller; readonly ids: readonly string[] };
type Way = (library: Library) => Promise<unknown>;

const remove = ({ who, ids }: Library, force: boolean) =>
  call(app, 'DELETE /assets', { ...who, body: { ids, force } });
const update = ({ who, ids }: Library, body: object) =>
  call(app, 'PUT /assets', { ...who, body: { ids, ...body } });

/** Every way in which an asset, or its position, leaves the map. */
const WAYS: Readonly<Record<string, Way>> = {
  trashed: (library) => remove(library, false),
  'deleted by force': (library) => remove(library, true),
  'deleted from the trash by force': async (library) => {
    await remove(library, false);
    await remove(library, true);
  },
  'the trash is emptied': async (library) => {
    await remove(library, false);
    await call(app, 'POST /trash/empty', library.who);
    for (const { id } of await database.sql<{ id: string }[]>`select id from operation`) {
      await handleMoveItems(jobCtx(database), { operationId: id });
    }
  },
  'the trash is old': async (library) => {
    await remove(library, false);
    await passTimeUntil(database, LATER);
    await handleExpireTrash(jobCtx(database), {});
  },
  archived: (library) => update(library, { visibility: 'archive' }),
  locked: ({ who, ids }) => call(app, 'POST /assets/lock', { ...who, body: { ids } }),
  hidden: ({ ids }) =>
    database.sql`update asset set visibility = 'hidden' where id = any(${ids as string[]}::uuid[])`,
  moved: (library) => update(library, { latitude: -33.9, longitude: 18.4 }),
  'read again without a position': ({ ids }) =>
    database.sql`update asset_exif set latitude = null, longitude = null
      where asset_id = any(${ids as string[]}::uuid[])`,
  'deleted for good': ({ ids }) => deleteForGood(database, ids),
  'what is known about it is deleted': ({ ids }) =>
    database.sql`delete from asset_exif where asset_id = any(${ids as string[]}::uuid[])`,
  'its account is removed': async ({ owner }) => {
    await database.sql`update app_user set deleted_at = ${NOW.toISOString()}, status = 'deleted'
      where id = ${owner.id}`;
    await passTimeUntil(database, LATER);
    await handleRemoveAccounts(jobCtx(database), {});
  },
  'its sharer is no partner any more': ({ owner }) =>
    database.sql`delete from partner where sharer_id = ${owner.id} or viewer_id = ${owner.id}`,
};

async function makeLibrary(): Promise<Library> {
  // Their addresses are those of every household.
  await database.sql`truncate shared_link cascade`;
  const { owner } = await seedHousehold(database);
  const { sql } = database;
  await unlock(database, owner);
  // Everything that is counted, of every asset.
  await sql`update asset_exif set latitude = 38.7, longitude = -9.1, rating = 4
    where asset_id in (select id from asset where owner_id = ${owner.id})`;
  await sql`with made as (insert into tag (owner_id, value) values (${owner.id}, 't') returning id)
    insert into tag_asset (tag_id, asset_id)
    select made.id, asset.id from made, asset where owner_id = ${owner.id}`;
  await sql`with made as (insert into person (owner_id, name) values (${owner.id}, 'P') returning id)
    insert into face (owner_id, asset_id, person_id, x1, y1, x2, y2, image_width, image_height,
      source, source_revision)
    select ${owner.id}, asset.id, made.id, 0.1, 0.1, 0.2, 0.2, 100, 100, 'manual', ''
    from made, asset where owner_id = ${owner.id}`;
  await sql`insert into document (asset_id, model_id, folded)
    select id, 'reader', 'receipt' from asset where owner_id = ${owner.id} and type = 'IMAGE'`;
  const rows = await sql<{ id: string }[]>`
    select id from asset where owner_id = ${owner.id} and locked_at is null and trashed_at is null
      and visibility <> 'hidden'`;
  return { owner, who: { session: owner }, ids: rows.map(({ id }) => id) };
}

test.each(Object.keys(WAYS))(
  'every count equals a recount after an item left by: %s',
  async (way) => {
    const library = await makeLibrary();
    expect(await compareWithRecounts(database.sql)).toEqual({ wrong: [], empty: [] });
    await WAYS[way]!(library);
    expect(await compareWithRecounts(database.sql)).toMatchObject({ wrong: [] });
    await handleFoldCells(jobCtx(database), {});
    expect(await compareWithRecounts(database.sql)).toMatchObject({ wrong: [] });
  },
);

test('a located photo that was force-deleted is not on the map', async () => {
  const owner = await seed(database).user();
  const exif = { latitude: 1, longitude: 2 };
  const [stays, goes] = [
    await seed(database).asset({ ownerId: owner.id, exif: { latitude: 60, longitude: 20 } }),
    await seed(database).asset({ ownerId: owner.id, exif }),
  ];
  await call(app, 'DELETE /assets', { as: owner, body: { ids: [goes], force: true } });
  const { body } = await call(app, 'GET /map/markers', { as: owner });
  expect(body.map(({ id }: { id: string }) => id)).toEqual([stays]);
  const cells = await database.sql`
    select x, y, sum(timeline)::int as items from asset_cell_count
    where owner_id = ${owner.id} and level = 8 group by x, y having sum(timeline) <> 0`;
  expect(cells).toHaveLength(1);
});
