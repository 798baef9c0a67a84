-- Originals, assets, their metadata, derived files and edits.

-- Content of uploaded files, shared by all assets with the same bytes. The path in the data folder is
-- derived from the hash.
create table original (
  sha256 bytea primary key check (length(sha256) = 32), -- SHA-256 of the content
  size bigint not null check (size >= 0), -- bytes
  missing_at timestamptz, -- last check found no file, or one with other content
  path text, -- file of an external library that has the content; null: it is in our store
  created_at timestamptz not null default now() -- first upload
);
-- Originals that a check has not found.
create index original_missing on original (sha256) where missing_at is not null;

-- Size of the library, one row a day.
create table library_size (
  day date primary key, -- UTC
  bytes bigint not null -- originals and derived files
);

-- Photos and videos.
create table asset (
  id uuid primary key default gen_random_uuid(), -- identifier
  owner_id uuid not null references app_user on delete cascade, -- account that it belongs to
  type text not null check (type in ('IMAGE', 'VIDEO', 'AUDIO', 'OTHER')), -- Immich's asset type
  sha256 bytea not null references original, -- content
  sha1 bytea not null check (length(sha1) = 20), -- Immich's checksum
  file_name text not null, -- name of the uploaded file
  file_size bigint not null, -- bytes
  -- where it is listed; locking and trashing leave it as it is, so that both can be undone
  visibility text not null default 'timeline' check (visibility in ('timeline', 'archive', 'hidden')),
  locked_at timestamptz, -- moved to Locked
  trashed_at timestamptz, -- moved to the trash
  is_favorite boolean not null default false, -- favourite
  is_stack_child boolean not null default false, -- in a stack, and not its top item
  live_video_id uuid references asset on delete set null, -- video part of a live photo
  taken_at timestamptz not null, -- instant of capture
  local_taken_at timestamp not null, -- wall-clock time at the place of capture
  local_day date not null generated always as (local_taken_at::date) stored, -- day of capture
  -- first day of the month of capture: the Timeline's bucket
  local_month date not null generated always as (date_trunc('month', local_taken_at)::date) stored,
  file_modified_at timestamptz not null, -- modification time of the uploaded file
  width int, -- pixels, as displayed
  height int, -- pixels, as displayed
  duration_ms int, -- length of a video
  thumbhash bytea, -- blurred preview (ThumbHash)
  broken_reason text, -- why the file could not be read; not retried automatically
  damage text, -- why a part of the file is not shown; null: it is whole, as far as can be told
  metadata_read_at timestamptz, -- last metadata extraction
  created_at timestamptz not null default now(), -- upload
  updated_at timestamptz not null default now(), -- last change
  stack_id uuid, -- stack that it is in
  -- incremented when visibility, locked_at, trashed_at or is_favorite changes: an undo skips items that
  -- have changed since
  state_revision int not null default 0,
  upload_link_id uuid, -- shared link of the guest who uploaded it; kept after the link is deleted
  uploaded_from text, -- device that uploaded it, as 'iPhone iOS', or the name of the API key
  library_id uuid, -- external library that it is in; null: uploaded
  folder text, -- folder of its file in that library: absolute, without a slash at the end
  offline_at timestamptz, -- its file in that library is gone
  -- in an external library, or uploaded by a guest although the owner has the same content: not found by its checksum; takes the
  -- place of the asset that is, when that one is deleted
  is_copy boolean not null default false,
  -- visibility that the video part of a live photo had as an item of its own, and gets back when the still
  -- is deleted; null: deleted with the still
  standalone_visibility text check (standalone_visibility in ('timeline', 'archive')),
  -- A child without a stack would not be listed anywhere.
  constraint asset_stack_child check (not is_stack_child or stack_id is not null)
);
-- The checksum of an upload, once in an account.
create unique index asset_checksum on asset (owner_id, sha1) where not is_copy;
-- The same of copies, which may share it.
create index asset_copy on asset (owner_id, sha1) where is_copy;
-- The items of an external library, their number and size.
create index asset_library on asset (library_id, id) include (type, file_size) where library_id is not null;
-- The folders of external libraries, and the items of one.
create index asset_folder on asset (owner_id, folder, file_name, id) where library_id is not null;
-- Owners of a content; and all hashes of an account in order.
create index asset_original on asset (sha256, owner_id);
-- The search for damaged files.
create index asset_damaged on asset (owner_id) where damage is not null;
-- The still of a video.
create index asset_live_video on asset (live_video_id) where live_video_id is not null;
-- The members of a stack.
create index asset_stack on asset (stack_id) where stack_id is not null;
-- A bucket of the Timeline is one range, newest first.
create index asset_timeline on asset (owner_id, local_month, local_taken_at desc, id desc)
  where visibility = 'timeline' and locked_at is null and trashed_at is null;
