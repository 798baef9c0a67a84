-- A set that was looked at before something happens to it. The token is shown once and works once.
create table trash_review (
  token_hash bytea primary key,
  user_id uuid not null references app_user on delete cascade,
  action text not null,
  -- Over the sorted ids and the state revision of each.
  fingerprint bytea not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index trash_review_expires on trash_review (expires_at);

-- What the utilities moved to the trash, for a year.
create table utility_activity (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  tool text not null
    check (tool in ('duplicates', 'similar', 'large-files', 'screenshots', 'documents', 'videos')),
  action text not null check (action in ('trashed', 'undone')),
  asset_count int not null,
  bytes bigint not null,
  created_at timestamptz not null default now()
);
create index utility_activity_user on utility_activity (user_id, tool, created_at desc);

create table utility_activity_asset (
  activity_id uuid not null references utility_activity on delete cascade,
  asset_id uuid not null,
  position int not null,
  primary key (activity_id, asset_id)
);

-- Files of rows that are gone. The bytes of an original go only after a look, under lock, that no asset
-- has them; what cannot be removed stays here for the next run.
create table removed_file (
  id bigint generated always as identity primary key,
  owner_id uuid not null,
  -- Either an original …
  sha256 bytea,
  -- … or the name of a derived file.
  name text,
  size bigint not null,
  attempts int not null default 0,
  created_at timestamptz not null default now(),
  check ((sha256 is null) <> (name is null))
);
create index removed_file_owner on removed_file (owner_id);
