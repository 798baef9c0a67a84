import { beforeAll, expect, test } from 'bun:test';
import { deleteForGood } from '../../test/support/deletion.ts';
import { useDatabase } from '../../test/support/database.ts';
import { compareWithRecounts } from '../../test/support/recounts.ts';

/** A library with assets in every combination of states. */
const LIBRARY = `
  insert into app_user (email, name, deleted_at) values
    ('ann@example.com', 'Ann', null), ('bob@example.com', 'Bob', null),
    ('cleo@example.com', 'Cleo', now());
  insert into partner (sharer_id, viewer_id, hides_places)
  select one.id, other.id, one.name = 'Ann' from app_user one, app_user other where one.id <> other.id;
  insert into original (sha256, size)
  select sha256(n::text::bytea), 1000 + n from generate_series(1, 240) n;
  insert into asset (owner_id, type, sha256, sha1, file_name, file_size, visibility, locked_at,
    trashed_at, taken_at, local_taken_at, file_modified_at)
  select app_user.id, (array['IMAGE', 'IMAGE', 'VIDEO', 'IMAGE', 'AUDIO'])[n % 5 + 1],
    sha256(n::text::bytea), substr(sha256(n::text::bytea), 1, 20), n || '.jpg', 1000 + n,
    (array['timeline', 'archive', 'timeline', 'hidden', 'timeline', 'timeline', 'archive'])[n % 7 + 1],
    case when n % 11 = 0 then now() end, case when n % 13 = 0 then now() end,
    at, at at time zone 'utc', at
  from generate_series(1, 240) n cross join lateral (
    select '2024-01-31 23:30Z'::timestamptz + n * interval '9 hours' as at) moment
  join app_user on app_user.name = case when n % 4 = 0 then 'Bob' else 'Ann' end;
  insert into asset_exif
    (asset_id, country, city, make, model, rating, latitude, longitude, description)
  select id, case when n % 3 = 0 then 'Portugal' end, case when n % 6 = 0 then 'Porto' end,
    case when n % 4 > 0 then 'Canon' end, case when n % 4 = 1 then 'R6' end, n % 6,
    case when n % 2 = 0 then 41.1 + n * 0.01 end, case when n % 2 = 0 then -8.6 + n * 0.01 end,
    'Number ' || n
  from (select id, file_size - 1000 as n from asset) item;
  insert into tag (owner_id, value) select id, value from app_user, unnest(array['a', 'e']) value;
  insert into tag (owner_id, parent_id, value)
  select owner_id, id, value || '/b' from tag where value = 'a';
  insert into tag_asset (tag_id, asset_id)
  select tag.id, asset.id from tag join asset using (owner_id)
  where (file_size % 5, value) in ((0, 'a'), (0, 'a/b'), (1, 'a/b'), (2, 'e'), (1, 'e'));
  insert into album (owner_id, name) select id, name || 's' from app_user;
  insert into album_asset (album_id, asset_id)
  select album.id, asset.id from album join asset on file_size % 3 = 0 or asset.owner_id = album.owner_id
  where asset.visibility <> 'hidden';
  insert into stack (owner_id, primary_id)
  select owner_id, id from asset where file_size % 40 = 1;
  update asset set stack_id = stack.id, is_stack_child = asset.id <> stack.primary_id
  from stack join asset first on first.id = stack.primary_id
  where asset.owner_id = stack.owner_id and asset.file_size - first.file_size between 0 and 3;
  insert into document (asset_id, model_id, folded)
  select id, 'reader', case when file_size % 4 > 0 then 'receipt' else '' end
  from asset where file_size % 2 = 0;
`;

/** Statements that change every kind of count. */
const CHANGES = [
  `update asset set visibility = case visibility when 'timeline' then 'archive' else 'timeline' end
   where file_size % 3 = 0`,
  `update asset set trashed_at = case when trashed_at is null then now() end where file_size % 5 = 0`,
  `update asset set locked_at = case when locked_at is null then now() end where file_size % 7 = 0`,
  `update asset set local_taken_at = local_taken_at + interval '40 days',
     taken_at = taken_at + interval '40 days' where file_size % 4 = 1`,
  `update asset_exif set city = 'Lisbon', latitude = 38.7, longitude = -9.1, rating = 5
   where rating = 2`,
  `insert into person (id, owner_id, name)
   select id, id, 'Somebody' from app_user where name = 'Ann'`,
  `insert into face (owner_id, asset_id, person_id, x1, y1, x2, y2, image_width, image_height, source,
     source_revision)
   select asset.owner_id, asset.id, person.id, 0.1, 0.1, 0.2, 0.2, 100, 100, 'manual', ''
   from asset join person using (owner_id) where file_size % 6 < 2`,
  'delete from tag_asset using asset where asset_id = asset.id and file_size % 10 = 1',
  'delete from album_asset using asset where asset_id = asset.id and file_size % 10 = 2',
  `update document set folded = case folded when '' then 'letter' else '' end
   where asset_id < '80000000-0000-0000-0000-000000000000'`,
  'update stack set primary_id = primary_id',
  `update asset set stack_id = null, is_stack_child = false where file_size % 8 = 2`,
];

const database = await useDatabase();
beforeAll(async () => {
  await database.sql.unsafe(LIBRARY);
});

test('counts equal a recount after a library is inserted and after each bulk change of it', async () => {
  const { sql } = database;
  expect(await compareWithRecounts(sql)).toEqual({ wrong: [], empty: ['people'] });
  for (const change of CHANGES) {
    await sql.unsafe(change);
    expect({ change, ...(await compareWithRecounts(sql)) }).toMatchObject({ change, wrong: [] });
  }
  const gone = await sql`select id from asset where file_size % 12 = 5 and stack_id is null`;
  await deleteForGood(
    database,
    gone.map((row) => row['id']),
  );
  expect(await compareWithRecounts(sql)).toEqual({ wrong: [], empty: [] });
});
