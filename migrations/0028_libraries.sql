-- External libraries: folders of an account whose files are shown where they are, and never written.

-- Libraries of accounts.
create table library (
  id uuid primary key default gen_random_uuid(), -- identifier
  owner_id uuid not null references app_user on delete cascade, -- account that its items belong to
  name text not null, -- name
  import_paths text[] not null, -- absolute folders
  exclusion_patterns text[] not null, -- globs of paths that are left out
  refreshed_at timestamptz, -- end of the last complete scan
  scan_error text, -- why the last scan could not see all files; null: it did
  -- files that the last scan did not find and that are too many at once: an administrator must say that
  -- they are gone
  unconfirmed_files int not null default 0,
  -- whether changes of its files are noticed: 'events' of the system, 'polling' by a scan from time to time
  watch_mode text not null default 'off' check (watch_mode in ('off', 'events', 'polling')),
  watch_reason text, -- why it is polled
  deleted_at timestamptz, -- its items are being removed
  created_at timestamptz not null default now(), -- creation
  updated_at timestamptz not null default now() -- last change
);
create index library_owner on library (owner_id);

-- Files of libraries, as the last scan found them.
create table library_file (
  id bigint primary key generated always as identity, -- identifier
  library_id uuid not null references library on delete cascade, -- library
  path text collate "C" not null, -- absolute path
  is_sidecar boolean not null default false, -- it tells about photos and videos of its folder, and is no item
  size bigint not null, -- bytes
  modified_us bigint not null, -- modification time, microseconds since 1970
  inode numeric not null, -- number in its file system: tells that a file was renamed
  sha256 bytea, -- content when it was read; null: not read since it changed
  -- its item; null after it was read: the owner has deleted the item, and does not get it again
  asset_id uuid references asset on delete set null,
  error text, -- why it was not taken in
  unseen_at timestamptz, -- first scan that did not find it
  missing_at timestamptz, -- it is gone: its item is offline
  -- its item is read from another file with the same content, and stays when this one is gone
  is_released boolean not null default false,
  trashed_at timestamptz -- its item was moved to the trash for that, and is restored when the file is back
);
create unique index library_file_path on library_file (library_id, path);
create index library_file_asset on library_file (asset_id) where asset_id is not null;
-- Other files with the same bytes.
create index library_file_content on library_file (sha256) where sha256 is not null;
create index library_file_unread on library_file (library_id, id) where sha256 is null and error is null;
create index library_file_trashed on library_file (library_id) where trashed_at is not null;
create index library_file_unseen on library_file (library_id, id) where unseen_at is not null;

alter table asset add constraint asset_library foreign key (library_id) references library;
