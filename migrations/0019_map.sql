-- The map: assets by cell. The world in Web Mercator is divided into 2^level by 2^level cells as in map
-- tiles: x to the east, y to the south. Places beyond 85 degrees belong to the outermost rows.

-- Cell of a longitude. Not `strict`: strict functions are not inlined.
create function map_x(longitude float8, level int) returns int
  language sql immutable parallel safe as $$
  select case when longitude is not null then
    least((1 << level) - 1, floor((longitude + 180) / 360 * (1 << level))::int) end
$$;

-- Cell of a latitude.
create function map_y(latitude float8, level int) returns int
  language sql immutable parallel safe as $$
  select case when latitude is not null then greatest(0, least((1 << level) - 1, floor(
    (1 - asinh(tan(radians(greatest(-89.9, least(89.9, latitude))))) / pi()) / 2 * (1 << level))::int))
  end
$$;

-- Bounds of a cell in degrees, slightly enlarged, for the index. The outermost rows reach to the poles.
create function map_box(x int, y int, level int) returns box
  language sql immutable strict parallel safe as $$
  select box(
    point(x * 360.0 / (1 << level) - 180 - 1e-6, case y when (1 << level) - 1 then -90
      else degrees(atan(sinh(pi() * (1 - 2.0 * (y + 1) / (1 << level))))) - 1e-6 end),
    point((x + 1) * 360.0 / (1 << level) - 180 + 1e-6, case y when 0 then 90
      else degrees(atan(sinh(pi() * (1 - 2.0 * y / (1 << level))))) + 1e-6 end))
$$;

-- Levels that are counted: cells 156 km, 2.4 km and 38 m wide at the equator.
create function map_levels() returns int[] language sql immutable parallel safe as
  $$ select array[8, 14, 20] $$;

-- Assets of the Timeline and the archive by cell: deltas, folded by a job. Kept as a counter because with
-- 200,000 assets counting the world takes 360 ms instead of 33 ms, and the first view is that one. Folded
-- rows are marked, so that folding reads only what has changed since.
create table asset_cell_count (
  owner_id uuid not null, -- account
  level smallint not null, -- level of the cell
  x int not null, -- column of the cell
  y int not null, -- row of the cell
  timeline bigint not null, -- change of the number of assets on the Timeline
  archived bigint not null, -- change of the number of archived assets
  example uuid, -- an added asset: first candidate for the picture of the cell
  is_folded boolean not null default false -- sum of earlier rows
);
-- The cells of a part of the map.
create index asset_cell_count_place on asset_cell_count (owner_id, level, x, y);
-- Rows to be folded.
create index asset_cell_count_unfolded on asset_cell_count (owner_id) where not is_folded;

-- Counts assets that came to the Timeline or the archive (1), left it (-1), or neither (0).
create function count_cells(
  asset_ids uuid[], owner_ids uuid[], on_timeline int[], in_archive int[]
) returns void language sql as $$
  insert into asset_cell_count (owner_id, level, x, y, timeline, archived, example)
  select side.owner_id, level, map_x(exif.longitude, level), map_y(exif.latitude, level),
    sum(side.timeline), sum(side.archived),
    (array_agg(side.id) filter (where side.timeline > 0 or side.archived > 0))[1]
  from unnest(asset_ids, owner_ids, on_timeline, in_archive)
    side (id, owner_id, timeline, archived)
  join asset_exif exif on exif.asset_id = side.id
  cross join unnest(map_levels()) level
  where exif.latitude is not null and exif.longitude is not null
  group by 1, 2, 3, 4 having sum(side.timeline) <> 0 or sum(side.archived) <> 0
$$;

-- Counts a deleted asset while its position is still known: a foreign key deletes it before the statement ends.
create function asset_cells_left() returns trigger language plpgsql as $$
begin
  perform count_cells(array[old.id], array[old.owner_id],
    array[-(old.visibility = 'timeline')::int], array[-(old.visibility = 'archive')::int]);
  return old;
