create table archive_operation (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references app_user on delete cascade,
  -- The caller's own name of the request: repeating it answers the same operation.
  request_id uuid,
  source text not null check (source in ('timeline', 'selection')),
  status text not null check (status in ('prepared', 'expired', 'queued', 'running', 'completed',
    'failed', 'stopping', 'undoing', 'undone')),
  revision int not null default 1,
  total int not null,
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

-- The frozen selection, in the order in which it is worked through.
create table archive_operation_item (
  operation_id uuid not null references archive_operation on delete cascade,
  position int not null,
  asset_id uuid not null,
  state text not null default 'waiting'
    check (state in ('waiting', 'archived', 'skipped', 'failed', 'restored', 'kept')),
  -- The state revision that archiving left behind: undo restores only where it still holds.
  state_revision int,
  primary key (operation_id, position)
);
