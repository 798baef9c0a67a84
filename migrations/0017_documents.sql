-- A photo with recognized text. The text itself is never changed: corrections stand beside it.
create table document (
  asset_id uuid primary key references asset on delete cascade,
  model_id text not null,
  -- Grows with every decision of the owner.
  revision int not null default 1,
  recognized_at timestamptz not null default now()
);

create table document_line (
  asset_id uuid not null references document on delete cascade,
  line int not null,
  text text not null,
  score real not null,
  -- Four corners, as fractions of the picture: x1, y1 … x4, y4.
  quad real[] not null,
  primary key (asset_id, line)
);

create table document_edit (
  id uuid primary key default gen_random_uuid(),
  asset_id uuid not null references document on delete cascade,
  line int not null,
  action text not null check (action in ('correct', 'dismiss')),
  text text,
  revision int not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (asset_id, line),
  check ((action = 'correct') = (text is not null))
);

create table document_field (
  asset_id uuid not null references document on delete cascade,
  field text not null,
  action text not null check (action in ('confirm', 'correct', 'dismiss')),
  value text,
  revision int not null default 1,
  updated_at timestamptz not null default now(),
  primary key (asset_id, field)
);