end $$;
create trigger asset_cells_left before delete on asset for each row
  when (is_listed(old.visibility, old.locked_at, old.trashed_at))
  execute function asset_cells_left();

-- Counts changed positions. The assets are locked, since their state decides what counts; of a deleted asset
-- nothing counts here, asset_cells_left has done it.
create function count_positions(before asset_exif[], after asset_exif[]) returns void
  language plpgsql as $$
declare
  asset_ids uuid[];
  latitudes float8[];
  longitudes float8[];
  signs int[];
begin
  select array_agg(asset_id), array_agg(latitude), array_agg(longitude), array_agg(sign)
  into asset_ids, latitudes, longitudes, signs
  from (
    select asset_id, latitude, longitude, sum(sign)::int as sign from (
      select asset_id, latitude, longitude, 1 as sign from unnest(after)
      where latitude is not null and longitude is not null
      union all
      select asset_id, latitude, longitude, -1 from unnest(before)
      where latitude is not null and longitude is not null
    ) side group by 1, 2, 3 having sum(sign) <> 0
  ) moved;
  if asset_ids is null then return; end if;
  insert into asset_cell_count (owner_id, level, x, y, timeline, archived, example)
  select owner_id, level, x, y, timeline, archived, example from (
    select asset.owner_id, level, map_x(side.longitude, level) as x, map_y(side.latitude, level) as y,
      coalesce(sum(side.sign) filter (where asset.visibility = 'timeline'), 0) as timeline,
      coalesce(sum(side.sign) filter (where asset.visibility = 'archive'), 0) as archived,
      (array_agg(asset.id) filter (where side.sign > 0))[1] as example
    from unnest(asset_ids, latitudes, longitudes, signs) side (asset_id, latitude, longitude, sign)
    join asset on asset.id = side.asset_id cross join unnest(map_levels()) level
    where is_listed(asset.visibility, asset.locked_at, asset.trashed_at)
    group by 1, 2, 3, 4
  ) change where timeline <> 0 or archived <> 0;
end $$;

-- Folds the cells of these owners that are found in a limited number of changed rows. Returns the number of
-- cells. The example of a cell is replaced if it is not there any more; candidates are tried in order: the
-- previous example, then added assets.
create function fold_cells(owners uuid[], changes int) returns bigint language sql as $$
  with touched as (
    select distinct owner_id, level, x, y from (
      select owner_id, level, x, y from asset_cell_count
      where owner_id = any(owners) and not is_folded limit changes
    ) changed
  ), gone as (
    delete from asset_cell_count counted using touched
    where counted.owner_id = touched.owner_id and counted.level = touched.level
      and counted.x = touched.x and counted.y = touched.y
    returning counted.*
  ), cell as (
    select owner_id, level, x, y, sum(timeline) as timeline, sum(archived) as archived,
      (array_agg(example order by is_folded desc) filter (where example is not null))[1:8] as examples
    from gone group by 1, 2, 3, 4 having sum(timeline) <> 0 or sum(archived) <> 0
  ), folded as (
    insert into asset_cell_count
      (owner_id, level, x, y, timeline, archived, example, is_folded)
    select owner_id, level, x, y, timeline, archived, coalesce(
        -- An example on the Timeline is visible to everyone who sees the cell.
        case when timeline > 0 then (
          select asset.id from unnest(examples) candidate (id)
          join asset on asset.id = candidate.id join asset_exif exif on exif.asset_id = asset.id
          where is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at)
            and map_x(exif.longitude, cell.level) = cell.x
            and map_y(exif.latitude, cell.level) = cell.y
          limit 1) end,
        case when archived > 0 then (
          select asset.id from unnest(examples) candidate (id)
          join asset on asset.id = candidate.id join asset_exif exif on exif.asset_id = asset.id
          where is_listed(asset.visibility, asset.locked_at, asset.trashed_at)
            and map_x(exif.longitude, cell.level) = cell.x
            and map_y(exif.latitude, cell.level) = cell.y
          limit 1) end), true
    from cell
  )
  select count(*) from touched
$$;
