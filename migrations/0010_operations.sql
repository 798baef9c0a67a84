-- Operations: long work that an account starts, sees and ends, and that a job does. See src/operations.

-- Operations of all kinds.
create table operation (
  id uuid primary key default gen_random_uuid(), -- identifier
  kind text not null, -- kind, as 'archive': the area of that name defines it
  account_id uuid not null references app_user on delete cascade, -- account that asked, by whose rights it is done
  request_id uuid, -- idempotency key of the client
  state text not null check (state in ('prepared', 'queued', 'running', 'cancelling', 'undoing',
    'completed', 'failed', 'cancelled', 'undone', 'expired')), -- state
  revision int not null default 1, -- incremented with each change of the state
  payload jsonb not null, -- what is to be done, by the schema of its kind
  progress jsonb not null, -- what was done so far, by the schema of its kind
  total int not null default 0, -- items
  error text, -- message of a failure
  created_at timestamptz not null, -- request
  started_at timestamptz, -- start of the work
  finished_at timestamptz, -- end of the work, whatever it was
  expires_at timestamptz, -- expiry of one that is prepared
  unique (account_id, kind, request_id)
);
create index operation_account on operation (account_id, kind, created_at desc, id desc);
-- Operations under way, for the limits of an account, and for those whose job was lost.
create index operation_open on operation (account_id, kind)
  where state in ('prepared', 'queued', 'running', 'cancelling', 'undoing');

-- Assets of an operation in the order of execution.
create table operation_batch (
  operation_id uuid not null references operation on delete cascade, -- operation
  position int not null, -- order
  asset_ids uuid[] not null, -- assets
  revisions int[], -- state_revision of each at the request: assets changed since are skipped; null: they are moved as they are
  moved_ids uuid[], -- assets that were moved; null: not processed yet
  moved_revisions int[], -- state_revision of each moved asset: the undo skips assets changed since
  is_undone boolean not null default false, -- the undo has processed it
  primary key (operation_id, position)
);
