-- One row per queue of the public contract: pausing holds for every machine.
create table queue (
  name text primary key,
  is_paused boolean not null default false
);

create table job (
  id bigint generated always as identity primary key,
  name text not null,
  queue text not null,
  lane text not null,
  payload jsonb not null,
  -- Two waiting jobs with the same key are one job.
  unique_key text,
  -- Higher runs first.
  priority smallint not null default 0,
  state text not null default 'waiting'
    check (state in ('waiting', 'running', 'failed', 'cancelled')),
  -- Counts claims; those that ended with an error count as failures too, the rest were lost with
  -- their process.
  attempt int not null default 0,
  failures int not null default 0,
  run_at timestamptz not null default now(),
  -- A running job whose lease is over was lost with its process; `attempt` fences the late finisher.
  lease_until timestamptz,
  worker text,
  last_error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index job_ready on job (lane, priority desc, run_at, id) where state = 'waiting';
create index job_leased on job (lease_until) where state = 'running';
create index job_queue on job (queue, state);
create unique index job_unique on job (name, unique_key) where state = 'waiting';

-- Jobs that ended well leave no row; these sums keep the progress visible.
create table job_done (
  queue text not null,
  jobs bigint not null
);
create index job_done_queue on job_done (queue);

create table schedule (
  name text primary key,
  next_at timestamptz not null
);
