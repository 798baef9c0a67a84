-- What changed, for clients that keep a copy. Rows are only added; a job drops what is older than the
-- time after which clients start over. Readers follow the transaction id up to the oldest transaction
-- that still runs: a sequence would skip what commits late.
create table change (
  xid xid8 not null default pg_current_xact_id(),
  id bigint generated always as identity,
  -- Whose copy it belongs to: an account, or an album for what its members see.
  scope_id uuid not null,
  kind text not null,
  is_gone boolean not null default false,
  subject_id uuid not null,
  -- The second half of a pair, as the asset of an album.
  other_id uuid,
  created_at timestamptz not null default now(),
  primary key (scope_id, xid, id)
);
create index change_created on change (created_at);

create table sync_checkpoint (
  session_id uuid not null references session on delete cascade,
  entity_type text not null,
  ack text not null,
  updated_at timestamptz not null default now(),
  primary key (session_id, entity_type)
);
