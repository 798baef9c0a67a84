-- Failed attempts at a secret, by the lane in which they are counted: see src/access/attempt-throttle.ts.
drop table guess;
create table attempt_lane (
  key text primary key,
  failures int not null,
  -- Null: the next attempt may be made.
  blocked_until timestamptz,
  updated_at timestamptz not null
);
create index attempt_lane_updated on attempt_lane (updated_at);

-- Devices, networks and sessions that gave a secret of the account before. Devices are digests.
create table known_client (
  user_id uuid not null references app_user on delete cascade,
  client text not null,
  seen_at timestamptz not null,
  -- Wrong secrets in a row.
  failures int not null default 0,
  failed_at timestamptz,
  primary key (user_id, client)
);
