-- Workflows: the owner says once what shall happen with new assets.

-- Workflows of an account.
create table workflow (
  id uuid primary key default gen_random_uuid(), -- identifier
  owner_id uuid not null references app_user on delete cascade, -- account
  trigger text not null
    check (trigger in ('AssetCreate', 'AssetMetadataExtraction', 'AssetTagged')), -- event that starts it
  name text, -- name
  description text, -- text
  steps jsonb not null, -- ordered filters and actions: [{"method", "config", "enabled"}]
  -- API key that has said what it does, which may be revoked; null: the account itself. No foreign key: without
  -- its key it stops, and does not become the account's own
  api_key_id uuid,
  is_enabled boolean not null, -- runs
  is_logging boolean not null, -- the results of its runs are listed
  created_at timestamptz not null default now(), -- creation
  updated_at timestamptz not null default now() -- last change
);
create index workflow_owner on workflow (owner_id, created_at desc, id desc);

-- Events of assets whose owner has a workflow for them, until its runs are created.
create table workflow_event (
  id bigint primary key generated always as identity, -- order of the events
  asset_id uuid not null references asset on delete cascade, -- asset
  trigger text not null, -- event
  depth smallint not null, -- number of workflows that led to it: 0 for what people and devices do
  after_created_at timestamptz, -- creation of the last workflow that was dealt with; null: none yet
  after_id uuid -- that workflow
);
create index workflow_event_asset on workflow_event (asset_id, id);

-- Attempts of runs, kept 30 days: a run is one workflow for one event of one asset. Without logging, runs
-- that end before their first action have none.
create table workflow_run (
  id uuid primary key, -- identifier of the attempt (v7); entry of the log
  run_id uuid not null, -- identifier of the first attempt, which all attempts of the run share
  attempt int not null, -- 1 for the first
  workflow_id uuid not null references workflow on delete cascade, -- workflow
  asset_id uuid not null, -- asset; may be gone
  depth smallint not null, -- that of the event
  next_step int not null default 0, -- index of the step to continue at
  -- recognition that the next step needs and the asset does not have yet: 'faces', 'text', 'feature', …
  waits_for text,
  result text check (result in ('completed', 'halted', 'error')), -- null until it has ended
  is_logged boolean not null, -- the workflow was logging when it ended
  last_step int, -- index of the step that ended it early
  last_method text, -- method of that step
  error text, -- why it failed
  created_at timestamptz not null, -- start
  finished_at timestamptz -- end
);
create unique index workflow_run_attempt on workflow_run (run_id, attempt);
create index workflow_run_log on workflow_run (workflow_id, finished_at desc, id desc)
  where result is not null and is_logged;
-- The oldest unfinished run of an asset.
create index workflow_run_unfinished on workflow_run (asset_id, id) where result is null;
-- Runs that are too old to be kept.
create index workflow_run_finished on workflow_run (finished_at) where result is not null;

-- Runs of a workflow for the assets that its owner had already, newest first. Kept as long as the job run.
create table workflow_backfill (
  run_id uuid primary key references job_run on delete cascade, -- job run; its items are the matches
  workflow_id uuid not null references workflow on delete cascade, -- workflow
  is_paused boolean not null default false, -- evaluates no more for now
  total int not null, -- assets at the start
  evaluated int not null default 0, -- assets so far
  matched int not null default 0, -- of them those that the filters before the first action let pass
  waiting int not null default 0, -- of them those whose runs wait for recognition
  after_created_at timestamptz, -- creation of the last asset; null: none yet
  after_id uuid -- that asset
);
create index workflow_backfill_workflow on workflow_backfill (workflow_id);
