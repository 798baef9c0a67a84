-- A resumable upload. Its bytes are in the incoming folder under its id, and are no asset before it is
-- published.
create table upload (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  api_key_id uuid,
  status text not null default 'incomplete'
    check (status in ('incomplete', 'verified', 'published', 'duplicate', 'failed', 'cancelled')),
  publication text not null default 'single' check (publication in ('single', 'live-photo')),
  -- Promised to the client, and synced.
  committed_offset bigint not null default 0,
  length bigint,
  sha256 bytea not null,
  sha1 bytea,
  media_type text not null,
  metadata jsonb not null,
  asset_id uuid,
  error text,
  -- The final answer, replayed when the client lost it.
  final_status smallint,
  final_body jsonb,
  boot_id text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index upload_user on upload (user_id) where status in ('incomplete', 'verified');
create index upload_expires on upload (expires_at);