-- A bucket of the archive.
create index asset_archive on asset (owner_id, local_month, local_taken_at desc, id desc)
  where visibility = 'archive' and locked_at is null and trashed_at is null;
-- A bucket of favorites.
create index asset_favorite on asset (owner_id, local_month, local_taken_at desc, id desc)
  where is_favorite and locked_at is null and trashed_at is null;
-- The Locked folder.
create index asset_locked on asset (owner_id, local_taken_at desc, id desc) where locked_at is not null;
-- The trash in each of its orders. Video parts of live photos follow their still and are not listed.
create index asset_trash on asset (owner_id, trashed_at desc, id desc) include (locked_at)
  where visibility in ('timeline', 'archive') and trashed_at is not null;
create index asset_trash_taken on asset (owner_id, local_taken_at desc, id desc) include (locked_at)
  where visibility in ('timeline', 'archive') and trashed_at is not null;
create index asset_trash_size on asset (owner_id, file_size desc, id desc) include (locked_at)
  where visibility in ('timeline', 'archive') and trashed_at is not null;
create index asset_trash_name on asset (owner_id, lower(file_name), id)
  include (locked_at, file_name)
  where visibility in ('timeline', 'archive') and trashed_at is not null;
-- Search pages in the order of capture; the Timeline alone without reading past archived items.
create index asset_taken on asset (owner_id, taken_at desc, id desc) where locked_at is null;
create index asset_timeline_taken on asset (owner_id, taken_at desc, id desc)
  where visibility = 'timeline' and locked_at is null and trashed_at is null;
-- Videos and recordings of the Timeline, in the order of capture.
create index asset_type on asset (owner_id, type, taken_at desc, id desc)
  where type <> 'IMAGE' and visibility = 'timeline' and locked_at is null and trashed_at is null;
-- Large assets.
create index asset_size on asset (owner_id, file_size desc, id desc)
  where visibility = 'timeline' and locked_at is null and trashed_at is null;
-- The newest uploads; pages of a workflow for existing items.
create index asset_created on asset (owner_id, created_at desc, id desc);
-- The search for a part of a file name.
create index asset_file_name on asset using gin (file_name gin_trgm_ops);
-- The few members of an album that it does not show.
create index asset_unlisted on asset (id)
  where visibility = 'hidden' or locked_at is not null or trashed_at is not null;

-- Whether the Timeline lists an asset.
create function is_on_timeline(visibility text, locked_at timestamptz, trashed_at timestamptz)
  returns boolean language sql immutable parallel safe as
  $$ select visibility = 'timeline' and locked_at is null and trashed_at is null $$;

-- Whether the Timeline or the archive lists an asset, and albums show it.
create function is_listed(visibility text, locked_at timestamptz, trashed_at timestamptz)
  returns boolean language sql immutable parallel safe as
  $$ select visibility in ('timeline', 'archive') and locked_at is null and trashed_at is null $$;

-- Call a trigger function once for each statement that inserts, updates or deletes rows of a table: with the
-- rows as `touched` (before they were deleted, after all else), or with both sides, as `gone` and `added`.
create procedure watch_rows(watched regclass, events text, called text, argument text default '')
  language plpgsql as $$
declare
  event text;
begin
  foreach event in array string_to_array(events, ', ') loop
    execute format('create trigger %I after %s on %s referencing %s table as touched
      for each statement execute function %I(%L)', called || '_' || event, event, watched,
      case event when 'delete' then 'old' else 'new' end, called, argument);
  end loop;
