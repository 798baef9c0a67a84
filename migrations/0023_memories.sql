-- Memories: pictures of the library that are worth another look, why, and what the owner did with them.

-- Memories of an account.
create table memory (
  id uuid primary key default gen_random_uuid(), -- identifier
  owner_id uuid not null references app_user on delete cascade, -- account
  type text not null
    check (type in ('on_this_day', 'person', 'pet', 'place', 'custom')), -- kind of the reason
  -- when a generated memory is shown and what it is about, as 'on_this_day 2026-11-21 2019-11-21': it is
  -- generated once, also after the owner has deleted it; null: created by the owner
  key text,
  data jsonb not null default '{}', -- as clients get it: the year of 'on_this_day', empty otherwise
  -- what a generated title needs beside the rows below: {"birthday": true}, {"city", "state", "country"}
  subject jsonb not null default '{}',
  person_id uuid references person on delete cascade, -- of type 'person': who it shows
  pet_id uuid references pet on delete cascade, -- of type 'pet': which it shows
  name text, -- title given by the owner; null: one is made in the language of the reader
  description text, -- text given by the owner
  memory_at timestamptz not null, -- date that it is about
  show_at timestamptz, -- shown from here on; null: at once
  hide_at timestamptz, -- shown until here; null: for ever
  seen_at timestamptz, -- when the owner opened it
  is_saved boolean not null default false, -- kept by the owner
  is_hidden boolean not null default false, -- turned down by the owner
  deleted_at timestamptz, -- deleted by the owner; the row is kept for a while
  created_at timestamptz not null default now(), -- creation
  updated_at timestamptz not null default now() -- last change
);
create unique index memory_key on memory (owner_id, key) where key is not null;
create index memory_owner on memory (owner_id, created_at desc, memory_at desc, id desc);
create index memory_person on memory (person_id) where person_id is not null;
create index memory_pet on memory (pet_id) where pet_id is not null;

-- Assets of memories.
create table memory_asset (
  memory_id uuid not null references memory on delete cascade, -- memory
  asset_id uuid not null references asset on delete cascade, -- asset
  position int not null, -- order
  primary key (memory_id, asset_id)
);
create index memory_asset_asset on memory_asset (asset_id);

-- Changes for copies of the library: see 0021_sync.sql. Copies hold memories of one type only, since the app
-- of Immich knows no other.

-- Logs memories with assets that move to Locked or come from there: copies never hold Locked members.
create function log_members_of_memories(asset_ids uuid[]) returns void language sql as $$
  insert into change (scope_id, kind, subject_id, other_id)
  with member as (
    select memory.owner_id, memory.id, memory_asset.asset_id
    from memory_asset join memory on memory.id = memory_asset.memory_id
    where memory_asset.asset_id = any(asset_ids) and memory.type = 'on_this_day'
  )
  select distinct owner_id, 'memory', id, null::uuid from member
  union all select owner_id, 'memory_asset', id, asset_id from member;
$$;

-- Logs memories with all their assets: a copy that lost sight of a memory dropped those too.
create function log_memories(ids uuid[]) returns void language sql as $$
  insert into change (scope_id, kind, subject_id, other_id)
  with logged as (
    select owner_id, id from memory where id = any(ids) and type = 'on_this_day'
  )
  select owner_id, 'memory', id, null::uuid from logged
  union all
  select logged.owner_id, 'memory_asset', logged.id, memory_asset.asset_id
  from logged join memory_asset on memory_asset.memory_id = logged.id;
$$;

-- Other memories are in no copy: only the library has changed.
create function memory_logged() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    perform log_libraries(array(select distinct owner_id from added where type <> 'on_this_day'));
    perform log_memories(array(select added.id from gone join added on added.id = gone.id
      where (added.is_hidden, added.deleted_at is null)
        is distinct from (gone.is_hidden, gone.deleted_at is null)));
    insert into change (scope_id, kind, subject_id)
    select added.owner_id, 'memory', added.id from gone join added on added.id = gone.id
    where added.type = 'on_this_day' and (added.is_hidden, added.deleted_at is null)
      is not distinct from (gone.is_hidden, gone.deleted_at is null);
    perform announce_to(array(select distinct owner_id from added), 'memory');
  else
    perform log_libraries(array(select distinct owner_id from touched where type <> 'on_this_day'));
    insert into change (scope_id, kind, subject_id)
    select owner_id, 'memory', id from touched
    where type = 'on_this_day'
      and exists (select from app_user where app_user.id = touched.owner_id);
    perform announce_to(array(select distinct owner_id from touched), 'memory');
  end if;
  return null;
end $$;
call watch_rows('memory', 'insert', 'memory_logged');
call watch_sides('memory', 'update', 'memory_logged');
call watch_rows('memory', 'delete', 'memory_logged');

