-- What changed, for clients that keep a copy. A row says "look at this again", never what it became:
-- readers send what the account may see now, or that it is gone. Rows are only added; a job keeps the
-- newest of those that say the same, and drops what is older than the time after which clients start
-- over. Readers follow the transaction id up to the oldest transaction that still runs: a sequence
-- would skip what commits late.
create table change (
  -- Whose copy it belongs to: an account (and its partners), an album (and who may open it), or
  -- everybody.
  scope_id uuid not null,
  xid xid8 not null default pg_current_xact_id(),
  id bigint generated always as identity,
  -- 'shown': an asset that appeared, or moved between Timeline, archive, Locked and trash. Everything
  -- about it is sent again, because clients that lost sight of it forgot that too.
  kind text not null check (kind in ('asset', 'shown', 'exif', 'metadata', 'edit', 'stack', 'partner',
    'user', 'album', 'album_user', 'album_asset')),
  subject_id uuid not null,
  other_id uuid,
  key text,
  -- Outside Locked, and on the Timeline, before or after: whoever never saw it is not told that it went.
  is_open boolean not null default true,
  is_shared boolean not null default true,
  primary key (scope_id, xid, id)
);

-- When which transactions were over: what a row of the log does not carry itself.
create table change_mark (
  taken_at timestamptz primary key default now(),
  xid xid8 not null
);

create table change_log (
  only_row boolean primary key default true check (only_row),
  -- Transaction ids mean something only within one database of one cluster.
  epoch text not null default '',
  -- Copies that stand before this missed something, and start over.
  dropped_before xid8 not null default '0'
);
insert into change_log default values;

create table sync_checkpoint (
  session_id uuid not null references session on delete cascade,
  entity_type text not null,
  ack text,
  -- Whether the copy may hold what is Locked: set before the first line of it is sent.
  locked text not null default 'none' check (locked in ('none', 'some', 'all')),
  updated_at timestamptz not null default now(),
  primary key (session_id, entity_type)
);

-- From when on an account sees what others have: copies are completed in this order.
alter table partner add column since xid8 not null default pg_current_xact_id();
alter table album add column since xid8 not null default pg_current_xact_id();
alter table album_user add column since xid8 not null default pg_current_xact_id();

create function everybody() returns uuid language sql immutable parallel safe as
  $$ select '00000000-0000-0000-0000-000000000000'::uuid $$;

-- What an album shows of its members.
create function is_on_shelf(visibility text, locked_at timestamptz, trashed_at timestamptz)
  returns boolean language sql immutable parallel safe as
  $$ select visibility in ('timeline', 'archive') and locked_at is null and trashed_at is null $$;

-- Edits have no id of their own; clients want one that stays.
create function edit_id(asset_id uuid, "position" int) returns uuid
  language sql immutable parallel safe as $$
  select overlay(overlay(md5(asset_id::text || '/' || "position") placing '4' from 13)
    placing 'a' from 17)::uuid $$;

-- One pass over both sides instead of a join: the plan is made once, for one row or for a million.
create function asset_logged() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into change (scope_id, kind, subject_id, is_open, is_shared)
    select owner_id, 'shown', id, locked_at is null, is_on_timeline(visibility, locked_at, trashed_at)
    from added;
    return null;
  elsif tg_op = 'DELETE' then
    insert into change (scope_id, kind, subject_id, is_open, is_shared)
    select owner_id, 'shown', id, locked_at is null, is_on_timeline(visibility, locked_at, trashed_at)
    from gone where exists (select from app_user where app_user.id = gone.owner_id);
    return null;
  end if;
  insert into change (scope_id, kind, subject_id, is_open, is_shared)
  with side as (
    select id, owner_id, locked_at is null as is_open,
      is_on_timeline(visibility, locked_at, trashed_at) as is_shared,
      is_on_shelf(visibility, locked_at, trashed_at) as is_member,
      hash_record_extended((owner_id, type, sha1, file_name, visibility, locked_at, trashed_at,
        is_favorite, stack_id, live_video_id, taken_at, local_taken_at, file_modified_at, width,
        height, duration_ms, thumbhash, created_at, file_size), 0) as content
    from gone
    union all
    select id, owner_id, locked_at is null,
      is_on_timeline(visibility, locked_at, trashed_at),
      is_on_shelf(visibility, locked_at, trashed_at),
      hash_record_extended((owner_id, type, sha1, file_name, visibility, locked_at, trashed_at,
        is_favorite, stack_id, live_video_id, taken_at, local_taken_at, file_modified_at, width,
        height, duration_ms, thumbhash, created_at, file_size), 0)
    from added
  ), changed as materialized (
    select id, owner_id, bool_or(is_open) as is_open, bool_or(is_shared) as is_shared,
      bool_or(is_member) as is_member,
      bool_or(is_open) <> bool_and(is_open) or bool_or(is_shared) <> bool_and(is_shared)
        or bool_or(is_member) <> bool_and(is_member) as is_moved
    from side group by id, owner_id having min(content) <> max(content)
  )
  select owner_id, case when is_moved then 'shown' else 'asset' end, id, is_open, is_shared
  from changed
  union all
  select album_asset.album_id, case when is_moved then 'album_asset' else 'asset' end, changed.id,
    is_open, is_shared
  from changed join album_asset on album_asset.asset_id = changed.id where is_member
  union all
  select changed.owner_id, 'stack', stack.id, is_open, is_shared
  from changed join stack on stack.primary_id = changed.id where is_moved;
  return null;
