-- Configuration that administrators change while the server runs.

-- Values that differ from the defaults, by section of Immich's configuration document.
create table system_config (
  section text primary key, -- member of the document, as 'notifications'
  value jsonb not null, -- members that differ from the defaults
  updated_at timestamptz not null default now() -- last change
);
