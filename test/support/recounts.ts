import type postgres from 'postgres';

/** By name: what is kept, and the same read anew from the rows themselves. */
const KEPT: Readonly<Record<string, readonly [kept: string, truth: string]>> = {
  months: [
    `select owner_id, local_month, type, visibility, is_locked, is_trashed, is_favorite,
       is_stack_child, sum(assets), sum(bytes)
     from asset_count group by 1, 2, 3, 4, 5, 6, 7, 8 having sum(assets) <> 0`,
    `select owner_id, local_month, type, visibility, locked_at is not null, trashed_at is not null,
       is_favorite, is_stack_child, count(*),
       coalesce(sum(file_size) filter (where library_id is null), 0)
     from asset group by 1, 2, 3, 4, 5, 6, 7, 8`,
  ],
  contents: [
    // Nothing is left of an account whose assets are all deleted.
    'select owner_id, bit_xor(contents) from asset_count group by 1 having bit_xor(contents) <> 0',
    `select owner_id, bit_xor(hash_bits(sha256)) from asset group by 1
     having bit_xor(hash_bits(sha256)) <> 0`,
  ],
  tags: [
    'select tag_id, sum(assets), sum(total) from tag_count group by 1 having sum(total) <> 0',
    `select tag.id, count(distinct asset.id) filter (where below.id = tag.id),
       count(distinct asset.id)
     from tag join tag below on below.owner_id = tag.owner_id
       and (below.id = tag.id or starts_with(below.value, tag.value || '/'))
     join tag_asset on tag_id = below.id join asset on asset.id = asset_id
     where is_on_timeline(visibility, locked_at, trashed_at) group by 1`,
  ],
  albums: [
    `select album_id, owner_id, local_month, sum(assets) from album_count group by 1, 2, 3
     having sum(assets) <> 0`,
    `select album_id, owner_id, asset.local_month, count(*)
     from album_asset join asset on asset.id = asset_id
     where is_listed(visibility, locked_at, trashed_at) group by 1, 2, 3`,
  ],
  people: [
    'select person_id, sum(faces) from person_count group by 1 having sum(faces) <> 0',
    `select person_id, count(*) from face join asset on asset.id = asset_id
     where person_id is not null and not is_hidden
       and is_listed(visibility, locked_at, trashed_at) group by 1`,
  ],
  cells: [
    `select owner_id, level, x, y, sum(timeline), sum(archived) from asset_cell_count
     group by 1, 2, 3, 4 having sum(timeline) <> 0 or sum(archived) <> 0`,
    `select owner_id, level, map_x(longitude, level), map_y(latitude, level),
       count(*) filter (where visibility = 'timeline'), count(*) filter (where visibility = 'archive')
     from asset join asset_exif on asset_id = id cross join unnest(map_levels()) level
     where is_listed(visibility, locked_at, trashed_at) and latitude is not null
       and longitude is not null group by 1, 2, 3, 4`,
  ],
  exif: [
    `select asset_id, asset_owner_id, asset_taken_at from asset_exif`,
    `select id, asset.owner_id, asset.taken_at from asset join asset_exif on asset_id = id`,
  ],
  links: [
    `select 'album', asset_id, local_month from album_asset
     union select 'tag', asset_id, local_month from tag_asset
     union select 'face', asset_id, local_month from face where person_id is not null`,
    `select 'album', id, asset.local_month from asset join album_asset on asset_id = id
     union select 'tag', id, asset.local_month from asset join tag_asset on asset_id = id
     union select 'face', asset_id, asset.local_month from asset join face on asset_id = asset.id
     where person_id is not null`,
  ],
};

/** The names of everything kept that is not what a recount says; and of what there is nothing of. */
export async function compareWithRecounts(sql: postgres.Sql) {
  const [wrong, empty]: [string[], string[]] = [[], []];
  for (const [name, [kept, truth]] of Object.entries(KEPT)) {
    const [row] = await sql.unsafe(
      `with kept as (${kept}), truth as (${truth})
       select (select count(*) from truth) = 0 as empty, exists (
         (table kept except all table truth) union all (table truth except all table kept)) as wrong`,
    );
    if (row!['wrong']) wrong.push(name);
    if (row!['empty']) empty.push(name);
  }
  return { wrong, empty };
}
