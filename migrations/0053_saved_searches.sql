-- Searches that an account keeps under a name.

-- A search as it was written and narrowed: understood anew each time.
create table saved_search (
  id uuid primary key default gen_random_uuid(), -- search
  owner_id uuid not null references app_user on delete cascade, -- account that saved it
  name text not null, -- name given by the account
  words text not null, -- what was written
  chips jsonb not null, -- conditions that were chosen besides, as [{field, label, value}]
  sort text, -- order that was chosen; null: the default one
  created_at timestamptz not null default now() -- time of saving
);
-- The searches of an account, the newest first.
create index saved_search_owner on saved_search (owner_id, created_at desc, id desc);