end $$;

create procedure watch_sides(watched regclass, events text, called text) language plpgsql as $$
declare
  event text;
begin
  foreach event in array string_to_array(events, ', ') loop
    execute format('create trigger %I after %s on %s referencing %s for each statement
      execute function %I()', called || '_' || event, event, watched,
      concat_ws(' ', case when event <> 'insert' then 'old table as gone' end,
        case when event <> 'delete' then 'new table as added' end), called);
  end loop;
end $$;

-- Counts changes of the state, and puts an asset that has left its stack in the list.
create function asset_revised() returns trigger language plpgsql as $$
begin
  if new.visibility <> old.visibility or new.is_favorite <> old.is_favorite
    or new.locked_at is distinct from old.locked_at
    or new.trashed_at is distinct from old.trashed_at then
    new.state_revision := old.state_revision + 1;
  end if;
  if new.stack_id is null and old.stack_id is not null then
    new.is_stack_child := false;
    new.updated_at := greatest(new.updated_at, now());
  end if;
  return new;
end $$;
create trigger asset_revised before update on asset for each row
  when (old.visibility <> new.visibility or old.is_favorite <> new.is_favorite
    or old.locked_at is distinct from new.locked_at
    or old.trashed_at is distinct from new.trashed_at
    or (new.stack_id is null and old.stack_id is not null))
  execute function asset_revised();

-- Consequences of changed assets, once for a whole statement. The functions are beside the tables that
-- they keep; each reads all rows of the statement in one pass over both sides, `before` and `after`, instead
-- of a join: one plan serves one row and a million. Plans are forced to be generic, or PostgreSQL would make
-- most of them anew for the arrays of each call: that doubles what the metadata of a photo costs. A row of a
-- transition table is a record, which becomes an asset by way of text, 20 times slower, unless its columns
-- are named: row(gone.*).
create function asset_inserted() returns trigger language plpgsql
  set plan_cache_mode = force_generic_plan as $$
declare
  after asset[] := array(select row(added.*)::asset from added);
begin
  if cardinality(after) = 0 then return null; end if;
  perform count_assets('{}', after);
  perform log_inserted_assets(after);
  insert into asset_text_change (asset_id) select id from added;
  return null;
end $$;
call watch_sides('asset', 'insert', 'asset_inserted');

-- An update of one row mostly concerns a few of the functions; the others are not called.
create function asset_updated() returns trigger language plpgsql
  set plan_cache_mode = force_generic_plan as $$
declare
  before asset[] := array(select row(gone.*)::asset from gone);
  after asset[] := array(select row(added.*)::asset from added);
  is_moved boolean; -- between lists
  is_redated boolean;
  is_locked boolean; -- before or after
  is_stacked boolean; -- before or after
begin
  select bool_or(min_place <> max_place), bool_or(min_date <> max_date), bool_or(locked), bool_or(stacked)
  into is_moved, is_redated, is_locked, is_stacked
  from (
    select min(place) as min_place, max(place) as max_place, min(date) as min_date,
      max(date) as max_date, bool_or(locked) as locked, bool_or(stacked) as stacked
    from (
      select id, hash_record_extended(
          (owner_id, visibility, locked_at is null, trashed_at is null), 0) as place,
        hash_record_extended((taken_at, local_taken_at), 0) as date,
        locked_at is not null as locked, stack_id is not null as stacked
      from gone
      union all
      select id, hash_record_extended(
          (owner_id, visibility, locked_at is null, trashed_at is null), 0),
        hash_record_extended((taken_at, local_taken_at), 0),
        locked_at is not null, stack_id is not null
      from added
    ) side group by id
  ) pair;
  if is_moved is null then return null; end if;
  if is_redated then perform move_links(before, after); end if;
  perform count_assets(before, after);
  if is_moved then
    perform count_moved_assets(before, after);
    perform withdraw_composites_of(array(
      select id from added where locked_at is not null or trashed_at is not null));
  end if;
  perform count_changed_members(before, after);
  if is_moved or is_redated then perform move_documents(before, after); end if;
  perform log_updated_assets(before, after);
  if is_locked then perform log_moved_people(before, after); end if;
  perform announce_updated_assets(before, after);
  -- Last: it updates members of stacks, which are then counted by themselves.
  if is_stacked then perform settle_stacks_of(before, after); end if;
  return null;
