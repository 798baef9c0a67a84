-- Positions may be deleted before their assets, a set of them at once: then asset_cells_left finds nothing
-- to take away. With the asset, they were counted before.
create function asset_exif_cells_left() returns trigger language plpgsql as $$
begin
  insert into asset_cell_count (owner_id, level, x, y, timeline, archived)
  select asset.owner_id, level, map_x(gone.longitude, level), map_y(gone.latitude, level),
    -count(*) filter (where asset.visibility = 'timeline'),
    -count(*) filter (where asset.visibility = 'archive')
  from gone join asset on asset.id = gone.asset_id cross join unnest(map_levels()) level
  where is_on_shelf(asset.visibility, asset.locked_at, asset.trashed_at)
    and gone.latitude is not null and gone.longitude is not null
  group by 1, 2, 3, 4;
  return null;
end $$;
create trigger asset_exif_cells_left after delete on asset_exif
  referencing old table as gone for each statement execute function asset_exif_cells_left();

-- What was counted for assets that had gone that way. One statement sees both sides at one moment.
insert into asset_cell_count (owner_id, level, x, y, timeline, archived)
select owner_id, level, x, y, sum(timeline), sum(archived) from (
  select asset.owner_id, level, map_x(exif.longitude, level) as x, map_y(exif.latitude, level) as y,
    (asset.visibility = 'timeline')::int as timeline, (asset.visibility = 'archive')::int as archived
  from asset join asset_exif exif on exif.asset_id = asset.id cross join unnest(map_levels()) level
  where is_on_shelf(asset.visibility, asset.locked_at, asset.trashed_at)
    and exif.latitude is not null and exif.longitude is not null
  union all
  select owner_id, level, x, y, -timeline, -archived from asset_cell_count
) side group by 1, 2, 3, 4 having sum(timeline) <> 0 or sum(archived) <> 0;
