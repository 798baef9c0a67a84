-- A resumable upload. Its bytes are in the incoming folder under its id, and are no asset before it is
-- published.
create table upload (
  id uuid primary key,
  user_id uuid not null references app_user on delete cascade,
  status text not null default 'incomplete'
    check (status in ('incomplete', 'verified', 'published', 'duplicate', 'failed', 'cancelled')),
  publication text not null check (publication in ('immediate', 'live-photo')),
  -- Promised to the client, and synced.
  committed_offset bigint not null default 0 check (committed_offset >= 0),
  -- Null until the client says it.
  length bigint check (length > 0),
  -- As the client says until the bytes are there.
  sha256 bytea not null check (length(sha256) = 32),
  sha1 bytea check (length(sha1) = 20),
  media_type text not null,
  -- What the client wrote about the file, checked.
  metadata jsonb not null,
  asset_id uuid,
  error text,
  -- The final answer, replayed when the client lost it. None: the upload can be continued, or is gone.
  final_status smallint,
  final_body jsonb,
  -- Bytes behind the offset are good if they were written since this boot; null: never.
  boot_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz not null
);
create index upload_open on upload (user_id) where status in ('incomplete', 'verified');
create index upload_expires on upload (expires_at);
