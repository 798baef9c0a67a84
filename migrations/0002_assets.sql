-- The bytes of a file, shared by every asset that has them. Its place in the data folder follows
-- from the hash.
create table original (
  sha256 bytea primary key check (length(sha256) = 32),
  size bigint not null check (size >= 0),
  -- The last check found no file.
  missing_at timestamptz,
  created_at timestamptz not null default now()
);

create table asset (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references app_user on delete cascade,
  type text not null check (type in ('IMAGE', 'VIDEO', 'AUDIO', 'OTHER')),
  sha256 bytea not null references original,
  -- What clients call the checksum.
  sha1 bytea not null check (length(sha1) = 20),
  file_name text not null,
  file_size bigint not null,
  -- Where the item lives. Locking and trashing do not touch it, so both can be undone exactly.
  visibility text not null default 'timeline' check (visibility in ('timeline', 'archive', 'hidden')),
  locked_at timestamptz,
  trashed_at timestamptz,
  is_favorite boolean not null default false,
  -- In a stack, and not the one that stands for it.
  is_stack_child boolean not null default false,
  live_video_id uuid references asset on delete set null,
  -- The instant of capture, and what the clock at that place showed.
  taken_at timestamptz not null,
  local_taken_at timestamp not null,
  local_day date not null generated always as (local_taken_at::date) stored,
  local_month date not null generated always as (date_trunc('month', local_taken_at)::date) stored,
  file_modified_at timestamptz not null,
  -- As displayed, orientation applied.
  width int,
  height int,
  duration_ms int,
  thumbhash bytea,
  -- Set when the file turned out to be unreadable: shown as such, not tried again by itself.
  broken_reason text,
  metadata_read_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (owner_id, sha1)
);
-- Who has these bytes; and, read in order, the hashes of everything that an account has.
create index asset_original on asset (sha256, owner_id);
create index asset_live_video on asset (live_video_id) where live_video_id is not null;
-- A bucket of the Timeline is one range of this, newest first.
create index asset_timeline on asset (owner_id, local_month, local_taken_at desc, id desc)
  where visibility = 'timeline' and locked_at is null and trashed_at is null;
create index asset_archive on asset (owner_id, local_month, local_taken_at desc, id desc)
  where visibility = 'archive' and locked_at is null and trashed_at is null;
create index asset_favorite on asset (owner_id, local_month, local_taken_at desc, id desc)
  where is_favorite and locked_at is null and trashed_at is null;
create index asset_locked on asset (owner_id, local_taken_at desc, id desc) where locked_at is not null;
-- The trash in each order in which it is listed. The video half of a live photo is in none of them: it
-- follows its still.
create index asset_trash on asset (owner_id, trashed_at desc, id desc) include (locked_at)
  where visibility in ('timeline', 'archive') and trashed_at is not null;
create index asset_trash_taken on asset (owner_id, local_taken_at desc, id desc) include (locked_at)
  where visibility in ('timeline', 'archive') and trashed_at is not null;
create index asset_trash_size on asset (owner_id, file_size desc, id desc) include (locked_at)
  where visibility in ('timeline', 'archive') and trashed_at is not null;
create index asset_trash_name on asset (owner_id, lower(file_name), id)
  include (locked_at, file_name)
  where visibility in ('timeline', 'archive') and trashed_at is not null;
-- Search pages in the order of the instant of capture.
create index asset_taken on asset (owner_id, taken_at desc, id desc) where locked_at is null;
create index asset_created on asset (owner_id, created_at desc, id desc);
create index asset_file_name on asset using gin (file_name gin_trgm_ops);

create table asset_exif (
  asset_id uuid primary key references asset on delete cascade,
  make text,
  model text,
  lens_model text,
  f_number double precision,
  focal_length double precision,
  iso int,
  exposure_time text,
  fps double precision,
  codec text,
  exif_width int,
  exif_height int,
  orientation text,
  date_time_original timestamptz,
  modify_date timestamptz,
  time_zone text,
  -- Which tag the date came from.
  date_source text,
  latitude double precision check (latitude between -90 and 90),
  longitude double precision check (longitude between -180 and 180),
  city text,
  state text,
  country text,
  description text not null default '',
  rating smallint check (rating between -1 and 5),
  projection_type text,
  profile_description text,
  colorspace text,
  bits_per_sample int,
  -- Apple's ContentIdentifier: the still and the video of a live photo carry the same one.
  live_photo_cid text,
  burst_id text,
  -- Fields the owner set by hand: reading the file again leaves them alone.
  edited_fields text[] not null default '{}'
);
create index asset_exif_live_photo on asset_exif (live_photo_cid) where live_photo_cid is not null;
create index asset_exif_city on asset_exif (country, state, city) where city is not null;

