-- Maintenance mode of all servers on this database: see src/maintenance/cluster-mode.ts. No row: it is off. A database
-- that is put in the place of this one has none.
create table maintenance_mode (
  is_only boolean primary key default true check (is_only), -- makes a second row impossible
  revision uuid not null default gen_random_uuid(), -- another one after each change, which names the one that it was made to
  -- why: an administrator has entered it, chooses a backup, or restores one
  action text not null check (action in ('start', 'select_database_restore', 'restore_database')),
  secret text not null, -- signs the tokens of administrators at all servers
  node_id uuid not null, -- server that has changed it last
  host text not null, -- name of its machine
  is_running boolean not null, -- it replaces the database
  error text, -- why that has failed; null: it has not
  started_at timestamptz not null default now(), -- when the mode, or its work, was started
  seen_at timestamptz not null default now() -- when an administrator was there last
);
