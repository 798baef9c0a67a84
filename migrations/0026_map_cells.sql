-- The world in Web Mercator, cut into 2^level by 2^level cells as map tiles are: x to the east, y to the
-- south. What lies beyond 85 degrees belongs to the outermost row.
-- Not `strict`: such functions are called, others become part of the statement.
create function map_x(longitude float8, level int) returns int
  language sql immutable parallel safe as $$
  select case when longitude is not null then
    least((1 << level) - 1, floor((longitude + 180) / 360 * (1 << level))::int) end
$$;
create function map_y(latitude float8, level int) returns int
  language sql immutable parallel safe as $$
  select case when latitude is not null then greatest(0, least((1 << level) - 1, floor(
    (1 - asinh(tan(radians(greatest(-89.9, least(89.9, latitude))))) / pi()) / 2 * (1 << level))::int))
  end
$$;
-- A little more than the cell, in degrees: to be found by the index. The outermost rows reach to the poles.
create function map_box(x int, y int, level int) returns box
  language sql immutable strict parallel safe as $$
  select box(
    point(x * 360.0 / (1 << level) - 180 - 1e-6, case y when (1 << level) - 1 then -90
      else degrees(atan(sinh(pi() * (1 - 2.0 * (y + 1) / (1 << level))))) - 1e-6 end),
    point((x + 1) * 360.0 / (1 << level) - 180 + 1e-6, case y when 0 then 90
      else degrees(atan(sinh(pi() * (1 - 2.0 * y / (1 << level))))) + 1e-6 end))
$$;

create index asset_exif_position on asset_exif using gist (point(longitude, latitude))
  where latitude is not null and longitude is not null;

-- How many items of the Timeline and the archive were taken in each cell: 156 km, 2.4 km and 38 m wide
-- at the equator. Delta rows as those of asset_count; here what was folded is marked, so that folding
-- costs what has changed since.
create table asset_cell_count (
  owner_id uuid not null,
  level smallint not null,
  x int not null,
  y int not null,
  -- On either shelf: what moves from one to the other is one row.
  timeline bigint not null,
  archived bigint not null,
  -- One that came: where to look first for a picture that stands for the cell.
  example uuid,
  is_folded boolean not null default false
);
create index asset_cell_count_place on asset_cell_count (owner_id, level, x, y);
create index asset_cell_count_unfolded on asset_cell_count (owner_id) where not is_folded;

create function map_levels() returns int[] language sql immutable parallel safe as
  $$ select array[8, 14, 20] $$;

-- For assets that came to one of the two shelves (1), left it (-1), or stay on or off it (0).
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

-- A new asset has no position yet: that comes with its row of asset_exif.
create function asset_cells_counted() returns trigger language plpgsql as $$
declare
  asset_ids uuid[];
  owner_ids uuid[];
  on_timeline int[];
  in_archive int[];
begin
  select array_agg(id), array_agg(owner_id), array_agg(timeline), array_agg(archived)
  into asset_ids, owner_ids, on_timeline, in_archive
  from (
    select id, owner_id, coalesce(sum(sign) filter (where visibility = 'timeline'), 0)::int as timeline,
      coalesce(sum(sign) filter (where visibility = 'archive'), 0)::int as archived
    from (
      select id, owner_id, visibility, 1 as sign from added
      where is_on_shelf(visibility, locked_at, trashed_at)
      union all
      select id, owner_id, visibility, -1 from gone
      where is_on_shelf(visibility, locked_at, trashed_at)
    ) side group by id, owner_id
  ) moved where timeline <> 0 or archived <> 0;
  if asset_ids is not null then
    perform count_cells(asset_ids, owner_ids, on_timeline, in_archive);
  end if;
  return null;
end $$;
create trigger asset_cells_counted after update on asset
  referencing old table as gone new table as added for each statement
  execute function asset_cells_counted();

-- Before the rows of asset_exif go with the asset. Whoever empties the trash does not come here.
create function asset_cells_left() returns trigger language plpgsql as $$
begin
  perform count_cells(array[old.id], array[old.owner_id],
    array[-(old.visibility = 'timeline')::int], array[-(old.visibility = 'archive')::int]);
  return old;
end $$;
create trigger asset_cells_left before delete on asset for each row
  when (is_on_shelf(old.visibility, old.locked_at, old.trashed_at))
  execute function asset_cells_left();

