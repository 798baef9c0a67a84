-- What many assets change at once when they move from shelf to shelf: everything that is counted by
-- where they are is counted in one pass over them, and each of their rows elsewhere is read once. Static
-- statements of one function: their plans stay, while a function in SQL is planned at each call.
create function asset_moved_counted() returns trigger language plpgsql as $$
declare
  ids uuid[];
  owner_ids uuid[];
  on_timeline int[];
  in_archive int[];
  is_timeline_moved boolean;
  -- Cells of the other levels follow from the finest by shifting: a power of two is exact.
  finest constant int := 20;
begin
  -- One pass over both sides instead of a join: for one row or for a million. 1: came there, -1: left.
  select array_agg(id), array_agg(owner_id), array_agg(timeline), array_agg(archived),
    bool_or(timeline <> 0)
  into ids, owner_ids, on_timeline, in_archive, is_timeline_moved
  from (
    select id, owner_id, sum(timeline)::int as timeline, sum(archived)::int as archived
    from (
      select id, owner_id, (visibility = 'timeline')::int as timeline,
        (visibility = 'archive')::int as archived
      from added where is_on_shelf(visibility, locked_at, trashed_at)
      union all
      select id, owner_id, -(visibility = 'timeline')::int, -(visibility = 'archive')::int
      from gone where is_on_shelf(visibility, locked_at, trashed_at)
    ) side group by id, owner_id
  ) moved where timeline <> 0 or archived <> 0;
  if ids is null then return null; end if;

  with item as materialized (
    select side.*, map_x(exif.longitude, finest) as x, map_y(exif.latitude, finest) as y,
      country, state, city, make, model, lens_model, rating
    from unnest(ids, owner_ids, on_timeline, in_archive) side (id, owner_id, timeline, archived)
    join asset_exif exif on exif.asset_id = side.id
  ), cell as (
    insert into asset_cell_count (owner_id, level, x, y, timeline, archived, example)
    select owner_id, level, x >> (finest - level), y >> (finest - level), sum(timeline),
      sum(archived), (array_agg(id) filter (where timeline > 0 or archived > 0))[1]
    from item cross join unnest(map_levels()) level
    where x is not null and y is not null
    group by 1, 2, 3, 4 having sum(timeline) <> 0 or sum(archived) <> 0
  )
  insert into asset_fact_count
  select owner_id,
    case when grouping(country) = 0 then 'place' when grouping(make) = 0 then 'camera' else 'rating' end,
    coalesce(country, make, rating::text), coalesce(state, model), coalesce(city, lens_model),
    sum(timeline), (array_agg(id) filter (where timeline > 0))[1]
  from item where timeline <> 0
  group by grouping sets (
    (owner_id, country, state, city), (owner_id, make, model, lens_model), (owner_id, rating))
  having sum(timeline) <> 0
    and num_nonnulls(country, state, city, make, model, lens_model, nullif(rating, 0)) > 0;

  with shown as materialized (
    select side.*, face.person_id, face.owner_id as person_owner_id
    from unnest(ids, owner_ids, on_timeline, in_archive) side (id, owner_id, timeline, archived)
    join face on face.asset_id = side.id
    where face.person_id is not null and not face.is_hidden
  ), counted as (
    insert into person_count (owner_id, person_id, faces)
    select person_owner_id, person_id, sum(timeline + archived) from shown
    where timeline + archived <> 0 group by 1, 2
    returning person_id
  ), stale as (
    delete from person_vector where person_id in (select person_id from counted)
  )
  insert into asset_fact_count (owner_id, kind, part_1, assets)
  select owner_id, 'person', person_id::text, sum(timeline)
  from (select distinct id, owner_id, person_id, timeline from shown) once
  group by owner_id, person_id having sum(timeline) <> 0
  union all
  select owner_id, 'recognised', 'yes', sum(timeline)
  from (select distinct id, owner_id, timeline from shown) once
  group by owner_id having sum(timeline) <> 0;

  if not is_timeline_moved then return null; end if;
  with recursive link as materialized (
    select side.id, side.owner_id, side.sign, tag_asset.tag_id
    from unnest(ids, owner_ids, on_timeline) side (id, owner_id, sign)
    join tag_asset on tag_asset.asset_id = side.id where side.sign <> 0
  ), above (tag_id, ancestor_id, parent_id, owner_id) as (
    select tag.id, tag.id, tag.parent_id, tag.owner_id
    from (select distinct tag_id from link) used join tag on tag.id = used.tag_id
    union all
    select above.tag_id, tag.id, tag.parent_id, tag.owner_id
    from above join tag on tag.id = above.parent_id
  ), counted as (
    insert into tag_count (owner_id, tag_id, assets, total)
    select owner_id, ancestor_id, coalesce(sum(sign) filter (where is_own), 0), sum(sign)
    from (
      select above.owner_id, above.ancestor_id, link.id, link.sign,
        bool_or(above.tag_id = above.ancestor_id) as is_own
      from link join above using (tag_id) group by 1, 2, 3, 4
    ) once group by 1, 2
  )
  insert into asset_fact_count (owner_id, kind, part_1, assets)
  select owner_id, 'tagged', 'yes', sum(sign)
  from (select distinct id, owner_id, sign from link) once
  group by owner_id having sum(sign) <> 0;
  return null;
end $$;
create trigger asset_moved_counted after update on asset
  referencing old table as gone new table as added for each statement
  execute function asset_moved_counted();

drop trigger asset_cells_counted on asset;
drop function asset_cells_counted();
drop trigger asset_facts_counted on asset;
drop function asset_facts_counted();
drop trigger asset_tags_counted_update on asset;
drop trigger asset_faces_counted_update on asset;

-- What is left of these two: assets that go for good.
create or replace function asset_tags_counted() returns trigger language plpgsql as $$
declare
  went uuid[] := array(select id from gone where is_on_timeline(visibility, locked_at, trashed_at));
begin
  if cardinality(went) > 0 then perform count_tags(went, -1); end if;
  delete from tag_asset where asset_id in (select id from gone);
  return null;
end $$;

create or replace function asset_faces_counted() returns trigger language plpgsql as $$
declare
  went uuid[] := array(select id from gone where is_on_shelf(visibility, locked_at, trashed_at));
begin
  if cardinality(went) > 0 then
    with counted as (
      insert into person_count (owner_id, person_id, faces)
      select owner_id, person_id, -count(*) from face
      where asset_id = any(went) and person_id is not null and not is_hidden
      group by 1, 2
      returning person_id
    )
    delete from person_vector where person_id in (select person_id from counted);
  end if;
  delete from face where asset_id in (select id from gone);
  return null;
end $$;

-- As before, but pictures are tried one after the other until one will do, and few of them: the one that
-- stood for the cell first, then what came.
create or replace function fold_cells(owners uuid[], changes int) returns bigint language sql as $$
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
        -- Everybody who sees the cell sees what is on the Timeline.
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
          where is_on_shelf(asset.visibility, asset.locked_at, asset.trashed_at)
            and map_x(exif.longitude, cell.level) = cell.x
            and map_y(exif.latitude, cell.level) = cell.y
          limit 1) end), true
    from cell
  )
  select count(*) from touched
$$;
