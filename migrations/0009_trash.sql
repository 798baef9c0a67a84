-- Reviews of the trash, the history of the utilities, and files to be deleted.

-- Sets of assets that the owner has reviewed before an action. A token is shown once and works once.
create table trash_review (
  token_hash bytea primary key, -- SHA-256 of the token
  user_id uuid not null references app_user on delete cascade, -- account
  action text not null, -- action that it allows
  fingerprint bytea not null, -- SHA-256 over action, tool, and the sorted ids with their state revisions
  expires_at timestamptz not null, -- expiry
  used_at timestamptz -- use
);
create index trash_review_user on trash_review (user_id);
-- Expired reviews.
create index trash_review_expires on trash_review (expires_at);

-- Moves to the trash by the utilities, for a year. Assets still trashed by a move have its created_at as
-- trashed_at.
create table utility_activity (
  id uuid primary key default gen_random_uuid(), -- identifier
  user_id uuid not null references app_user on delete cascade, -- account
  tool text not null
    check (tool in ('duplicates', 'similar', 'large-files', 'screenshots', 'documents', 'videos')), -- utility
  action text not null check (action in ('trashed', 'undone')), -- action
  asset_count int not null check (asset_count > 0), -- number of assets
  bytes bigint not null, -- sum of file sizes
  created_at timestamptz not null default now() -- time of the move
);
create index utility_activity_user on utility_activity (user_id, tool, created_at desc);
-- Activity that is too old to be kept.
create index utility_activity_created on utility_activity (created_at);

-- Assets of a move.
create table utility_activity_asset (
  activity_id uuid not null references utility_activity on delete cascade, -- move
  asset_id uuid not null, -- asset; may have been deleted since
  position int not null, -- order
  primary key (activity_id, asset_id)
);

-- Files of deleted rows, to be deleted by a job. An original is deleted only after a check, under lock, that
-- no asset has it. Failed deletions are retried.
create table removed_file (
  id bigint generated always as identity primary key, -- identifier
  owner_id uuid not null, -- account
  items int not null, -- number of items; a live photo is one
  hashes bytea[] not null, -- originals
  names text[] not null, -- paths in the derived folder
  attempts int not null default 0, -- failed attempts
  retry_at timestamptz not null default now(), -- not tried before
  created_at timestamptz not null default now() -- deletion of the rows
);
-- The files of an account that are still to be deleted.
create index removed_file_owner on removed_file (owner_id);
-- The next files to be deleted.
create index removed_file_retry on removed_file (retry_at, id);
