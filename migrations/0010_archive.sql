-- Archive operations: many assets moved from the Timeline to the archive, with undo.

-- Archive operations.
create table archive_operation (
  id uuid primary key default gen_random_uuid(), -- identifier
  user_id uuid not null references app_user on delete cascade, -- account
  request_id uuid, -- idempotency key of the client
  source text not null check (source in ('timeline', 'selection')), -- how the assets were chosen
  status text not null check (status in ('prepared', 'expired', 'queued', 'running', 'completed',
    'failed', 'stopping', 'undoing', 'undone')), -- state
  revision int not null default 1, -- incremented with each change of the status
  total int not null, -- number of assets
  archived int not null default 0, -- archived so far
  skipped int not null default 0, -- skipped so far, since they had changed
  restored int not null default 0, -- restored by the undo
  kept int not null default 0, -- left archived by the undo, since they had changed
  error text, -- message of a failure
  created_at timestamptz not null default now(), -- preparation
  confirmed_at timestamptz, -- confirmation
  started_at timestamptz, -- start
  finished_at timestamptz, -- end
  undo_requested_at timestamptz, -- request of the undo
  undone_at timestamptz, -- end of the undo
  expires_at timestamptz, -- expiry of a prepared operation
  unique (user_id, request_id)
);
create index archive_operation_user on archive_operation (user_id, created_at desc);
create index archive_operation_open on archive_operation (status)
  where status in ('prepared', 'queued', 'running', 'stopping', 'undoing');

-- Assets of an archive operation in the order of execution.
create table archive_operation_batch (
  operation_id uuid not null references archive_operation on delete cascade, -- operation
  position int not null, -- order
  asset_ids uuid[] not null, -- assets
  archived_ids uuid[], -- archived assets; null: not processed yet
  revisions int[], -- state_revision of each archived asset: the undo skips assets changed since
  is_undone boolean not null default false, -- the undo has processed it
  primary key (operation_id, position)
);
