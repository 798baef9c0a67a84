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
  correlation_id text, -- of the request that enqueued it, or of the job that did; null: of none
  item_id uuid, -- job_run_item.id: the run that it is part of; null: of none
  started_at timestamptz, -- last claim
  failures int not null default 0, -- attempts that ended with an error
  faults int not null default 0, -- attempts that met a fault of the machine, which do not count as failures
  run_at timestamptz not null default now(), -- not started before
  lease_until timestamptz, -- end of the lease of a running job; later it counts as lost
  worker text, -- process that runs it
  last_error text, -- message of the last failure
  created_at timestamptz not null default now(), -- enqueued
  finished_at timestamptz, -- failed or cancelled
  is_reported boolean not null default false -- administrators were told that it has failed
);
-- The next job of a lane.
create index job_ready on job (lane, priority desc, run_at, id) where state = 'waiting';
-- Jobs whose worker is gone.
create index job_leased on job (lease_until) where state = 'running';
-- The depth of each queue.
create index job_queue on job (queue, state);
-- Jobs that wait because of a fault of the machine: they go on once it is over.
create index job_faulted on job (lane, name) where state = 'waiting' and faults > 0;
-- The job of an item of a run.
create index job_item on job (item_id) where item_id is not null;
create unique index job_unique on job (name, unique_key) where state = 'waiting';

-- Faults of the machine that jobs wait for: deleted when one of them meets none any more.
create table job_fault (
  name text primary key, -- handler
  lane text not null, -- worker thread that runs it
  error text not null, -- message of the last one
  since timestamptz not null default now(), -- the first one
  is_reported boolean not null default false -- administrators were told
);

-- Numbers of ended jobs: deltas, folded by a job.
create table job_done (
  queue text not null, -- queue.name
  jobs bigint not null default 0, -- completed jobs
  failed bigint not null default 0 -- jobs that used up their attempts
);
-- The sums of a queue.
create index job_done_queue on job_done (queue);

-- Periodic jobs.
create table schedule (
  name text primary key, -- handler
  next_at timestamptz not null, -- next run
  cron text -- cron expression that gave next_at; null: an interval
);

-- Time that the server has seen pass, by which things are kept before they are deleted for good: spans without a step of
-- the clock, of each machine. See src/jobs/passed-time.ts.
create table clock_span (
  id bigint generated always as identity primary key, -- identifier
  boot_id text not null, -- boot of the machine
  uptime_ms float8 not null, -- uptime of the machine at the end, in ms
  started_at timestamptz not null, -- its first moment, by the clock
  from_ms float8 not null, -- passed time at its start, in ms
  to_ms float8 not null, -- passed time at its end, in ms
  uncounted_ms float8 not null, -- time on the clock before it that nobody has seen pass, in ms
  is_reported boolean not null default false -- administrators were told of the uncounted time
);

-- Runs: what was started by hand, by force, once a day or for the whole library. Kept 90 days.
create table job_run (
  id uuid primary key, -- identifier (v7)
  name text not null, -- manual job, handler, or queue that was started
  queue text not null, -- Immich's queue name
  trigger text not null check (trigger in ('manual', 'schedule', 'upload', 'system')), -- who started it
  is_forced boolean not null, -- also processes what was processed before
  -- account that started it; null: nobody, or it is gone
  requested_by uuid references app_user on delete set null,
  items int not null default 0, -- items so far
  counted_at timestamptz, -- all items are there since then; null: more may come
  cancelled_at timestamptz, -- somebody emptied its queue before all items were there
  error text, -- why its items could not be counted
  created_at timestamptz not null -- start
);
-- The runs, newest first.
create index job_run_created on job_run (created_at desc, id desc);
create index job_run_requested_by on job_run (requested_by) where requested_by is not null;

-- Items of runs. The job of an item that has not ended tells the rest.
create table job_run_item (
  id uuid primary key, -- identifier (v7)
  run_id uuid not null references job_run on delete cascade, -- run
  position int not null, -- place in the run, from 1
  target_type text not null
    check (target_type in ('asset', 'person', 'user', 'library', 'file', 'none')), -- what it is about
  target_id uuid, -- identifier of that; it may be gone
  status text check (status in ('succeeded', 'failed', 'skipped')), -- null until it has ended
  attempts int not null default 0, -- attempts, once it has ended
  started_at timestamptz, -- start of the last attempt, once it has ended
  finished_at timestamptz, -- end
  error text -- message of the last failure
);
create unique index job_run_item_position on job_run_item (run_id, position);

-- Ended items of runs: deltas, folded by a job.
create table job_run_count (
  run_id uuid not null references job_run on delete cascade, -- run
  succeeded int not null default 0, -- items
  failed int not null default 0, -- items
  skipped int not null default 0, -- items that somebody removed from the queue, or that another run has
  started_at timestamptz, -- first start among them
  finished_at timestamptz not null -- last end among them
);
create index job_run_count_run on job_run_count (run_id);
