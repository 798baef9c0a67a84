-- Albums, their members and counts, shared links, likes and comments.

-- Albums.
create table album (
  id uuid primary key default gen_random_uuid(), -- identifier
  owner_id uuid not null references app_user on delete cascade, -- account that it belongs to
  name text not null, -- title
  description text not null default '', -- description
  cover_id uuid references asset on delete set null, -- chosen cover; null: the newest asset
  is_activity_enabled boolean not null default true, -- likes and comments are allowed
  sort_order text not null default 'desc' check (sort_order in ('asc', 'desc')), -- by date of capture
  created_at timestamptz not null default now(), -- creation
  updated_at timestamptz not null default now(), -- last change
  since xid8 not null default pg_current_xact_id() -- sync sends what is older than this as a backfill
);
create index album_owner on album (owner_id);
create index album_cover on album (cover_id) where cover_id is not null;

-- Accounts that an album is shared with; without its owner.
create table album_user (
  album_id uuid not null references album on delete cascade, -- album
  user_id uuid not null references app_user on delete cascade, -- member
  role text not null check (role in ('editor', 'viewer')), -- editors add and remove assets
  created_at timestamptz not null default now(), -- start of membership
  since xid8 not null default pg_current_xact_id(), -- sync sends what is older than this as a backfill
  -- chain of members that invited this one, without the owner; what is withheld from any of them is
  -- withheld from the member
  invited_by uuid[] not null default '{}',
  primary key (album_id, user_id)
);
create index album_user_user on album_user (user_id);

-- Assets of albums. Deleted before their asset, since its state decides whether they count.
create table album_asset (
  album_id uuid not null references album on delete cascade, -- album
  asset_id uuid not null references asset deferrable initially deferred, -- asset
  added_by uuid references app_user on delete set null, -- account that added it
  created_at timestamptz not null default now(), -- addition
  local_month date, -- asset.local_month, kept by link_placed and move_links
  primary key (album_id, asset_id)
);
create index album_asset_asset on album_asset (asset_id);
-- A month of an album is one range.
create index album_asset_month on album_asset (album_id, local_month) include (asset_id);

-- Sets the month of a new row of album_asset or tag_asset, and of a face.
create function link_placed() returns trigger language plpgsql as $$
begin
  new.local_month := (select local_month from asset where id = new.asset_id);
  return new;
end $$;
create trigger album_asset_placed before insert on album_asset
  for each row execute function link_placed();

-- Copies the new months of assets to album_asset, tag_asset and face.
create function move_links(before asset[], after asset[]) returns void language plpgsql as $$
declare
  ids uuid[] := array(
    select id from (
      select id, local_month from unnest(before) union all select id, local_month from unnest(after)
    ) side group by id having min(local_month) <> max(local_month));
begin
  if cardinality(ids) = 0 then return; end if;
  update album_asset set local_month = asset.local_month from asset
  where asset_id = any(ids) and asset.id = asset_id;
  update tag_asset set local_month = asset.local_month from asset
  where asset_id = any(ids) and asset.id = asset_id;
  -- The triggers of face run for every statement, also for one without rows.
  if exists (select from face where asset_id = any(ids) and local_month is not null) then
    update face set local_month = asset.local_month from asset
    where asset_id = any(ids) and asset.id = asset_id and face.local_month is not null;
  end if;
end $$;

-- Additions to shared albums that their members have not been told of yet. Deleted when they are.
create table album_addition (
  id bigint generated always as identity primary key, -- identifier
  album_id uuid not null references album on delete cascade, -- album
  added_by uuid references app_user on delete cascade, -- account that added; null: through a shared link
  added_at timestamptz not null default now() -- album_asset.created_at of what was added
);
create index album_addition_album on album_addition (album_id);
create index album_addition_user on album_addition (added_by);

-- Counts of what an album shows, by owner of the assets and month of capture: deltas, folded by a job. Kept as a counter
-- because with 500,000 members of 2,000 albums counting takes 267 ms instead of 6 ms, and an album has the
-- months of several accounts. Added and
-- removed assets have separate extremes: if the extreme of the removed reaches that of the added, the album
-- is in doubt and its assets are read (album_sum.is_in_doubt). No foreign key: counting an asset would wait
-- for a concurrent deletion of one of its albums. The job drops rows of deleted albums.
create table album_count (
  album_id uuid not null, -- album
  owner_id uuid not null, -- owner of the assets
  local_month date not null, -- month of capture
  assets bigint not null, -- change of the number of assets
  first_at timestamp, -- earliest capture among added assets
  last_at timestamp, -- latest capture among added assets
  last_id uuid, -- asset of last_at
  modified_at timestamptz, -- latest change among added assets
  gone_first_at timestamp, -- earliest capture among removed assets
  gone_last_at timestamp, -- latest capture among removed assets
  gone_modified_at timestamptz -- latest change among removed assets
);
-- The sums of an album.
create index album_count_album on album_count (album_id);

-- Sum of album_count by album.
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

