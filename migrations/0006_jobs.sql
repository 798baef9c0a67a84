-- The job queue: see src/jobs.

-- Queues of Immich's contract. Pausing one holds for every machine.
create table queue (
  name text primary key, -- Immich's queue name
  is_paused boolean not null default false -- no job of it is started
);

-- Jobs that wait, run, or have failed; completed ones are deleted.
create table job (
  id bigint generated always as identity primary key, -- identifier
  name text not null, -- handler
  queue text not null, -- queue.name
  lane text not null, -- worker thread that runs it
  payload jsonb not null, -- arguments
  unique_key text, -- two waiting jobs of one name and key are one job; null: no deduplication
  priority smallint not null default 0, -- higher runs first
  state text not null default 'waiting'
    check (state in ('waiting', 'running', 'failed', 'cancelled')), -- state
  attempt int not null default 0, -- number of claims: the fence against a late finisher
  failures int not null default 0, -- attempts that ended with an error
  run_at timestamptz not null default now(), -- not started before
  lease_until timestamptz, -- end of the lease of a running job; later it counts as lost
  worker text, -- process that runs it
  last_error text, -- message of the last failure
  created_at timestamptz not null default now(), -- enqueued
  finished_at timestamptz, -- failed or cancelled
  is_reported boolean not null default false -- administrators were told that it has failed
);
create index job_ready on job (lane, priority desc, run_at, id) where state = 'waiting';
create index job_leased on job (lease_until) where state = 'running';
create index job_queue on job (queue, state);
create unique index job_unique on job (name, unique_key) where state = 'waiting';

-- Number of completed jobs: deltas, folded by a job.
create table job_done (
  queue text not null, -- queue.name
  jobs bigint not null -- completed jobs
);
create index job_done_queue on job_done (queue);

-- Periodic jobs.
create table schedule (
  name text primary key, -- handler
  next_at timestamptz not null -- next run
);
