-- Several servers, and several versions of the program, on one database.

-- Processes that serve, or run jobs, on this database: see src/nodes.
create table node (
  id uuid primary key, -- identifier (v7) of one life of the process; the workers of its jobs begin with it
  role text not null check (role in ('server', 'worker')), -- a worker only runs jobs
  host text not null, -- name of the machine
  address text, -- URL at which it listens; null: a worker
  version text not null, -- version of Safelight
  state text not null check (state in ('starting', 'ready', 'draining', 'refused', 'gone')), -- starting: it waits, as for others to be replaced; gone: it tells no more that it lives
  reason text, -- why it does not serve; null: it does
  started_at timestamptz not null default now(), -- start
  seen_at timestamptz -- heartbeat; null: the server that the database belongs to, which lives as long as that runs
);

-- Where things are that one of several servers holds: it gets the requests for them, see src/nodes.
alter table instance add column node_secret bytea; -- proves that a request was sent on by a node; null: none was yet
alter table node add column staging_id uuid; -- identity of its folder for unfinished uploads; null: a worker, or the only server
alter table upload add column staging_id uuid; -- identity of the folder that its file is in; null: that of the only server
alter table studio_stream add column node_id uuid; -- node whose child sends it; null: one of an earlier version

-- The connections of an API key that is deleted or may do something else end at once at every server, as those of a
-- session do: whoever may still connect does so again.
call watch_rows('api_key', 'delete', 'session_announced');
create function api_key_changed() returns trigger language plpgsql as $$
begin
  perform announce(new.user_id, 'session', array[new.id]) where is_listened_to(new.user_id);
  return null;
end $$;
create trigger api_key_changed after update of permissions on api_key for each row
  when (old.permissions <> new.permissions) execute function api_key_changed();

alter table schema_migration add column served_from int; -- number of the last migration of the oldest programs that serve the schema since; null: only those that know it
alter table node add column schema int; -- number of the last migration that its program knows; null: a version before

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

-- Two standbys that are promoted one after the other may begin a timeline of the same number, with different commits: see
-- src/db/epoch.ts.
alter table change_log add column nonce uuid; -- chosen for the epoch when it was recorded; null: no other one was before
create function change_log_epoch_changed() returns trigger language plpgsql as $$
begin
  new.nonce := gen_random_uuid();
  return new;
end $$;
create trigger change_log_epoch_changed before update of epoch on change_log for each row
  when (old.epoch not in ('', new.epoch)) execute function change_log_epoch_changed();

-- After a crash PostgreSQL makes an unlogged table from its initial copy, which a copy of the database may lack on the disk:
-- then the table cannot be read, and each change of an item reads it.
alter table live_listener set logged;

-- Whether the database takes writes: see src/areas/server/readiness.domain.ts.
create table write_probe (
  node_id uuid primary key, -- process that has asked
  written_at timestamptz not null -- when it has written last
);

-- Reads what each change of an item reads.
create function write_probed() returns trigger language plpgsql as $$
begin
  perform announce_to('{}', 'probe');
  new.written_at := clock_timestamp();
  return new;
end $$;
create trigger write_probed before insert or update on write_probe for each row
  execute function write_probed();
