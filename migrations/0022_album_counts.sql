-- What each album shows, by whose items and by month of capture: how many, from when to when, and which
-- is the newest. Rows are added, never changed: the truth is what all of them say together, and a job
-- folds them.
--
-- What came and what went are kept apart. The first of what came is the first of what is there unless
-- it went as well; so an album whose ends went is known to be in doubt, and only then its items are read.
-- No foreign key: counting an asset would wait for whoever deletes one of its albums. The job drops what
-- is left of albums that are gone.
create table album_count (
  album_id uuid not null,
  owner_id uuid not null,
  local_month date not null,
  assets bigint not null,
  first_at timestamp,
  last_at timestamp,
  last_id uuid,
  modified_at timestamptz,
  gone_first_at timestamp,
  gone_last_at timestamp,
  gone_modified_at timestamptz
);
create index album_count_album on album_count (album_id);

create view album_sum as
select album_id, assets, first_at, last_at, last_id, modified_at,
  assets > 0 and coalesce(
    gone_first_at <= first_at or gone_last_at >= last_at or gone_modified_at >= modified_at, false)
    as is_in_doubt
from (
  select album_id, sum(assets) as assets, min(first_at) as first_at, max(last_at) as last_at,
    (array_agg(last_id order by last_at desc nulls last, last_id desc))[1] as last_id,
    max(modified_at) as modified_at, min(gone_first_at) as gone_first_at,
    max(gone_last_at) as gone_last_at, max(gone_modified_at) as gone_modified_at
  from album_count group by album_id
) sum;

-- A month of an album is one range of this. The month is that of the asset: see the triggers below.
alter table album_asset add column local_month date;
create index album_asset_month on album_asset (album_id, local_month) include (asset_id);

create function read_album(id uuid) returns setof album_count language sql stable as $$
  select album_asset.album_id, asset.owner_id, asset.local_month, count(*), min(asset.local_taken_at),
    max(asset.local_taken_at),
    (array_agg(asset.id order by asset.local_taken_at desc, asset.id desc))[1], max(asset.updated_at),
    null::timestamp, null::timestamp, null::timestamptz
  from album_asset join asset on asset.id = album_asset.asset_id
  where album_asset.album_id = read_album.id
    and is_on_shelf(asset.visibility, asset.locked_at, asset.trashed_at)
  group by album_asset.album_id, asset.owner_id, asset.local_month
$$;

-- Went with the rows of assets one by one; now by a trigger for all of a statement, which still knows
-- what they were.
alter table album_asset
  drop constraint album_asset_asset_id_fkey,
  add constraint album_asset_asset_id_fkey foreign key (asset_id) references asset
    deferrable initially deferred;

create function album_asset_placed() returns trigger language plpgsql as $$
begin
  new.local_month := (select local_month from asset where id = new.asset_id);
  return new;
end $$;
create trigger album_asset_placed before insert on album_asset
  for each row execute function album_asset_placed();

create function asset_moved_in_albums() returns trigger language plpgsql as $$
begin
  update album_asset set local_month = new.local_month where asset_id = new.id;
  return null;
end $$;
create trigger asset_moved_in_albums after update on asset for each row
  when (old.local_month <> new.local_month) execute function asset_moved_in_albums();

-- Whoever changes the members of an album holds them while counting: whether it shows them depends on
-- where they are. With an album go its counts, so there is nothing to count.
create function album_asset_counted() returns trigger language plpgsql as $$
declare
  is_insert boolean := tg_op = 'INSERT';
begin
  if not exists (select from links join album on album.id = links.album_id) then return null; end if;
  perform 1 from asset where id = any(array(select asset_id from links)) order by id
    for no key update;
  if is_insert then
    -- Redated before it was held.
    update album_asset set local_month = asset.local_month
    from links join asset on asset.id = links.asset_id
    where album_asset.album_id = links.album_id and album_asset.asset_id = links.asset_id
      and links.local_month <> asset.local_month;
  end if;
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
create trigger album_asset_counted_insert after insert on album_asset
  referencing new table as links for each statement execute function album_asset_counted();
create trigger album_asset_counted_delete after delete on album_asset
  referencing old table as links for each statement execute function album_asset_counted();

create function asset_albums_counted() returns trigger language plpgsql as $$
declare
  ids uuid[];
begin
  if tg_op = 'DELETE' then
    ids := array(select id from gone);
    if not exists (select from album_asset where asset_id = any(ids)) then return null; end if;
    insert into album_count
      (album_id, owner_id, local_month, assets, gone_first_at, gone_last_at, gone_modified_at)
    select member.album_id, gone.owner_id, gone.local_month, -count(*), min(gone.local_taken_at),
      max(gone.local_taken_at), max(gone.updated_at)
    from gone cross join lateral (
      select album_id from album_asset where asset_id = gone.id offset 0) member
    where is_on_shelf(gone.visibility, gone.locked_at, gone.trashed_at)
    group by member.album_id, gone.owner_id, gone.local_month;
    delete from album_asset where asset_id = any(ids);
    return null;
  end if;
  -- One pass over both sides, and a look into the index for each: the plan is made once, for one row
  -- or for a million.
  insert into album_count
  with side as (
    select id, owner_id, local_taken_at, updated_at, true as is_new from added
    where is_on_shelf(visibility, locked_at, trashed_at)
    union all
    select id, owner_id, local_taken_at, updated_at, false from gone
    where is_on_shelf(visibility, locked_at, trashed_at)
  ), changed as materialized (
    select * from (
      select id, owner_id,
        max(local_taken_at) filter (where is_new) as came_at,
        max(updated_at) filter (where is_new) as came_modified,
        max(local_taken_at) filter (where not is_new) as went_at,
        max(updated_at) filter (where not is_new) as went_modified
      from side group by id, owner_id
    ) pair
    where came_at is distinct from went_at or came_modified is distinct from went_modified
  ), half as (
    select member.album_id, changed.owner_id, changed.id, half.*,
      came_at is distinct from went_at as is_moved
    from changed cross join lateral (
      select album_id from album_asset where asset_id = changed.id offset 0) member
    cross join lateral (
      values (true, came_at, came_modified), (false, went_at, went_modified)
    ) half (is_new, taken_at, modified_at)
    where half.taken_at is not null
  )
  select album_id, owner_id, date_trunc('month', taken_at)::date,
    count(*) filter (where is_new) - count(*) filter (where not is_new),
    min(taken_at) filter (where is_new and is_moved),
    max(taken_at) filter (where is_new and is_moved),
    (array_agg(id order by taken_at desc, id desc) filter (where is_new and is_moved))[1],
    max(modified_at) filter (where is_new),
    min(taken_at) filter (where not is_new and is_moved),
    max(taken_at) filter (where not is_new and is_moved),
    max(modified_at) filter (where not is_new)
  from half group by 1, 2, 3;
  return null;
end $$;
create trigger asset_albums_counted_update after update on asset
  referencing old table as gone new table as added for each statement
  execute function asset_albums_counted();
create trigger asset_albums_counted_delete after delete on asset
  referencing old table as gone for each statement execute function asset_albums_counted();

create function album_counts_dropped() returns trigger language plpgsql as $$
begin
  delete from album_count where album_id = any(array(select id from gone));
  return null;
end $$;
create trigger album_counts_dropped after delete on album
  referencing old table as gone for each statement execute function album_counts_dropped();

update album_asset set local_month = asset.local_month from asset where asset.id = asset_id;
insert into album_count
select read.* from album cross join lateral read_album(album.id) read;
