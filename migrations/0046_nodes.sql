-- Processes that serve, or run jobs, on this database: see src/nodes.
create table node (
  id uuid primary key, -- identifier (v7) of one life of the process; the workers of its jobs begin with it
  role text not null check (role in ('server', 'worker')), -- a worker only runs jobs
  host text not null, -- name of the machine
  address text, -- URL at which it listens; null: a worker
  version text not null, -- version of Safelight
  state text not null check (state in ('ready', 'draining', 'refused', 'gone')), -- gone: it tells no more that it lives
  reason text, -- why it does not serve; null: it does
  started_at timestamptz not null default now(), -- start
  seen_at timestamptz -- heartbeat; null: the server that the database belongs to, which lives as long as that runs
);
