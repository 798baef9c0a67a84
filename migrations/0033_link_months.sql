-- Tags and faces know the month of their asset, as members of albums do: what a tag or a person has in
-- a month is one range of an index. And who changes tags, faces or members makes a new version of the
-- months of those assets: what was read of a month before is known to be old.
alter table tag_asset add column local_month date;
alter table face add column local_month date;

-- Written anew instead of updated: no second version of each row, and no trigger that asks why. Of a
-- face that is nobody's, nothing is asked by month.
create function month_of(asset_id uuid) returns date language sql stable as
  $$ select local_month from asset where id = month_of.asset_id $$;
alter table tag_asset alter column local_month type date using month_of(asset_id);
alter table face alter column local_month type date
  using case when person_id is not null then month_of(asset_id) end;
drop function month_of(uuid);
create index tag_asset_month on tag_asset (tag_id, local_month) include (asset_id);
create index face_person_month on face (person_id, local_month) include (asset_id)
  where person_id is not null and not is_hidden;

create function link_placed() returns trigger language plpgsql as $$
begin
  new.local_month := (select local_month from asset where id = new.asset_id);
  return new;
end $$;
create trigger tag_asset_placed before insert on tag_asset
  for each row execute function link_placed();
-- From its first person on.
create trigger face_placed before insert or update of person_id on face
  for each row when (new.person_id is not null and new.local_month is null)
  execute function link_placed();

-- One function for all three: what is asked of each asset that is moved is asked once.
create or replace function asset_moved_in_albums() returns trigger language plpgsql as $$
begin
  update album_asset set local_month = new.local_month where asset_id = new.id;
  update tag_asset set local_month = new.local_month where asset_id = new.id;
  -- Triggers of faces run for every statement, also for one that finds none.
  if exists (select from face where asset_id = new.id and local_month is not null) then
    update face set local_month = new.local_month
    where asset_id = new.id and local_month is not null;
  end if;
  return null;
end $$;

-- A row of zeros for each month of these assets: its stamp makes the new version.
create function stamp_months(asset_ids uuid[]) returns void language sql as $$
  insert into asset_count
    (owner_id, local_month, type, visibility, is_locked, is_trashed, is_favorite, is_stack_child,
      assets, bytes, stamp)
  select owner_id, local_month, 'IMAGE', 'timeline', false, false, false, false, 0, 0,
    (random() * 9e18)::bigint
  from (select distinct owner_id, local_month from asset where id = any(asset_ids)) month
$$;

create or replace function tag_asset_counted() returns trigger language plpgsql as $$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  if not exists (select from links) then return null; end if;
  perform 1 from asset where id in (select asset_id from links) order by id for no key update;
  if sign > 0 then
    -- Redated before it was held.
    update tag_asset set local_month = asset.local_month
    from links join asset on asset.id = links.asset_id
    where tag_asset.tag_id = links.tag_id and tag_asset.asset_id = links.asset_id
      and links.local_month <> asset.local_month;
  end if;
  perform stamp_months(array(select asset_id from links));
  insert into tag_count (owner_id, tag_id, assets, total)
  with recursive link as materialized (
    select links.asset_id, links.tag_id from links join asset on asset.id = links.asset_id
    where is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at)
  ), other as materialized (
    select asset_id, tag_id from tag_asset where asset_id in (select asset_id from link)
    except select asset_id, tag_id from link
  ), above (tag_id, ancestor_id) as (
    select tag_id, tag_id from (select tag_id from link union select tag_id from other) known
    union
    select above.tag_id, tag.parent_id from above join tag on tag.id = above.ancestor_id
    where tag.parent_id is not null
  ), moved as (
    select asset_id, ancestor_id from link join above using (tag_id)
    except select asset_id, ancestor_id from other join above using (tag_id)
  ), change as (
    select tag_id, count(*) as assets, 0 as total from link group by tag_id
    union all
    select ancestor_id, 0, count(*) from moved group by ancestor_id
  )
  select tag.owner_id, tag.id, sign * sum(change.assets), sign * sum(change.total)
  from change join tag on tag.id = change.tag_id group by tag.id;
  return null;
end $$;

create or replace function count_faces(
    asset_ids uuid[], owner_ids uuid[], person_ids uuid[], signs int[])
  returns void language plpgsql as $$
begin
  if asset_ids is null then return; end if;
  perform 1 from asset where id = any(asset_ids) order by id for no key update;
  -- Redated before it was held.
  if exists (
    select from face join asset on asset.id = face.asset_id
    where face.asset_id = any(asset_ids) and face.local_month <> asset.local_month
  ) then
    update face set local_month = asset.local_month from asset
    where face.asset_id = any(asset_ids) and asset.id = face.asset_id
      and face.local_month <> asset.local_month;
  end if;
  perform stamp_months(asset_ids);
  insert into person_count (owner_id, person_id, faces)
  select side.owner_id, side.person_id, sum(side.sign)
  from unnest(asset_ids, owner_ids, person_ids, signs) side (asset_id, owner_id, person_id, sign)
  join asset on asset.id = side.asset_id
  where is_on_shelf(asset.visibility, asset.locked_at, asset.trashed_at)
  group by side.owner_id, side.person_id having sum(side.sign) <> 0;
  delete from person_vector where person_id = any(person_ids);
end $$;

create or replace function album_asset_counted() returns trigger language plpgsql as $$
declare
  is_insert boolean := tg_op = 'INSERT';
  ids uuid[];
begin
  if not exists (select from links join album on album.id = links.album_id) then return null; end if;
  ids := array(select asset_id from links);
  perform 1 from asset where id = any(ids) order by id for no key update;
  if is_insert then
    -- Redated before it was held.
    update album_asset set local_month = asset.local_month
    from links join asset on asset.id = links.asset_id
    where album_asset.album_id = links.album_id and album_asset.asset_id = links.asset_id
      and links.local_month <> asset.local_month;
  end if;
  perform stamp_months(ids);
  insert into album_count
  select links.album_id, asset.owner_id, asset.local_month,
    case when is_insert then count(*) else -count(*) end,
    min(asset.local_taken_at) filter (where is_insert),
    max(asset.local_taken_at) filter (where is_insert),
    case when is_insert
      then (array_agg(asset.id order by asset.local_taken_at desc, asset.id desc))[1] end,
    max(asset.updated_at) filter (where is_insert),
    min(asset.local_taken_at) filter (where not is_insert),
    max(asset.local_taken_at) filter (where not is_insert),
    max(asset.updated_at) filter (where not is_insert)
  from links join asset on asset.id = links.asset_id
  where is_on_shelf(asset.visibility, asset.locked_at, asset.trashed_at)
  group by links.album_id, asset.owner_id, asset.local_month;
  return null;
end $$;