end $$;
call watch_sides('asset', 'update', 'asset_updated');

-- Links and faces were deleted before (see src/areas/trash/removal); the rest goes by foreign keys.
create function asset_deleted() returns trigger language plpgsql
  set plan_cache_mode = force_generic_plan as $$
declare
  before asset[] := array(select row(gone.*)::asset from gone);
begin
  if cardinality(before) = 0 then return null; end if;
  perform count_assets(before, '{}');
  perform log_deleted_assets(before);
  perform announce_deleted_assets(before);
  perform withdraw_composites_of(array(select id from gone));
  if exists (select from gone where stack_id is not null) then
    perform settle_stacks_of(before, '{}');
  end if;
  return null;
end $$;
call watch_sides('asset', 'delete', 'asset_deleted');

-- Metadata of the file, and what the owner changed of it.
create table asset_exif (
  asset_id uuid primary key references asset on delete cascade, -- asset
  make text, -- camera maker
  model text, -- camera model
  lens_model text, -- lens
  f_number double precision, -- aperture
  focal_length double precision, -- millimetres
  iso int, -- sensitivity
  exposure_time text, -- seconds, as '1/250'
  fps double precision, -- frames per second
  codec text, -- video codec
  exif_width int, -- pixels, as stored
  exif_height int, -- pixels, as stored
  orientation text, -- EXIF orientation, 1 to 8
  date_time_original timestamptz, -- date of capture
  modify_date timestamptz, -- date of the last edit by a camera or program
  time_zone text, -- zone of the place of capture
  date_source text, -- tag that the date was read from; 'Export', 'FileName', 'FileModified': no tag
  latitude double precision check (latitude between -90 and 90), -- degrees
  longitude double precision check (longitude between -180 and 180), -- degrees
  city text, -- nearest city
  state text, -- state or region
  country text, -- country
  description text not null default '', -- caption
  rating smallint check (rating between -1 and 5), -- stars; -1: rejected
  projection_type text, -- of a panorama: 'EQUIRECTANGULAR'
  profile_description text, -- name of the ICC profile
  colorspace text, -- EXIF colour space
  bits_per_sample int, -- bits per channel
  live_photo_cid text, -- Apple's ContentIdentifier: equal in the still and the video of a live photo
  burst_id text, -- burst that the photo belongs to
  edited_fields text[] not null default '{}' -- columns set by the owner: extraction leaves them alone
);
-- The other half of a Live Photo that comes in two files.
create index asset_exif_live_photo on asset_exif (live_photo_cid) where live_photo_cid is not null;
-- Filters of the search: places, cameras, lenses, stars.
create index asset_exif_city on asset_exif (country, state, city) where city is not null;
-- Search by one of these.
create index asset_exif_city_name on asset_exif (city) where city is not null;
create index asset_exif_state on asset_exif (state) where state is not null;
create index asset_exif_make on asset_exif (make) where make is not null;
create index asset_exif_model on asset_exif (model) where model is not null;
create index asset_exif_lens on asset_exif (lens_model) where lens_model is not null;
create index asset_exif_rating on asset_exif (rating, asset_id) where rating <> 0;
-- The search for a part of a description.
create index asset_exif_description on asset_exif using gin (description gin_trgm_ops);
-- Items within a part of the map.
create index asset_exif_position on asset_exif using gist (point(longitude, latitude))
  where latitude is not null and longitude is not null;

-- Consequences of changed metadata. Locks the assets: what counts depends on their state, and which month
-- has another version on their date.
create function asset_exif_changed() returns trigger language plpgsql
  set plan_cache_mode = force_generic_plan as $$
declare
  before asset_exif[] := '{}';
  after asset_exif[] := '{}';
  counted uuid[];
