-- Changes of preferences, and items pinned to the sidebar.

-- History of the preferences. The newest hundred changes of an account are kept.
create table preference_change (
  id uuid primary key default gen_random_uuid(), -- identifier
  user_id uuid not null references app_user on delete cascade, -- account
  session_id uuid, -- session that saved the change; may have ended since
  changes jsonb not null, -- [{path, redacted, previous, value}]; redacted fields carry no values
  number bigint generated always as identity, -- order of changes made at the same instant
  created_at timestamptz not null default now() -- time of the change
);
create index preference_change_user on preference_change (user_id, number desc);

-- Version of an account's list of pins.
create table pin_list (
  user_id uuid primary key references app_user on delete cascade, -- account
  revision int not null default 0 -- incremented with each change of the list
);

-- Pinned items.
create table pin (
  id uuid primary key default gen_random_uuid(), -- identifier
  user_id uuid not null references app_user on delete cascade, -- account
  kind text not null check (kind in ('album', 'person', 'tag', 'memory')), -- type of the target
  target_id uuid not null, -- pinned item; a deleted one is shown as unavailable
  position int not null, -- order in the list
  unique (user_id, kind, target_id)
);
