-- Studio: projects, single frames that are rendered of them, and streams.

-- Films that somebody cuts.
create table studio_project (
  id uuid primary key default gen_random_uuid(), -- identifier
  owner_id uuid not null references app_user on delete cascade, -- account that it belongs to
  -- its members may watch, its editors may store revisions; null: only the owner
  album_id uuid references album on delete set null,
  name text not null, -- title
  head_revision int not null default 1, -- current revision
  created_at timestamptz not null, -- creation
  updated_at timestamptz not null -- last revision, or change of the title or the album
);
create index studio_project_owner on studio_project (owner_id, updated_at desc, id);
create index studio_project_album on studio_project (album_id) where album_id is not null;

-- The document of a project after each change. Rows never change.
create table studio_revision (
  project_id uuid not null references studio_project on delete cascade, -- project
  revision int not null, -- from 1
  document jsonb not null, -- tracks with clips and titles
  created_at timestamptz not null, -- when it was stored
  created_by uuid references app_user on delete set null, -- account that stored it
  primary key (project_id, revision)
);
create index studio_revision_creator on studio_revision (created_by) where created_by is not null;

-- Frames, rendered once for all that ask for the same.
create table studio_render (
  id uuid primary key, -- identifier (v7), and name of the folder
  project_id uuid not null references studio_project on delete cascade, -- project
  revision int not null, -- revision of the project
  numerator bigint not null, -- time in the film in seconds, in lowest terms
  denominator bigint not null, -- its denominator
  quality text not null check (quality in ('draft', 'standard', 'full')), -- how well
  width int not null, -- viewport in pixels
  height int not null, -- viewport in pixels
  render_key text not null, -- digest of all that decides what the frame shows, in hex
  account_id uuid not null references app_user on delete cascade, -- by whose rights it is rendered
  state text not null check (state in ('queued', 'rendering', 'ready', 'failed', 'cancelled')), -- state
  error text, -- why it failed
  created_at timestamptz not null, -- creation
  ready_at timestamptz, -- when the frame was complete
  released_at timestamptz, -- when its folder was removed, after the renderer had ended
  source_count int not null -- assets that it shows: see 0033_composites.sql
);
create unique index studio_render_key on studio_render (render_key)
  where state in ('queued', 'rendering', 'ready') and released_at is null;
create index studio_render_project on studio_render (project_id);
create index studio_render_account on studio_render (account_id);

-- Admissions: each request for a frame.
create table studio_preview (
  id uuid primary key, -- identifier (v7)
  render_id uuid not null references studio_render on delete cascade, -- frame
  account_id uuid not null references app_user on delete cascade, -- account that asked
  consumer_request_id uuid, -- who may see it, chosen by the client; null: everybody of the account
  operation_id uuid, -- rendering that it waited for; null: the frame was there
  created_at timestamptz not null, -- creation
  retired_at timestamptz -- when it was deleted
);
create index studio_preview_render on studio_preview (render_id);
create index studio_preview_account on studio_preview (account_id);

-- Preview streams. A process of the server sends one to one browser.
create table studio_stream (
  id uuid primary key, -- identifier (v7)
  project_id uuid not null, -- project; it may be gone since
  revision int not null, -- revision of the project
  account_id uuid not null references app_user on delete cascade, -- account that watches
  session_id uuid, -- session that opened it, without which it ends; null: opened by an API key alone
  api_key_id uuid, -- API key that opened it, without which it ends; null: opened by a session alone
  max_bitrate_kbps int not null, -- bound in kbit/s, written into each answer
  state text not null default 'starting' check (
    state in ('starting', 'waiting', 'answered', 'connected', 'interrupted', 'closed')), -- state
  negotiation int not null default 1, -- offers so far, with the one that is being made
  offer text, -- session description for the browser, while it is waited for
  close_reason text check (close_reason in ('deleted', 'superseded', 'revision-superseded',
    'access-lost', 'source-unavailable', 'worker-lost', 'keepalive-expired', 'negotiation-failed',
    'error')), -- why it was closed
  created_at timestamptz not null, -- creation
  polled_at timestamptz not null, -- last request of the client: its lease counts from here
  closed_at timestamptz, -- when it was closed
  check ((state = 'waiting') = (offer is not null)),
  check ((state = 'closed') = (closed_at is not null)),
  check ((state = 'closed') = (close_reason is not null))
);
create index studio_stream_account on studio_stream (account_id);
-- Closed streams, which are deleted.
create index studio_stream_closed on studio_stream (closed_at) where state = 'closed';
