-- Resumable uploads.

-- Resumable uploads. The content is a file in the incoming folder, named by the id and an epoch, until it is
-- published as an asset. Every process that takes an upload over begins an epoch: no row is saved for an older
-- one, and no file is opened for writing in two.
create table upload (
  id uuid primary key, -- identifier
  user_id uuid not null references app_user on delete cascade, -- account
  status text not null default 'incomplete'
    check (status in ('incomplete', 'verified', 'published', 'duplicate', 'failed', 'cancelled')), -- state
  publication text not null check (publication in ('immediate', 'live-photo')), -- when it becomes an asset
  committed_offset bigint not null default 0 check (committed_offset >= 0), -- bytes synced to disk
  length bigint check (length > 0), -- total bytes; null: not announced yet
  sha256 bytea not null check (length(sha256) = 32), -- SHA-256 announced by the client, later verified
  sha1 bytea check (length(sha1) = 20), -- SHA-1 announced by the client, later computed
  media_type text not null, -- media type
  metadata jsonb not null, -- validated metadata of the file
  asset_id uuid, -- asset that it became, or that has the same content
  error text, -- message of a failure
  final_status smallint, -- HTTP status of the final response, replayed on retries; null: none yet
  final_body jsonb, -- body of the final response
  epoch bigint not null default 1, -- ownership by one process
  file_epoch bigint not null default 1, -- epoch of the file that has the bytes up to the offset
  boot_id text, -- boot during which bytes beyond the offset were written; null: none are valid
  created_at timestamptz not null, -- creation
  updated_at timestamptz not null, -- last change
  expires_at timestamptz not null -- expiry
);
create index upload_open on upload (user_id) where status in ('incomplete', 'verified');
-- Expired uploads.
create index upload_expires on upload (expires_at);
