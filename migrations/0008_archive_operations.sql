create table archive_operation (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  -- The caller's own name of the request: repeating it answers the same operation.
  request_id uuid,
  source text not null check (source in ('timeline', 'selection')),
  status text not null check (status in ('prepared', 'expired', 'queued', 'running', 'completed',
    'failed', 'stopping', 'undoing', 'undone')),
  -- Grows with each change of the status.
  revision int not null default 1,
  total int not null,
  -- What became of the items so far: of these two is the sum what was processed …
  archived int not null default 0,
  skipped int not null default 0,
  -- … and of these what undoing did with those that were archived.
  restored int not null default 0,
  kept int not null default 0,
  error text,
  created_at timestamptz not null default now(),
  confirmed_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  undo_requested_at timestamptz,
  undone_at timestamptz,
  expires_at timestamptz,
  unique (user_id, request_id)
);
create index archive_operation_user on archive_operation (user_id, created_at desc);
create index archive_operation_open on archive_operation (status)
  where status in ('prepared', 'queued', 'running', 'stopping', 'undoing');

-- The frozen selection, in the order in which it is worked through, many items to a row.
create table archive_operation_batch (
  operation_id uuid not null references archive_operation on delete cascade,
  position int not null,
  asset_ids uuid[] not null,
  -- Null while nothing was done. Those that were archived, and the state revision that this left
  -- behind: undoing restores only where it still holds.
  archived_ids uuid[],
  revisions int[],
  is_undone boolean not null default false,
  primary key (operation_id, position)
);
