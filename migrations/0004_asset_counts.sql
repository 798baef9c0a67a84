-- Counts of assets: see "Counting" in src/README.md. The rows of a count table are deltas: rows are added in
-- the transaction of the change and never updated, the count is their sum, and a job folds them. Concurrent
-- uploads do not wait for each other.

-- Assets of an account by month and state.
create table asset_count (
  owner_id uuid not null, -- account
  local_month date not null, -- month of capture
  type text not null, -- asset.type
  visibility text not null, -- asset.visibility
  is_locked boolean not null, -- in Locked
  is_trashed boolean not null, -- in the trash
  is_favorite boolean not null, -- favourite
  is_stack_child boolean not null, -- in a stack, and not its top item
  assets bigint not null, -- change of the number of assets
  bytes bigint not null, -- change of the sum of file sizes, of uploads only: libraries count against no quota
  -- random; the exclusive or over a range of rows is a version of the assets in it, and folding keeps it
  stamp bigint not null,
  -- exclusive or of hash_bits of the content of each asset added or removed; over all rows of an account,
  -- a version of the set of its originals
  contents bigint not null default 0
);
-- The sums of an account by month, and what a job folds.
create index asset_count_owner on asset_count (owner_id, local_month);

-- Summaries of months, so that a process that has just started need not count them: see "Counting" in
-- src/README.md. A row is valid while `version` is the version of the month. What changes assets without
-- the triggers that stamp months must empty this table.
create table month_summary (
  owner_id uuid not null references app_user on delete cascade, -- account
  kind text not null, -- the summary
  month date not null, -- month of capture
  format int not null, -- of `content`; rows of another format are not read
  version bigint not null, -- exclusive or of the stamps of the month when it was counted
  content text not null, -- JSON: values, their numbers of assets, and an asset of each
  primary key (owner_id, kind, month)
);

-- First 64 bits of a hash.
create function hash_bits(hash bytea) returns bigint language sql immutable parallel safe as
  $$ select ('x' || encode(substring(hash from 1 for 8), 'hex'))::bit(64)::bigint $$;

-- Counts changed assets. A change that moves no count leaves a row of zeros: its stamp makes the new version.
-- No change touches the content of an asset: `contents` follows from which assets come and go.
create function count_assets(before asset[], after asset[]) returns void language plpgsql as $$
begin
  insert into asset_count
  select owner_id, local_month, type, visibility, is_locked, is_trashed, is_favorite, is_stack_child,
    sum(sign), sum(sign * file_size), (random() * 9e18)::bigint, bit_xor(hash_bits(sha256))
  from (
    select owner_id, local_month, type, visibility, locked_at is not null as is_locked,
      trashed_at is not null as is_trashed, is_favorite, is_stack_child, 1 as sign,
      case when library_id is null then file_size else 0 end as file_size, sha256
    from unnest(after)
    union all
    select owner_id, local_month, type, visibility, locked_at is not null, trashed_at is not null,
      is_favorite, is_stack_child, -1, case when library_id is null then file_size else 0 end, sha256
    from unnest(before)
  ) side group by 1, 2, 3, 4, 5, 6, 7, 8;
end $$;

-- Adds a row of zeros for each month of the assets: its stamp makes a new version of the month.
create function stamp_months(asset_ids uuid[]) returns void language plpgsql as $$
begin
  insert into asset_count
    (owner_id, local_month, type, visibility, is_locked, is_trashed, is_favorite, is_stack_child,
      assets, bytes, stamp)
  select owner_id, local_month, 'IMAGE', 'timeline', false, false, false, false, 0, 0,
    (random() * 9e18)::bigint
  from (select distinct owner_id, local_month from asset where id = any(asset_ids)) month;
  perform log_libraries(array(select distinct owner_id from asset where id = any(asset_ids)));
end $$;

-- An original that is found missing, or found again, changes the inventory of each account that has it.
-- The lock keeps concurrent uploads of the same content from being overlooked.
create function original_locked() returns trigger language plpgsql as $$
begin
  perform 1 from original where sha256 = old.sha256 for update;
  return new;
end $$;
create trigger original_locked before update of missing_at on original for each row
  when ((old.missing_at is null) <> (new.missing_at is null)) execute function original_locked();

