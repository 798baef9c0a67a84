-- Films that are made of projects.

-- Each order to make one. The folder of that name holds the file, and what is needed meanwhile.
create table studio_export (
  id uuid primary key, -- identifier (v7), and name of the folder
  project_id uuid not null references studio_project on delete cascade, -- project
  revision int not null, -- revision of the project
  account_id uuid not null references app_user on delete cascade, -- account that asked, by whose rights it is made
  destination text not null check (destination in ('library', 'download')), -- where the film goes
  width int not null, -- of the film in pixels
  height int not null, -- of the film in pixels
  state text not null default 'queued' check (
    state in ('queued', 'rendering', 'ready', 'failed', 'cancelled')), -- state
  progress double precision not null default 0, -- share that is made, from 0 to 1
  error text, -- why it failed
  planned_bytes bigint not null default 0, -- bytes that it may take while it is made
  size bigint, -- bytes of the film, once it is ready
  asset_id uuid references asset on delete set null, -- item that the film became
  created_at timestamptz not null, -- creation
  ended_at timestamptz, -- when it became ready, failed or was cancelled
  source_count int not null, -- assets that it is made of: see 0033_composites.sql
  check ((state in ('queued', 'rendering')) = (ended_at is null)),
  check ((state = 'ready') = (size is not null))
);
create index studio_export_project on studio_export (project_id);
create index studio_export_account on studio_export (account_id);
create index studio_export_asset on studio_export (asset_id) where asset_id is not null;
-- Exports that are too old to be kept.
create index studio_export_ended on studio_export (ended_at) where ended_at is not null;