begin
  if tg_op = 'DELETE' then
    -- Deleted with its asset, which is counted by itself.
    if not exists (select from gone join asset on asset.id = gone.asset_id) then return null; end if;
  end if;
  if tg_op <> 'INSERT' then before := array(select row(gone.*)::asset_exif from gone); end if;
  if tg_op <> 'DELETE' then after := array(select row(added.*)::asset_exif from added); end if;
  counted := array(
    select asset_id from (
      select asset_id, 1 as sign, hash_record_extended((country, state, city, make, model, lens_model,
        rating, latitude, longitude, projection_type), 0) as content
      from unnest(after) where num_nonnulls(country, state, city, make, model, lens_model, rating,
        latitude, longitude, projection_type) > 0
      union all
      select asset_id, -1, hash_record_extended((country, state, city, make, model, lens_model,
        rating, latitude, longitude, projection_type), 0)
      from unnest(before) where num_nonnulls(country, state, city, make, model, lens_model, rating,
        latitude, longitude, projection_type) > 0
    ) side group by asset_id, content having sum(sign) <> 0);
  if cardinality(counted) > 0 then
    perform 1 from asset where id = any(counted) order by id for no key update;
    perform stamp_months(counted);
    perform count_positions(before, after);
  end if;
  if tg_op <> 'DELETE' then
    perform log_exif(before, after);
    perform queue_exif_text(before, after);
  end if;
  return null;
end $$;
call watch_sides('asset_exif', 'insert, update, delete', 'asset_exif_changed');

-- Values that the export of another service has for an asset, used where its file has none.
create table asset_supplement (
  asset_id uuid primary key references asset on delete cascade, -- asset
  taken_at timestamptz, -- time of capture
  description text, -- caption
  latitude double precision check (latitude between -90 and 90), -- degrees
  longitude double precision check (longitude between -180 and 180), -- degrees
  check ((latitude is null) = (longitude is null))
);

-- Derived files and the uploaded sidecar.
create table asset_file (
  asset_id uuid not null references asset on delete cascade, -- asset
  -- 'bare_video': a video or sound without metadata, for viewers from whom places are withheld
  kind text not null check (kind in ('thumbnail', 'preview', 'fullsize', 'encoded_video', 'bare_video',
    'sidecar', 'edited_thumbnail', 'edited_preview', 'edited_fullsize')),
  name text not null, -- path in the derived folder
  mime_type text not null, -- media type
  size bigint not null, -- bytes
  tag text not null, -- ETag: changes with every rendering
  created_at timestamptz not null default now(), -- rendering
  primary key (asset_id, kind)
);

-- Key-value metadata that clients store with an asset.
create table asset_metadata (
  asset_id uuid not null references asset on delete cascade, -- asset
  key text not null, -- key
  value jsonb not null, -- value
  updated_at timestamptz not null default now(), -- last change
  primary key (asset_id, key)
);

-- Edits of the owner, applied in order.
create table asset_edit (
  asset_id uuid not null references asset on delete cascade, -- asset
  position int not null, -- order
  action text not null check (action in ('crop', 'rotate', 'mirror')), -- kind of edit
  parameters jsonb not null, -- Immich's parameters of the action
  primary key (asset_id, position)
);

-- Size and preview of the original of an edited asset; the row in asset describes the edited picture.
create table asset_unedited (
  asset_id uuid primary key references asset on delete cascade, -- asset
  width int not null, -- pixels; edits refer to this size
  height int not null, -- pixels
  thumbhash bytea -- blurred preview (ThumbHash)
);

-- Revision of the picture: changes with the original, its orientation and its edits, and nothing else.
create function picture_revision(of_asset uuid) returns text language sql stable as $$
  select md5(concat_ws('/', encode(asset.sha256, 'hex'), coalesce(exif.orientation, '1'),
    (select string_agg(concat_ws(' ', edit.action, edit.parameters::text), ',' order by edit.position)
      from asset_edit edit where edit.asset_id = asset.id)))
  from asset left join asset_exif exif on exif.asset_id = asset.id
  where asset.id = of_asset
$$;
