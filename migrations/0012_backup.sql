-- Devices that back up, and the comparison of their contents with the library.

-- Devices.
create table backup_device (
  id uuid primary key default gen_random_uuid(), -- identifier
  user_id uuid not null references app_user on delete cascade, -- account
  device_key text not null, -- identifier chosen by the device
  name text not null, -- label
  platform text not null default 'other'
    check (platform in ('ios', 'android', 'desktop', 'web', 'other')), -- platform
  app_version text, -- version of the app
  last_success_at timestamptz, -- last complete backup, as reported; never verified
  pending_count int, -- files that wait for upload, as reported
  reported_at timestamptz not null default now(), -- last report
  created_at timestamptz not null default now(), -- registration
  updated_at timestamptz not null default now(), -- last change
  removed_at timestamptz, -- removed from the list; its history is kept, and registering again restores it
  unique (user_id, device_key)
);

-- Comparisons of the contents of a device with the originals of the account.
create table reconciliation (
  id uuid primary key, -- identifier
  device_id uuid not null references backup_device on delete cascade, -- device
  user_id uuid not null references app_user on delete cascade, -- account
  status text not null check (status in ('started', 'completed', 'invalidated')), -- state
  fingerprint text not null, -- version of the inventory that the device is compared with
  device_count int not null, -- hashes on the device
  differing_buckets int not null, -- buckets whose digests differ
  validated_buckets int not null default 0, -- differing buckets whose hashes were compared
  matched_count int not null, -- hashes of equal buckets, and hashes found in validated ones
  missing_count int not null default 0, -- hashes that the library lacks
  checked_at timestamptz not null, -- when the device sent its digests
  started_at timestamptz not null, -- start
  completed_at timestamptz -- end
);
create index reconciliation_device on reconciliation (device_id, started_at desc, id desc);
-- One running comparison per device.
create unique index reconciliation_started on reconciliation (device_id) where status = 'started';

-- Buckets of the newest comparison of a device, by the first byte of the hash.
create table reconciliation_bucket (
  run_id uuid not null references reconciliation on delete cascade, -- comparison
  bucket smallint not null check (bucket between 0 and 255), -- first byte of the hashes
  hash_count int not null, -- hashes on the device
  digest bytea not null, -- digest of the device's hashes
  is_differing boolean not null, -- the digest differs from the library's
  -- concatenated hashes that the library lacks; null: not validated yet; set once
  missing bytea check (length(missing) % 32 = 0),
  primary key (run_id, bucket)
);

-- Cached digests of an account's inventory.
create table inventory_digest (
  owner_id uuid primary key references app_user on delete cascade, -- account
  fingerprint text not null, -- version of the inventory
  digests bytea not null check (length(digests) = 256 * 32) -- concatenated digests of the 256 buckets
);
