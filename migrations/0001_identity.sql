create extension if not exists pg_trgm;

create table app_user (
  id uuid primary key default gen_random_uuid(),
  -- Kept in lower case by the application.
  email text not null unique,
  name text not null,
  -- argon2id; empty for an account that has no password.
  password_hash text not null default '',
  pin_hash text,
  is_admin boolean not null default false,
  avatar_color text not null default 'primary',
  profile_image text,
  profile_changed_at timestamptz not null default now(),
  storage_label text unique,
  quota_bytes bigint check (quota_bytes >= 0),
  should_change_password boolean not null default false,
  onboarded boolean not null default false,
  preferences jsonb not null default '{}',
  -- Dates without a zone in the file are read in this one.
  time_zone text,
  status text not null default 'active' check (status in ('active', 'removing', 'deleted')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
-- One first-run sign-up wins, however many arrive at once.
create table instance (
  only_row boolean primary key default true check (only_row),
  id uuid not null default gen_random_uuid(),
  admin_id uuid references app_user on delete set null,
  onboarded boolean not null default false,
  created_at timestamptz not null default now()
);
insert into instance default values;

create table session (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  parent_id uuid references session on delete cascade,
  -- sha256 of the token; the token itself is shown once.
  token_hash bytea not null unique,
  device_type text not null default '',
  device_os text not null default '',
  app_version text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz,
  -- Locked media are visible until then.
  elevated_until timestamptz,
  pending_sync_reset boolean not null default false
);
create index session_owner on session (user_id);
create index session_parent on session (parent_id);

create table api_key (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  name text not null,
  key_hash bytea not null unique,
  permissions text[] not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index api_key_user on api_key (user_id);

create table partner (
  sharer_id uuid not null references app_user on delete cascade,
  viewer_id uuid not null references app_user on delete cascade,
  in_timeline boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (sharer_id, viewer_id)
);
create index partner_viewer on partner (viewer_id);

-- Failed attempts at guessing a secret, by what was guessed ('login:a@b.c', 'pin:<user id>').
create table guess (
  subject text primary key,
  failures int not null default 1,
  blocked_until timestamptz not null,
  updated_at timestamptz not null default now()
);
create index guess_updated on guess (updated_at);