-- An asset that is deleted takes its rows out of copies too; a memory of nothing is none.
create function memory_asset_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, other_id, is_open)
  select memory.owner_id, 'memory_asset', memory.id, asset.id, asset.locked_at is null
  from touched join memory on memory.id = touched.memory_id
  join asset on asset.id = touched.asset_id
  where memory.type = 'on_this_day'
  union all
  select distinct memory.owner_id, 'memory', memory.id, null::uuid, true
  from touched join memory on memory.id = touched.memory_id
  where memory.type = 'on_this_day';
  perform log_libraries(array(
    select distinct memory.owner_id from touched join memory on memory.id = touched.memory_id
    where memory.type <> 'on_this_day'));
  perform announce_to(array(
    select distinct memory.owner_id from touched join memory on memory.id = touched.memory_id), 'memory');
  return null;
end $$;
call watch_rows('memory_asset', 'insert, delete', 'memory_asset_logged');

-- Subjects that the owner wants to see less of: in force at once for memories that exist.
create table memory_rule (
  id uuid primary key default gen_random_uuid(), -- identifier
  owner_id uuid not null references app_user on delete cascade, -- account
  kind text not null check (kind in ('person', 'pet', 'date', 'memory-type')), -- which of the next is set
  person_id uuid references person on delete cascade, -- person
  pet_id uuid references pet on delete cascade, -- pet
  month_day text, -- day of every year, as '12-24'
  memory_type text
    check (memory_type in ('on_this_day', 'person', 'pet', 'place', 'custom')), -- type of memory
  created_at timestamptz not null default now(), -- creation
  constraint memory_rule_target check (
    num_nonnulls(person_id, pet_id, month_day, memory_type) = 1
    and case kind when 'person' then person_id is not null when 'pet' then pet_id is not null
      when 'date' then month_day is not null else memory_type is not null end)
);
create unique index memory_rule_once on memory_rule
  (owner_id, kind, (coalesce(person_id::text, pet_id::text, month_day, memory_type)));
create index memory_rule_person on memory_rule (person_id) where person_id is not null;
create index memory_rule_pet on memory_rule (pet_id) where pet_id is not null;

-- A rule may hide or show any memory of the account, and members of any.
create function memory_rule_logged() returns trigger language plpgsql as $$
begin
  perform log_libraries(array(select distinct owner_id from touched));
  perform log_memories(array(
    select memory.id from memory
    where memory.owner_id in (select touched.owner_id from touched
      where exists (select from app_user where app_user.id = touched.owner_id))));
  perform announce_to(array(select distinct owner_id from touched), 'memory');
  return null;
end $$;
call watch_rows('memory_rule', 'insert, delete', 'memory_rule_logged');

-- Last generation of memories, by account.
create table memory_generation (
  owner_id uuid primary key references app_user on delete cascade, -- account
  day date not null, -- local day that memories were generated for
  assets bigint not null, -- assets of the account then: many more since then start another generation
  generated_at timestamptz not null -- when it ended
);

-- Cached technical quality of pictures that were considered for a memory.
create table picture_quality (
  asset_id uuid primary key references asset on delete cascade, -- asset
  thumbnail_tag text not null, -- ETag of the thumbnail that was measured: a changed picture is measured again
  sharpness real not null, -- 0 (blurred) to 1
  exposure real not null -- 0 (black or burnt out) to 1
);

-- Exports of memories: an archive of originals, or a film.
create table memory_export (
  id uuid primary key default gen_random_uuid(), -- identifier; names the file
  owner_id uuid not null references app_user on delete cascade, -- account
  memory_id uuid not null references memory on delete cascade, -- memory
  kind text not null check (kind in ('archive', 'highlight-video')), -- format
  status text not null default 'queued' check (status in
    ('queued', 'running', 'cancelling', 'completed', 'failed', 'cancelled', 'expired')), -- state
  language text not null, -- language of titles and captions, as 'pt-BR'
  total int not null default 0, -- assets to process
  processed int not null default 0, -- assets processed so far
  skipped int not null default 0, -- assets that were not available any more
  file_name text, -- name offered to whoever downloads it
  planned_bytes bigint not null default 0, -- bytes that the file may take at most
  size bigint, -- bytes of the file
  library_asset_id uuid references asset on delete set null, -- the film as an asset, once it is saved to the library
  error text, -- why it failed
  created_at timestamptz not null default now(), -- creation
  started_at timestamptz, -- when a worker took it
  finished_at timestamptz, -- end, whatever it was
  expires_at timestamptz, -- when the file is deleted
  source_count int, -- assets that it is made of: see 0033_composites.sql; null: not known yet
  constraint memory_export_sources_known check (status <> 'completed' or source_count is not null)
);
create index memory_export_owner on memory_export (owner_id, created_at desc, id desc);
create index memory_export_memory on memory_export (memory_id);
create index memory_export_library on memory_export (library_asset_id)
  where library_asset_id is not null;
create unique index memory_export_active on memory_export (memory_id, kind)
  where status in ('queued', 'running', 'cancelling');
-- Exports whose time is over.
create index memory_export_expiry on memory_export (expires_at) where status = 'completed';
call watch_rows('memory_export', 'insert, update, delete', 'announced_to_owners', 'memory_export');
