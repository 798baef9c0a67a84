-- Accounts, sessions, API keys, partners, and the throttle of failed logins.

create extension if not exists pg_trgm;

-- Accounts.
create table app_user (
  id uuid primary key default gen_random_uuid(), -- identifier
  email text not null unique, -- in lower case
  name text not null, -- display name
  password_hash text not null default '', -- argon2id; empty: no password login
  oauth_issuer text, -- OpenID provider of the subject; null: not linked
  oauth_id text, -- subject at the OpenID provider; null: not linked
  pin_hash text, -- argon2id of the PIN that opens Locked
  pin_proven boolean not null default false, -- who set the PIN had proven to be the owner
  is_admin boolean not null default false, -- administrator
  avatar_color text not null default 'primary', -- colour of the initials
  profile_image text, -- name of the profile picture's file
  profile_changed_at timestamptz not null default now(), -- last change of the profile picture
  storage_label text unique, -- Immich's storage label
  quota_bytes bigint check (quota_bytes >= 0), -- storage quota in bytes; null: unlimited
  should_change_password boolean not null default false, -- a new password is asked for at login
  onboarded boolean not null default false, -- has finished the introduction
  preferences jsonb not null default '{}', -- preferences that differ from the defaults
  time_zone text, -- IANA zone in which dates without a zone are read
  language text, -- of mail, as 'pt-BR'; null: not known yet
  license jsonb, -- Immich's product key: licenseKey, activationKey, activatedAt
  cluster_group_id uuid not null default gen_random_uuid(), -- group of accounts; one of its own at first
  -- 'deleted': can be restored until it is purged; 'removing': its data is being deleted
  status text not null default 'active' check (status in ('active', 'removing', 'deleted')),
  created_at timestamptz not null default now(), -- creation
  updated_at timestamptz not null default now(), -- last change
  deleted_at timestamptz, -- deletion by an administrator; restorable
  -- a subject means another person at another provider
  constraint app_user_oauth_key unique (oauth_issuer, oauth_id),
  check ((oauth_issuer is null) = (oauth_id is null))
);
-- The members of a cluster group.
create index app_user_cluster_group on app_user (cluster_group_id);

-- The installation: a single row. Concurrent first-run sign-ups compete for admin_id, so that one wins.
create table instance (
  only_row boolean primary key default true check (only_row), -- makes a second row impossible
  id uuid not null default gen_random_uuid(), -- identifier of the installation
  admin_id uuid references app_user on delete set null, -- account of the first sign-up
  stores_marked_at timestamptz, -- its folders have got the file that tells whose they are (src/storage)
  onboarded boolean not null default false, -- the administrator has finished the introduction
  disk_warned_at timestamptz, -- administrators were told that the disk is nearly full; null: it is not
  backup_warned_at timestamptz, -- administrators were told of a failed backup; null: the last one succeeded
  license jsonb, -- Immich's product key of the server: licenseKey, activationKey, activatedAt
  created_at timestamptz not null default now() -- installation
);
insert into instance default values;

-- Logins.
create table session (
  id uuid primary key default gen_random_uuid(), -- identifier
  user_id uuid not null references app_user on delete cascade, -- account
  parent_id uuid references session on delete cascade, -- session that created this one
  token_hash bytea not null unique, -- SHA-256 of the token; the token is shown once
  device_type text not null default '', -- browser or app, from the user agent
  device_os text not null default '', -- operating system, from the user agent
  app_version text, -- version of the mobile app
  created_at timestamptz not null default now(), -- login
  updated_at timestamptz not null default now(), -- last use
  expires_at timestamptz, -- expiry; null: never
  elevated_until timestamptz, -- Locked items are visible until then
  proven_at timestamptz, -- last login, password or PIN of its user; null: none
  pending_sync_reset boolean not null default false, -- the client must start its sync over
  oauth_issuer text, -- OpenID provider of the login; null: a password
  oauth_sid text, -- session at the OpenID provider, ended by back-channel logout
  oauth_id_token text -- ID token of the login, a hint for the provider at logout
);
create index session_owner on session (user_id);
create index session_parent on session (parent_id);

-- API keys.
create table api_key (
  id uuid primary key default gen_random_uuid(), -- identifier
  user_id uuid not null references app_user on delete cascade, -- account
  name text not null, -- label
  key_hash bytea not null unique, -- SHA-256 of the key; the key is shown once
  permissions text[] not null, -- Immich's permission names, or 'all'
  created_at timestamptz not null default now(), -- creation
  updated_at timestamptz not null default now() -- last change
);
create index api_key_user on api_key (user_id);

-- Partner sharing: the viewer sees the Timeline of the sharer.
create table partner (
  sharer_id uuid not null references app_user on delete cascade, -- account that shares
  viewer_id uuid not null references app_user on delete cascade, -- account that sees
  in_timeline boolean not null default false, -- shown in the viewer's own Timeline
  created_at timestamptz not null default now(), -- start of sharing
  updated_at timestamptz not null default now(), -- last change
  since xid8 not null default pg_current_xact_id(), -- sync sends what is older than this as a backfill
  hides_places boolean not null default false, -- where pictures were taken is withheld from the viewer
  primary key (sharer_id, viewer_id)
);
create index partner_viewer on partner (viewer_id);

-- Failed attempts at a secret, by the lane that counts them: see src/access/attempt-throttle.ts.
create table attempt_lane (
  key text primary key, -- what is counted together, as 'network:192.0.2.7'
  failures int not null, -- failed attempts in a row
  blocked_until timestamptz, -- attempts are refused until then; null: not blocked
  updated_at timestamptz not null -- last attempt
);
-- The oldest lanes, which are dropped.
create index attempt_lane_updated on attempt_lane (updated_at);

-- Devices, networks and sessions that have authenticated to the account before.
create table known_client (
  user_id uuid not null references app_user on delete cascade, -- account
  client text not null, -- kind and identity, as 'pin:<session>'; devices as digests
  seen_at timestamptz not null, -- last success
  failures int not null default 0, -- failed attempts in a row
  failed_at timestamptz, -- last failed attempt
  primary key (user_id, client)
);
