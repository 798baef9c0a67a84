-- What was changed in the preferences, by whom. The newest hundred of an account are kept.
create table preference_change (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  -- The session that saved it; it may have ended since.
  session_id uuid,
  -- [{path, redacted, previous, value}]; what is hidden is named without values.
  changes jsonb not null,
  -- Changes of one moment keep their order.
  number bigint generated always as identity,
  created_at timestamptz not null default now()
);
create index preference_change_user on preference_change (user_id, number desc);

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
  fingerprint text not null,
  device_count int not null,
  differing_buckets int not null,
  validated_buckets int not null default 0,
  -- Of buckets that were equal from the start, and of those validated since.
  matched_count int not null,
  missing_count int not null default 0,
  checked_at timestamptz not null,
  started_at timestamptz not null,
  completed_at timestamptz
);
create index reconciliation_device on reconciliation (device_id, started_at desc, id desc);
-- Two starts at once do not leave two.
create unique index reconciliation_started on reconciliation (device_id) where status = 'started';

-- Of the newest run of each device; what an older one came to stands in its row.
create table reconciliation_bucket (
  run_id uuid not null references reconciliation on delete cascade,
  bucket smallint not null check (bucket between 0 and 255),
  hash_count int not null,
  digest bytea not null,
  is_differing boolean not null,
  -- Hashes that the server lacks, one after the other. Set once: validating again changes nothing.
  missing bytea check (length(missing) % 32 = 0),
  primary key (run_id, bucket)
);

-- The digests of the 256 buckets of an inventory, one after the other: reading a million hashes takes a
-- while, and nothing else needs them again until the inventory changes.
create table inventory_digest (
  owner_id uuid primary key references app_user on delete cascade,
  fingerprint text not null,
  digests bytea not null check (length(digests) = 256 * 32)
);

create index original_missing on original (sha256) where missing_at is not null;

-- A file that is found missing, or found again, changes the inventory of everyone who has it. The lock
-- makes those wait who are about to have it: they would be overlooked.
create function original_locked() returns trigger language plpgsql as $$
begin
  perform 1 from original where sha256 = old.sha256 for update;
  return new;
end $$;
create trigger original_locked before update of missing_at on original for each row
  when ((old.missing_at is null) <> (new.missing_at is null)) execute function original_locked();

create function original_lost_or_found() returns trigger language plpgsql as $$
begin
  insert into asset_count
  select owner_id, local_month, type, visibility, locked_at is not null, trashed_at is not null,
    is_favorite, is_stack_child, 0, 0, (random() * 9e18)::bigint, (random() * 9e18)::bigint
  from asset where sha256 = new.sha256;
  return null;
end $$;
create trigger original_lost_or_found after update of missing_at on original for each row
  when ((old.missing_at is null) <> (new.missing_at is null)) execute function original_lost_or_found();