end $$;
create trigger asset_logged_insert after insert on asset
  referencing new table as added for each statement execute function asset_logged();
create trigger asset_logged_update after update on asset
  referencing old table as gone new table as added for each statement execute function asset_logged();
create trigger asset_logged_delete after delete on asset
  referencing old table as gone for each statement execute function asset_logged();

create function asset_exif_logged() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into change (scope_id, kind, subject_id)
    with changed as materialized (select asset_id from added)
    select asset.owner_id, 'exif', asset.id from changed join asset on asset.id = changed.asset_id
    union all
    select album_asset.album_id, 'exif', album_asset.asset_id
    from changed join album_asset on album_asset.asset_id = changed.asset_id;
  else
    insert into change (scope_id, kind, subject_id)
    with changed as materialized (
      select asset_id from (
        select asset_id, hash_record_extended(gone, 0) as content from gone
        union all select asset_id, hash_record_extended(added, 0) from added
      ) side group by asset_id having min(content) <> max(content)
    )
    select asset.owner_id, 'exif', asset.id from changed join asset on asset.id = changed.asset_id
    union all
    select album_asset.album_id, 'exif', album_asset.asset_id
    from changed join album_asset on album_asset.asset_id = changed.asset_id;
  end if;
  return null;
end $$;
create trigger asset_exif_logged_insert after insert on asset_exif
  referencing new table as added for each statement execute function asset_exif_logged();
create trigger asset_exif_logged_update after update on asset_exif
  referencing old table as gone new table as added for each statement
  execute function asset_exif_logged();

create function asset_metadata_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, key, is_open)
  select asset.owner_id, 'metadata', asset.id, touched.key, asset.locked_at is null
  from touched join asset on asset.id = touched.asset_id;
  return null;
end $$;
create trigger asset_metadata_logged_insert after insert on asset_metadata
  referencing new table as touched for each statement execute function asset_metadata_logged();
create trigger asset_metadata_logged_update after update on asset_metadata
  referencing new table as touched for each statement execute function asset_metadata_logged();
create trigger asset_metadata_logged_delete after delete on asset_metadata
  referencing old table as touched for each statement execute function asset_metadata_logged();

-- The asset too: it says whether it is edited.
create function asset_edit_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, other_id, is_open, is_shared)
  with changed as materialized (
    select asset.owner_id, asset.id, touched."position", asset.locked_at is null as is_open,
      is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at) as is_shared
    from touched join asset on asset.id = touched.asset_id
  )
  select owner_id, 'edit', id, edit_id(id, "position"), is_open, is_shared from changed
  union all
  select distinct owner_id, 'asset', id, null::uuid, is_open, is_shared from changed
  union all
  select distinct album_asset.album_id, 'asset', id, null::uuid, is_open, is_shared
  from changed join album_asset on album_asset.asset_id = changed.id;
  return null;
end $$;
create trigger asset_edit_logged_insert after insert on asset_edit
  referencing new table as touched for each statement execute function asset_edit_logged();
create trigger asset_edit_logged_update after update on asset_edit
  referencing new table as touched for each statement execute function asset_edit_logged();
create trigger asset_edit_logged_delete after delete on asset_edit
  referencing old table as touched for each statement execute function asset_edit_logged();

create function stack_logged() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into change (scope_id, kind, subject_id, is_open, is_shared)
    select side.owner_id, 'stack', side.id, bool_or(coalesce(asset.locked_at is null, true)),
      bool_or(coalesce(is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at), true))
    from (select id, owner_id, primary_id from gone
      union all select id, owner_id, primary_id from added) side
    left join asset on asset.id = side.primary_id
    group by side.owner_id, side.id;
  else
    insert into change (scope_id, kind, subject_id, is_open, is_shared)
    select touched.owner_id, 'stack', touched.id, coalesce(asset.locked_at is null, true),
      coalesce(is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at), true)
    from touched left join asset on asset.id = touched.primary_id
    where exists (select from app_user where app_user.id = touched.owner_id);
  end if;
  return null;
end $$;
create trigger stack_logged_insert after insert on stack
  referencing new table as touched for each statement execute function stack_logged();
create trigger stack_logged_update after update on stack
  referencing old table as gone new table as added for each statement execute function stack_logged();
create trigger stack_logged_delete after delete on stack
  referencing old table as touched for each statement execute function stack_logged();
