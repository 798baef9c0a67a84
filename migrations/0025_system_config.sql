-- Configuration that administrators change while the server runs.

-- Values that differ from the defaults, by section of the configuration.
create table system_config (
  section text primary key, -- as 'notifications' of Immich's document, or 'webhooks' of our own
  value jsonb not null, -- members that differ from the defaults
  updated_at timestamptz not null default now() -- last change
);
