-- Invitations to new accounts, and what the files of the library take.

-- Open invitations. One that is accepted or revoked is deleted.
create table invitation (
  id uuid primary key default gen_random_uuid(), -- identifier
  token_hash bytea not null unique, -- SHA-256 of the token in the link; the token is shown once
  inviter_id uuid not null references app_user on delete cascade, -- administrator; without the rights it is not valid
  email text not null unique, -- address of the new account, in lower case
  name text not null, -- proposed display name
  quota_bytes bigint check (quota_bytes >= 0), -- storage quota in bytes; null: unlimited
  language text, -- of mail to the new account until its page tells it; null: not known
  created_at timestamptz not null default now(), -- creation
  expires_at timestamptz not null -- expiry
);
-- The invitations of an account that is erased.
create index invitation_inviter on invitation (inviter_id);

-- Space of files by account and kind, as a job has measured it: see src/areas/server/storage-use.
create table storage_use (
  owner_id uuid references app_user on delete cascade, -- account; null: the server's own
  -- what the files are; 'large' and 'raw_pair' are parts of others
  kind text not null check (kind in ('photo', 'raw', 'video', 'other', 'trash', 'preview', 'transcode',
    'export', 'backup', 'database', 'large', 'raw_pair')),
  files bigint not null, -- number of files
  bytes bigint not null, -- their bytes
  measured_at timestamptz not null, -- when they were measured
  unique nulls not distinct (owner_id, kind)
);