create function original_lost_or_found() returns trigger language plpgsql as $$
begin
  insert into asset_count
  select owner_id, local_month, type, visibility, locked_at is not null, trashed_at is not null,
    is_favorite, is_stack_child, 0, 0, (random() * 9e18)::bigint, (random() * 9e18)::bigint
  from asset where sha256 = new.sha256;
  perform log_libraries(array(select distinct owner_id from asset where sha256 = new.sha256));
  return null;
end $$;
create trigger original_lost_or_found after update of missing_at on original for each row
  when ((old.missing_at is null) <> (new.missing_at is null)) execute function original_lost_or_found();

-- Counts assets that were moved between Timeline, archive, Locked and trash, for the map, people and tags. The
-- statements are static, so that their plans are cached, while a function in SQL is planned at each call.
create function count_moved_assets(before asset[], after asset[]) returns void language plpgsql as $$
declare
  ids uuid[];
  owner_ids uuid[];
  on_timeline int[];
  in_archive int[];
  is_timeline_moved boolean;
  -- Cells of coarser levels are computed by shifting the finest ones: levels are powers of two.
  finest constant int := 20;
begin
  -- One pass over old and new rows instead of a join: its cached plan serves one row and a million.
  -- 1: added to the list, -1: removed from it.
  select array_agg(id), array_agg(owner_id), array_agg(timeline), array_agg(archived),
    bool_or(timeline <> 0)
  into ids, owner_ids, on_timeline, in_archive, is_timeline_moved
  from (
    select id, owner_id, sum(timeline)::int as timeline, sum(archived)::int as archived
    from (
      select id, owner_id, (visibility = 'timeline')::int as timeline,
        (visibility = 'archive')::int as archived
      from unnest(after) where is_listed(visibility, locked_at, trashed_at)
      union all
      select id, owner_id, -(visibility = 'timeline')::int, -(visibility = 'archive')::int
      from unnest(before) where is_listed(visibility, locked_at, trashed_at)
    ) side group by id, owner_id
  ) moved where timeline <> 0 or archived <> 0;
  if ids is null then return; end if;

  with item as materialized (
    select side.*, map_x(exif.longitude, finest) as x, map_y(exif.latitude, finest) as y
    from unnest(ids, owner_ids, on_timeline, in_archive) side (id, owner_id, timeline, archived)
    join asset_exif exif on exif.asset_id = side.id
  )
  insert into asset_cell_count (owner_id, level, x, y, timeline, archived, example)
  select owner_id, level, x >> (finest - level), y >> (finest - level), sum(timeline),
    sum(archived), (array_agg(id) filter (where timeline > 0 or archived > 0))[1]
  from item cross join unnest(map_levels()) level
  where x is not null and y is not null
  group by 1, 2, 3, 4 having sum(timeline) <> 0 or sum(archived) <> 0;

  with counted as (
    insert into person_count (owner_id, person_id, faces)
    select face.owner_id, face.person_id, sum(side.timeline + side.archived)
    from unnest(ids, on_timeline, in_archive) side (id, timeline, archived)
    join face on face.asset_id = side.id
    where face.person_id is not null and not face.is_hidden and side.timeline + side.archived <> 0
    group by 1, 2
    returning person_id
  )
  delete from person_vector where person_id in (select person_id from counted);

  if not is_timeline_moved then return; end if;
  with recursive link as materialized (
    select side.id, side.sign, tag_asset.tag_id
    from unnest(ids, on_timeline) side (id, sign)
    join tag_asset on tag_asset.asset_id = side.id where side.sign <> 0
  ), above (tag_id, ancestor_id, parent_id, owner_id) as (
    select tag.id, tag.id, tag.parent_id, tag.owner_id
    from (select distinct tag_id from link) used join tag on tag.id = used.tag_id
    union all
    select above.tag_id, tag.id, tag.parent_id, tag.owner_id
    from above join tag on tag.id = above.parent_id
  )
  insert into tag_count (owner_id, tag_id, assets, total)
  select owner_id, ancestor_id, coalesce(sum(sign) filter (where is_own), 0), sum(sign)
  from (
    select above.owner_id, above.ancestor_id, link.id, link.sign,
      bool_or(above.tag_id = above.ancestor_id) as is_own
    from link join above using (tag_id) group by 1, 2, 3, 4
  ) once group by 1, 2;
end $$;
