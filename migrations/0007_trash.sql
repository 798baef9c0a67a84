-- A set that was looked at before something happens to it. The token is shown once and works once.
create table trash_review (
  token_hash bytea primary key,
  user_id uuid not null references app_user on delete cascade,
  action text not null,
  -- Over action, tool, and the sorted ids with the state revision of each.
  fingerprint bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index trash_review_user on trash_review (user_id);
create index trash_review_expires on trash_review (expires_at);

-- A move of more items than one request should wait for: a job works through the frozen set.
create table trash_operation (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  action text not null check (action in ('trash', 'restore', 'delete')),
  -- Also when the items are trashed, so that all of them have the same instant.
  created_at timestamptz not null
);
create index trash_operation_user on trash_operation (user_id);

-- Items in the order in which they go, and the state in which they were chosen: whoever changes one
-- before its turn keeps it. A row is gone in the transaction that moves its items.
create table trash_operation_batch (
  operation_id uuid not null references trash_operation on delete cascade,
  position int not null,
  asset_ids uuid[] not null,
  revisions int[] not null,
  primary key (operation_id, position)
);

-- What the utilities moved to the trash, for a year. Items still in the trash by such a move have
-- its instant as theirs.
create table utility_activity (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  tool text not null
    check (tool in ('duplicates', 'similar', 'large-files', 'screenshots', 'documents', 'videos')),
  action text not null check (action in ('trashed', 'undone')),
  asset_count int not null check (asset_count > 0),
  bytes bigint not null,
  created_at timestamptz not null default now()
);
create index utility_activity_user on utility_activity (user_id, tool, created_at desc);
create index utility_activity_created on utility_activity (created_at);

create table utility_activity_asset (
  activity_id uuid not null references utility_activity on delete cascade,
  asset_id uuid not null,
  position int not null,
  primary key (activity_id, asset_id)
);
create index utility_activity_asset_asset on utility_activity_asset (asset_id);

-- Files of rows that are gone, of some items of one account each. The bytes of an original go only
-- after a look, under lock, that no asset has them; what cannot be removed stays for the next run.
create table removed_file (
  id bigint generated always as identity primary key,
  owner_id uuid not null,
  -- How many items they belong to; a live photo is one.
  items int not null,
  -- Originals …
  hashes bytea[] not null,
  -- … and names of derived files.
  names text[] not null,
  attempts int not null default 0,
  retry_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index removed_file_owner on removed_file (owner_id);
create index removed_file_retry on removed_file (retry_at, id);

-- Looked up for each asset that goes.
create index album_cover on album (cover_id) where cover_id is not null;