-- Files made from the original (and the uploaded sidecar). `name` is relative to the derived folder.
create table asset_file (
  asset_id uuid not null references asset on delete cascade,
  kind text not null check (kind in ('thumbnail', 'preview', 'fullsize', 'encoded_video', 'sidecar',
    'edited_thumbnail', 'edited_preview', 'edited_fullsize')),
  name text not null,
  mime_type text not null,
  size bigint not null,
  -- Changes with every rendering: the ETag.
  tag text not null,
  created_at timestamptz not null default now(),
  primary key (asset_id, kind)
);

create table asset_metadata (
  asset_id uuid not null references asset on delete cascade,
  key text not null,
  value jsonb not null,
  updated_at timestamptz not null default now(),
  primary key (asset_id, key)
);

-- How many assets there are of each sort. Rows are added, never changed: the truth is their sum, so
-- two uploads at once do not wait for each other. A job folds them together. The exclusive or of
-- `stamp` over a range of rows changes with every change of an asset in it: a version that needs no
-- counter, and that folding keeps.
create table asset_count (
  owner_id uuid not null,
  local_month date not null,
  type text not null,
  visibility text not null,
  is_locked boolean not null,
  is_trashed boolean not null,
  is_favorite boolean not null,
  is_stack_child boolean not null,
  assets bigint not null,
  bytes bigint not null,
  stamp bigint not null,
  -- The exclusive or of bits of the hash of each asset that came or went. Over all rows of an owner it
  -- says which originals there are, whatever happened to them otherwise.
  contents bigint not null default 0
);
create index asset_count_owner on asset_count (owner_id, local_month);

-- How many shown assets there are by day: of upload, in UTC, and of capture, where it was. Delta rows
-- as those of asset_count.
create table asset_day_count (
  owner_id uuid not null,
  kind text not null check (kind in ('upload', 'taken')),
  day date not null,
  assets bigint not null
);
create index asset_day_count_owner on asset_day_count (owner_id, kind, day) include (assets);

create function hash_bits(hash bytea) returns bigint language sql immutable parallel safe as
  $$ select ('x' || encode(substring(hash from 1 for 8), 'hex'))::bit(64)::bigint $$;

create function asset_counted() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into asset_count
    select owner_id, local_month, type, visibility, locked_at is not null, trashed_at is not null,
      is_favorite, is_stack_child, count(*), sum(file_size), (random() * 9e18)::bigint,
      bit_xor(hash_bits(sha256))
    from added group by 1, 2, 3, 4, 5, 6, 7, 8;
    insert into asset_day_count
    select owner_id, kind, day, count(*) from added cross join lateral (
      values ('upload', (created_at at time zone 'utc')::date), ('taken', local_day)) at (kind, day)
    where visibility <> 'hidden' and locked_at is null and trashed_at is null
    group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into asset_count
    select owner_id, local_month, type, visibility, locked_at is not null, trashed_at is not null,
      is_favorite, is_stack_child, -count(*), -sum(file_size), (random() * 9e18)::bigint,
      bit_xor(hash_bits(sha256))
    from gone group by 1, 2, 3, 4, 5, 6, 7, 8;
    insert into asset_day_count
    select owner_id, kind, day, -count(*) from gone cross join lateral (
      values ('upload', (created_at at time zone 'utc')::date), ('taken', local_day)) at (kind, day)
    where visibility <> 'hidden' and locked_at is null and trashed_at is null
    group by 1, 2, 3;
  else
    -- A change that moves no count still leaves a row of zeros: its stamp makes the new version.
    -- No change touches the bytes of an asset, so `contents` stays.
    insert into asset_count
    select owner_id, local_month, type, visibility, is_locked, is_trashed, is_favorite,
      is_stack_child, sum(sign), sum(sign * file_size), (random() * 9e18)::bigint, 0
    from (
      select owner_id, local_month, type, visibility, locked_at is not null as is_locked,
        trashed_at is not null as is_trashed, is_favorite, is_stack_child, 1 as sign, file_size
      from added
      union all
      select owner_id, local_month, type, visibility, locked_at is not null, trashed_at is not null,
        is_favorite, is_stack_child, -1, file_size
      from gone
    ) change
    group by 1, 2, 3, 4, 5, 6, 7, 8;
    insert into asset_day_count
    select owner_id, kind, day, sum(sign) from (
      select owner_id, created_at, local_day, 1 as sign from added
      where visibility <> 'hidden' and locked_at is null and trashed_at is null
      union all
      select owner_id, created_at, local_day, -1 from gone
      where visibility <> 'hidden' and locked_at is null and trashed_at is null
    ) change cross join lateral (
      values ('upload', (created_at at time zone 'utc')::date), ('taken', local_day)) at (kind, day)
    group by 1, 2, 3 having sum(sign) <> 0;
  end if;
  return null;
end $$;
create trigger asset_counted_insert after insert on asset
  referencing new table as added for each statement execute function asset_counted();
create trigger asset_counted_update after update on asset
  referencing old table as gone new table as added for each statement execute function asset_counted();
create trigger asset_counted_delete after delete on asset
  referencing old table as gone for each statement execute function asset_counted();
