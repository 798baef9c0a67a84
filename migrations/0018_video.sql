-- Frames of a video that say most about it, ranked best first; their pictures are derived files.
create table video_enrichment (
  asset_id uuid primary key references asset on delete cascade,
  status text not null
    check (status in ('pending', 'processing', 'ready', 'failed', 'unavailable')),
  -- What it was made from: the bytes and the models; another value now means outdated.
  source text,
  cover_ms int check (cover_ms >= 0),
  error text,
  updated_at timestamptz not null default now()
);

create table video_frame (
  id uuid primary key,
  asset_id uuid not null references asset on delete cascade,
  at_ms int not null check (at_ms >= 0),
  rank int not null,
  quality real not null,
  -- Relative to the derived folder.
  name text not null,
  size bigint not null,
  width int not null,
  height int not null,
  caption text,
  created_at timestamptz not null default now()
);
create index video_frame_asset on video_frame (asset_id, rank);

create table video_moment (
  id uuid primary key,
  asset_id uuid not null references asset on delete cascade,
  kind text not null check (kind in ('generated', 'manual')),
  start_ms int not null check (start_ms >= 0),
  end_ms int not null,
  title text,
  caption text,
  transcript text,
  frame_id uuid references video_frame on delete set null,
  source text,
  tokens tsvector,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (start_ms <= end_ms)
);
create index video_moment_asset on video_moment (asset_id, start_ms);
create index video_moment_tokens on video_moment using gin (tokens);
