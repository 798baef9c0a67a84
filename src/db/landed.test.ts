import { afterAll, beforeAll, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { migrations } from '../../migrations/index.ts';
import { urlOf } from '../../test/support/harness.ts';
import { compareWithRecounts } from '../../test/support/recounts.ts';
import { type Database, openDatabase } from './client.ts';
import { migrate } from './migrate.ts';

/**
 * The text of each migration that was published, as SHA-256. These are frozen: a database that has one
 * of another text is refused. Whatever is to be different is a new migration, appended to the list; and
 * to this one once it is published.
 */
const LANDED: Readonly<Record<string, string>> = {
  '0001_identity': 'd15f04dc641a1eceb2d1dec2b5cbc784957190f46ea65c5e4ecc24e61f50b4e6',
  '0002_assets': '5b51bbdc9801b8f0230f6efd79e4cd31bea04e6d342bf1d4746ac7759a9b04b7',
  '0003_albums': '408f4026b68850304e96fb0f12fc0d120627cdb22bb91289b241938455e67e4c',
  '0004_jobs': 'a804a9f834d96b489508bd17baee3f245ed6c4eebdc27afb9194921b8d7cb3a7',
  '0005_tags': '6e916e0f8bc33cbed6e9c4a3d2cf51ac56bf8dbac45a8d3939f45a6370aa0e05',
  '0006_stacks': '07ecdba9b041af6bf7ccce3ab34b8f0a95f8b9bd64548ab11d8517cebce6bbe6',
  '0007_trash': '46b1298bcb1f463a7d653ea127ff6c9e23edd3e8b64f9293665c856c77482d86',
  '0008_archive_operations': '045b3ff0c48f38d20273a32693d7e1070b514d075cc4b29e1d2b760cd275404e',
  '0009_users': '8f7326602dfd7197253d3eda5c9e0bf55bf834a9a98176f5eccbe0894b8f923b',
  '0010_uploads': '97b50e39bff2998351ead671a2bcce97219ee2da71eb54a5ec5998fb76f1e203',
  '0011_activities': 'f7264b1885dbdb32015678565b51ccef8235ac2ff40389364d99e46610afc153',
  '0012_changes': 'f19714be2c024cd89db855b1812a474da3562408585feb6dc0014d40f00efd98',
  '0013_shared_changes': '378af6ee44d279ee29ee836f854b8bedb908a66d02bf58d91a39fdd46741f377',
  '0014_inference': 'cfa10ea41916b5c030a7e46bb716e4a6a9aff0f7377f2800019eb6f0c39b41af',
  '0015_search': 'd00f2a227d7a6907775ed8cf2aeac2a4ff23397fe05a2cd3cec9351645e28e3e',
  '0016_people': '8a4dfcb53676f819f942a4be59abc316a87975e9f40e1d712af47aab21065679',
  '0017_documents': 'c257d6b96cb851ad3efee41aed35dec62ad6efdf8ab9bc301546ea9056da4faa',
  '0018_video': '2fac741f1c2a543099cd988c167cf16f721c4367a834f2903abf91a323764e42',
  '0019_live': '4219f43f8ecf16bf8dc5386f5476e3ce7ec40388569ce8b00235a763f6ff8c43',
  '0020_logs_and_counts': 'dacd873fa1318426cabf8c4589c8111d3c70d8a7dcbf26e8bf82f70e08eefb43',
  '0020_people': 'bbfec8fa28c90593739e3ebeaa773f1293eff20ef30b0bb4180c94c72cc10c7b',
  '0020_search_people': '17e296cc51ea3c58da20435a9d9face261bb131d4311d5701273a5e99e56907e',
  '0021_videos': 'a7b603b10fb33de1b58276bcaee1519a13d1378da67d50e3e22b7db2f828cbb3',
  '0022_album_counts': '4d7208b170bead713f0e0fad8ed9ef12d7ad079c19ea9a6504a660dbe6fd8a7f',
  '0023_sync': '5d1c1c81c65239065bb341aa56faf7b3a2a9ef0dbd80c00f65679f1dab6cc1ea',
  '0024_partner_places': '43928ff0bb1b171a65099f37c50b1fd1103d34a67879f2e7819172df0116e606',
  '0025_speech': 'f697ebc573fae8417b48c23afb6cc9ca3936660cdbef110da3726daf031c6902',
  '0026_map_cells': '6a820634d180a4f6961b109890f9cfb382c72aa2b994e19fc0d47f159aebcc1d',
  '0027_pet_decisions': '663a472aee5841d53cc81ca8659707557520b47a54e92f8a587cad606a03d419',
  '0028_bare_videos': 'd9dfa2d9422719627c5047c0c3fd375bd3be7f6b575a805f33f3afe125f456ca',
  '0029_removed_sharers': 'b7251544ba80b92ad71f9e058ec48dfaefeb59731e471e7ec10c1d8eb84ababa',
  '0030_descriptions': 'b72f8d61459df20b54e97497a3625d7d0b8ac864fcf86c8a414bd98104a9e407',
  '0031_previous_box_by': '4837749bf36b56e82a74e9fbd097c8020793690ab43cbc183a75ad2543ea9f1b',
  '0032_picture_outlines': 'bb0bf51ea7870a3644834fb73e6100383daaabf3b9d780ca5f99b49bd8a75bcb',
  '0033_link_months': 'ccf890f75cf2005be1366630bc6bb1eec7381600589ab1de3a980a63f7e7b4d7',
  '0034_bulk_moves': '5c895ff023d303110024a6784b65169e631c28c06da86ef36223518b34d3fdba',
  '0035_long_lists': 'dc5b1488341d31430f32e23c4cacd5d61399a8a8bd1b86dd665834d911633455',
};
const published = migrations.slice(0, Object.keys(LANDED).length);
/** What the first published version had. */
const first = migrations.slice(0, 19);

test('the text of a migration that was published never changes', () => {
  const texts = published.map(({ name, sql }) => [
    name,
    new Bun.CryptoHasher('sha256').update(sql).digest('hex'),
  ]);
  expect(Object.fromEntries(texts)).toEqual(LANDED);
});

/** As the first published version has filled its tables; everything at every place it can be. */
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
  insert into document (asset_id, model_id, has_enough, folded)
  select id, 'reader', file_size % 9 > 0, case when file_size % 4 > 0 then 'receipt' else '' end
  from asset where file_size % 2 = 0;
`;

/** What happens in a library, so that everything that counts has to count. */
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
  'delete from asset where file_size % 12 = 5 and stack_id is null',
];

const name = `test_${randomUUID().slice(0, 8)}`;
let admin: Database;
let database: Database;
beforeAll(async () => {
  admin = openDatabase(urlOf('postgres'), { max: 1 });
  await admin.sql`create database ${admin.sql(name)}`;
  database = openDatabase(urlOf(name), { max: 1 });
  await migrate(database.sql, first);
  await database.sql.unsafe(LIBRARY);
});
afterAll(async () => {
  await database.close();
  await admin.sql`drop database ${admin.sql(name)} with (force)`;
  await admin.close();
});

test('tables that were made anew are not, had anybody put something into them', async () => {
  const insert = `insert into person (owner_id) select id from app_user limit 1`;
  await database.sql.unsafe(insert);
  await expect(migrate(database.sql)).rejects.toThrow('the table person has rows');
  await database.sql`delete from person`;
});

test('a library of the first published version is kept, and counted as before', async () => {
  const { sql } = database;
  const ids = async () => [
    ...(await sql`select id, visibility, updated_at from asset order by id`),
  ];
  const before = await ids();
  expect(await migrate(sql)).toEqual(migrations.slice(first.length).map((one) => one.name));
  expect(await ids()).toEqual(before);

  expect(await compareWithRecounts(sql)).toEqual({ wrong: [], empty: ['people'] });
  const [rows] = await sql`select
    (select count(*)::int from document where is_listed and folded = '') as empty_documents,
    (select array_agg(id order by id) from asset where type = 'VIDEO' and visibility <> 'hidden') as videos,
    (select array_agg(asset_id order by asset_id) from video_enrichment
      where status = 'pending') as waiting`;
  expect(rows!['empty_documents']).toBe(0);
  expect(rows!['waiting']).toEqual(rows!['videos']);

  for (const change of CHANGES) {
    await sql.unsafe(change);
    expect({ change, ...(await compareWithRecounts(sql)) }).toMatchObject({ change, wrong: [] });
  }
  expect(await compareWithRecounts(sql)).toEqual({ wrong: [], empty: [] });
});