-- Rows of album_count computed from the assets of an album.
create function read_album(id uuid) returns setof album_count language sql stable as $$
  select album_asset.album_id, asset.owner_id, asset.local_month, count(*), min(asset.local_taken_at),
    max(asset.local_taken_at),
    (array_agg(asset.id order by asset.local_taken_at desc, asset.id desc))[1], max(asset.updated_at),
    null::timestamp, null::timestamp, null::timestamptz
  from album_asset join asset on asset.id = album_asset.asset_id
  where album_asset.album_id = read_album.id
    and is_listed(asset.visibility, asset.locked_at, asset.trashed_at)
  group by album_asset.album_id, asset.owner_id, asset.local_month
$$;

-- Keeps album_count when members change. Locks the assets, since their state decides whether they count.
create function album_asset_counted() returns trigger language plpgsql as $$
declare
  is_insert boolean := tg_op = 'INSERT';
  ids uuid[];
begin
  if not exists (select from touched join album on album.id = touched.album_id) then return null; end if;
  ids := array(select asset_id from touched);
  perform 1 from asset where id = any(ids) order by id for no key update;
  if is_insert then
    -- The asset was redated before the lock was taken.
    update album_asset set local_month = asset.local_month
    from touched join asset on asset.id = touched.asset_id
    where album_asset.album_id = touched.album_id and album_asset.asset_id = touched.asset_id
      and touched.local_month <> asset.local_month;
  end if;
  perform stamp_months(ids);
  insert into album_count
  select touched.album_id, asset.owner_id, asset.local_month,
    case when is_insert then count(*) else -count(*) end,
    min(asset.local_taken_at) filter (where is_insert),
    max(asset.local_taken_at) filter (where is_insert),
    case when is_insert
      then (array_agg(asset.id order by asset.local_taken_at desc, asset.id desc))[1] end,
    max(asset.updated_at) filter (where is_insert),
    min(asset.local_taken_at) filter (where not is_insert),
    max(asset.local_taken_at) filter (where not is_insert),
    max(asset.updated_at) filter (where not is_insert)
  from touched join asset on asset.id = touched.asset_id
  where is_listed(asset.visibility, asset.locked_at, asset.trashed_at)
  group by touched.album_id, asset.owner_id, asset.local_month;
  return null;
end $$;
call watch_rows('album_asset', 'insert, delete', 'album_asset_counted');

-- Keeps album_count when assets are updated.
create function count_changed_members(before asset[], after asset[]) returns void language plpgsql as $$
begin
  if not exists (
    select from unnest(after) item cross join lateral (
      select from album_asset where asset_id = item.id offset 0) member
  ) then return; end if;
  -- One pass over both sides, and a look into the index for each: the plan is made once, for one row
  -- or for a million.
  insert into album_count
  with side as (
    select id, owner_id, local_taken_at, updated_at, true as is_new from unnest(after)
    where is_listed(visibility, locked_at, trashed_at)
    union all
    select id, owner_id, local_taken_at, updated_at, false from unnest(before)
    where is_listed(visibility, locked_at, trashed_at)
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
end $$;

create function album_counts_dropped() returns trigger language plpgsql as $$
begin
  delete from album_count where album_id = any(array(select id from gone));
  return null;
end $$;
call watch_sides('album', 'delete', 'album_counts_dropped');

-- Shared links.
create table shared_link (
  id uuid primary key default gen_random_uuid(), -- identifier
  owner_id uuid not null references app_user on delete cascade, -- account that shares
  type text not null check (type in ('ALBUM', 'INDIVIDUAL')), -- an album, or chosen assets
  album_id uuid references album on delete cascade, -- shared album
  key bytea not null unique, -- secret of the address; not hashed, since the owner is shown the link again
  slug text unique, -- readable address
  password_hash text, -- argon2id
  description text, -- description
  expires_at timestamptz, -- expiry; null: never
  allow_upload boolean not null default false, -- guests may upload
  allow_download boolean not null default true, -- guests may download originals
  show_metadata boolean not null default true, -- guests see metadata
  created_at timestamptz not null default now(), -- creation
  check ((type = 'ALBUM') = (album_id is not null))
);
create index shared_link_owner on shared_link (owner_id);
create index shared_link_album on shared_link (album_id);

-- Assets of links of type INDIVIDUAL.
create table shared_link_asset (
  link_id uuid not null references shared_link on delete cascade, -- shared link
  asset_id uuid not null references asset on delete cascade, -- asset
  primary key (link_id, asset_id)
);
create index shared_link_asset_asset on shared_link_asset (asset_id);

-- Likes and comments in albums.
create table activity (
  id uuid primary key default gen_random_uuid(), -- identifier
  album_id uuid not null references album on delete cascade, -- album
  user_id uuid not null references app_user on delete cascade, -- author
  asset_id uuid references asset on delete cascade, -- asset; null: about the album
  kind text not null check (kind in ('like', 'comment')), -- kind
  comment text, -- text of a comment
  created_at timestamptz not null default now(), -- creation
  updated_at timestamptz not null default now(), -- last change
  check ((kind = 'comment') = (comment is not null))
);
create index activity_user on activity (user_id);
create index activity_album on activity (album_id, created_at);
create index activity_asset on activity (asset_id) where asset_id is not null;
create unique index activity_like on activity (album_id, user_id, asset_id) nulls not distinct
  where kind = 'like';