-- Whoever moves an asset on the map holds it while counting: what is counted depends on its shelf.
create function asset_exif_cells_counted() returns trigger language plpgsql as $$
declare
  asset_ids uuid[];
  latitudes float8[];
  longitudes float8[];
  signs int[];
begin
  if tg_op = 'INSERT' then
    select array_agg(asset_id), array_agg(latitude), array_agg(longitude), array_agg(1)
    into asset_ids, latitudes, longitudes, signs
    from added where latitude is not null and longitude is not null;
  else
    -- One pass over both sides instead of a join: the plan is made once, for one row or for a million.
    select array_agg(asset_id), array_agg(latitude), array_agg(longitude), array_agg(sign)
    into asset_ids, latitudes, longitudes, signs
    from (
      select asset_id, latitude, longitude, sum(sign)::int as sign from (
        select asset_id, latitude, longitude, 1 as sign from added
        where latitude is not null and longitude is not null
        union all
        select asset_id, latitude, longitude, -1 from gone
        where latitude is not null and longitude is not null
      ) side group by 1, 2, 3 having sum(sign) <> 0
    ) moved;
  end if;
  if asset_ids is null then return null; end if;
  perform 1 from asset where id = any(asset_ids) order by id for no key update;
  insert into asset_cell_count (owner_id, level, x, y, timeline, archived, example)
  select owner_id, level, x, y, timeline, archived, example from (
    select asset.owner_id, level, map_x(side.longitude, level) as x, map_y(side.latitude, level) as y,
      coalesce(sum(side.sign) filter (where asset.visibility = 'timeline'), 0) as timeline,
      coalesce(sum(side.sign) filter (where asset.visibility = 'archive'), 0) as archived,
      (array_agg(asset.id) filter (where side.sign > 0))[1] as example
    from unnest(asset_ids, latitudes, longitudes, signs) side (asset_id, latitude, longitude, sign)
    join asset on asset.id = side.asset_id cross join unnest(map_levels()) level
    where is_on_shelf(asset.visibility, asset.locked_at, asset.trashed_at)
    group by 1, 2, 3, 4
  ) change where timeline <> 0 or archived <> 0;
  return null;
end $$;
create trigger asset_exif_cells_counted_insert after insert on asset_exif
  referencing new table as added for each statement execute function asset_exif_cells_counted();
create trigger asset_exif_cells_counted_update after update on asset_exif
  referencing old table as gone new table as added for each statement
  execute function asset_exif_cells_counted();

-- Replaces some delta rows of these owners by their sums: those of cells that have changed, found by so
-- many rows. Answers how many cells there were. A picture that is not there any more gives way to another
-- one of the cell.
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
      array_agg(example order by is_folded) filter (where example is not null) as examples
    from gone group by 1, 2, 3, 4 having sum(timeline) <> 0 or sum(archived) <> 0
  ), folded as (
    insert into asset_cell_count
      (owner_id, level, x, y, timeline, archived, example, is_folded)
    select cell.owner_id, cell.level, cell.x, cell.y, cell.timeline, cell.archived, (
        select asset.id from unnest(cell.examples) with ordinality candidate (id, place)
        join asset on asset.id = candidate.id join asset_exif exif on exif.asset_id = asset.id
        where is_on_shelf(asset.visibility, asset.locked_at, asset.trashed_at)
          and map_x(exif.longitude, cell.level) = cell.x
          and map_y(exif.latitude, cell.level) = cell.y
        -- Everybody who sees the cell sees what is on the Timeline.
        order by asset.visibility = 'timeline' desc, candidate.place limit 1
      ), true
    from cell
  )
  select count(*) from touched
$$;

insert into asset_cell_count
  (owner_id, level, x, y, timeline, archived, example, is_folded)
select asset.owner_id, level, map_x(exif.longitude, level), map_y(exif.latitude, level),
  count(*) filter (where asset.visibility = 'timeline'),
  count(*) filter (where asset.visibility = 'archive'),
  (array_agg(asset.id order by asset.visibility desc))[1], true
from asset join asset_exif exif on exif.asset_id = asset.id cross join unnest(map_levels()) level
where is_on_shelf(asset.visibility, asset.locked_at, asset.trashed_at)
  and exif.latitude is not null and exif.longitude is not null
group by 1, 2, 3, 4;
