create table preference_change (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  session_id uuid,
  device_type text,
  device_os text,
  -- [{field, previous, value}]; rules about locked content are named without values.
  changes jsonb not null,
  created_at timestamptz not null default now()
);
create index preference_change_user on preference_change (user_id, created_at desc, id desc);

create table pin_list (
  user_id uuid primary key references app_user on delete cascade,
  revision int not null default 0
);
create table pin (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  kind text not null check (kind in ('album', 'person', 'tag', 'memory')),
  -- Kept when the target goes away: the pin is then shown as unavailable.
  target_id uuid not null,
  position int not null,
  unique (user_id, kind, target_id)
);

create table backup_device (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  device_key text not null,
  name text not null,
  platform text not null default 'other'
    check (platform in ('ios', 'android', 'desktop', 'web', 'other')),
  app_version text,
  -- As the device says; never verified.
  last_success_at timestamptz,
  pending_count int,
  reported_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Removed from the list; the history stays, and registering again brings it back.
  removed_at timestamptz,
  unique (user_id, device_key)
);

create table reconciliation (
  id uuid primary key,
  device_id uuid not null references backup_device on delete cascade,
  user_id uuid not null references app_user on delete cascade,
  status text not null check (status in ('started', 'completed', 'invalidated')),
  -- Of the inventory that the device is compared with.
  fingerprint bytea not null,
  device_count int not null,
  matched_count int not null,
  missing_count int not null default 0,
  checked_at timestamptz not null,
  started_at timestamptz not null default now(),
  completed_at timestamptz
);
create index reconciliation_device on reconciliation (device_id, started_at desc);

create table reconciliation_bucket (
  run_id uuid not null references reconciliation on delete cascade,
  bucket smallint not null check (bucket between 0 and 255),
  hash_count int not null,
  digest bytea not null,
  is_differing boolean not null,
  -- Set once; validating again changes nothing.
  missing bytea[],
  matched_count int,
  primary key (run_id, bucket)
);
