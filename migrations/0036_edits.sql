-- What owners change of their items, and what is known of files.

-- The latest changes of an account, each of which can be undone.
create table metadata_change (
  id uuid primary key default gen_random_uuid(), -- identifier
  account_id uuid not null references app_user on delete cascade, -- account that asked
  fields text[] not null, -- what it changed: 'date', 'place', 'rating', 'description'
  created_at timestamptz not null, -- request
  undone_at timestamptz -- undo
);
create index metadata_change_account on metadata_change (account_id, created_at desc, id desc);

-- The assets of a change.
create table metadata_change_item (
  change_id uuid not null references metadata_change on delete cascade, -- change
  asset_id uuid not null references asset on delete cascade, -- asset
  revision int not null, -- state_revision after the change: the undo skips assets changed since
  former jsonb not null, -- values before, by the names of the columns of asset and asset_exif
  primary key (change_id, asset_id)
);
-- The changes of an asset that is deleted.
create index metadata_change_item_asset on metadata_change_item (asset_id);

-- Items that the lists of those without a date or place leave out.
create table metadata_dismissal (
  asset_id uuid not null references asset on delete cascade, -- asset
  field text not null check (field in ('date', 'place')), -- what it lacks
  primary key (asset_id, field)
);

-- Adjustments of the owner, applied after the edits. Only rows that change the picture.
create table asset_adjustment (
  asset_id uuid primary key references asset on delete cascade, -- asset
  straighten double precision not null check (straighten between -45 and 45), -- degrees, clockwise
  exposure smallint not null check (exposure between -100 and 100), -- per cent
  contrast smallint not null check (contrast between -100 and 100), -- per cent
  highlights smallint not null check (highlights between -100 and 100), -- per cent
  shadows smallint not null check (shadows between -100 and 100), -- per cent
  warmth smallint not null check (warmth between -100 and 100), -- per cent; above 0 is warmer
  tint smallint not null check (tint between -100 and 100), -- per cent; above 0 is magenta
  saturation smallint not null check (saturation between -100 and 100) -- per cent; -100 is grey
);

-- An edited picture is analyzed again only when its geometry has changed, and rendered again it stays the same.
alter table asset_unedited add column rendered_revision text; -- picture_revision of the last rendering or, before it, of the unedited picture
alter table asset_unedited add column rendered_adjustments text; -- digest of the adjustments of the last rendering; null: none

-- Revision of the picture: changes with the original, its orientation, its edits and how it is straightened,
-- and nothing else. Light and colour leave regions and what is recognised where they are.
create or replace function picture_revision(of_asset uuid) returns text language sql stable as $$
  select md5(concat_ws('/', encode(asset.sha256, 'hex'), coalesce(exif.orientation, '1'),
    (select string_agg(concat_ws(' ', edit.action, edit.parameters::text), ',' order by edit.position)
      from asset_edit edit where edit.asset_id = asset.id),
    (select 'straighten ' || straighten from asset_adjustment adjustment
      where adjustment.asset_id = asset.id and straighten <> 0)))
  from asset left join asset_exif exif on exif.asset_id = asset.id
  where asset.id = of_asset
$$;

-- Logs the asset, since it tells whether it is edited.
create function asset_adjustment_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, is_open, is_shared)
  with changed as materialized (
    select asset.owner_id, asset.id, asset.locked_at is null as is_open,
      is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at) as is_shared
    from touched join asset on asset.id = touched.asset_id
  )
  select owner_id, 'asset', id, is_open, is_shared from changed
  union all
  select album_asset.album_id, 'asset', id, is_open, is_shared
  from changed join album_asset on album_asset.asset_id = changed.id;
  return null;
end $$;
call watch_rows('asset_adjustment', 'insert, update, delete', 'asset_adjustment_logged');

-- Files that could not be decoded, the latest uploads first, and damaged ones.
create index asset_faulty on asset (owner_id, created_at, id)
  where broken_reason is not null or damage is not null;
drop index asset_damaged;

-- The trash in each of its orders: the others are sorted from this index alone, 100,000 items in 15 to 28 ms.
create index asset_trashed on asset (owner_id, trashed_at desc, id desc)
  include (locked_at, local_taken_at, file_size, file_name)
  where visibility in ('timeline', 'archive') and trashed_at is not null;
drop index asset_trash;
drop index asset_trash_name;
drop index asset_trash_size;
drop index asset_trash_taken;

-- Whether a file is a raw photo by its name: with the extensions of `media/formats.ts`, which a test compares. After
-- another extension the index below is built again.
create function is_raw_name(file_name text) returns boolean language sql immutable parallel safe as
  $$ select file_name like '%_.%' and lower(substring(file_name from '[^.]*$')) in (
    '3fr', 'ari', 'arw', 'cap', 'cin', 'cr2', 'cr3', 'crw', 'dcr', 'dng', 'erf', 'fff', 'iiq',
    'k25', 'kdc', 'mrw', 'nef', 'nrw', 'orf', 'ori', 'pef', 'raf', 'raw', 'rw2', 'rwl', 'sr2',
    'srf', 'srw', 'x3f') $$;

-- The name of a file without its extension, in small letters.
create function file_stem(file_name text) returns text language sql immutable parallel safe as
  $$ select lower(regexp_replace(file_name, '\.[^.]*$', '')) $$;

-- The raw photos of the Timeline that are in our store, newest first.
create index asset_raw on asset (owner_id, taken_at desc, id desc) include (file_size)
  where is_raw_name(file_name) and type = 'IMAGE' and library_id is null
    and visibility = 'timeline' and locked_at is null and trashed_at is null;

-- Most deleted assets have no position, or their metadata was deleted before: then nothing is counted. The statement is
-- static, so that its plan is cached, while count_cells is planned at each call.
create or replace function asset_cells_left() returns trigger language plpgsql as $$
begin
  if exists (select from asset_exif exif
    where exif.asset_id = old.id and exif.latitude is not null and exif.longitude is not null) then
    perform count_cells(array[old.id], array[old.owner_id],
      array[-(old.visibility = 'timeline')::int], array[-(old.visibility = 'archive')::int]);
  end if;
  return old;
end $$;

-- Pictures whose name tells another type than their bytes: what a browser is given follows from the bytes.
alter table asset add column content_type text; -- MIME type of the bytes, where the name tells another one
