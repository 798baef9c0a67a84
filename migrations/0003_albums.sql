create table album (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references app_user on delete cascade,
  name text not null,
  description text not null default '',
  -- Chosen by hand; otherwise the newest asset stands for the album.
  cover_id uuid references asset on delete set null,
  is_activity_enabled boolean not null default true,
  sort_order text not null default 'desc' check (sort_order in ('asc', 'desc')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index album_owner on album (owner_id);

-- With whom the album is shared; the owner is not a row here.
create table album_user (
  album_id uuid not null references album on delete cascade,
  user_id uuid not null references app_user on delete cascade,
  role text not null check (role in ('editor', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (album_id, user_id)
);
create index album_user_user on album_user (user_id);

create table album_asset (
  album_id uuid not null references album on delete cascade,
  asset_id uuid not null references asset on delete cascade,
  added_by uuid references app_user on delete set null,
  created_at timestamptz not null default now(),
  primary key (album_id, asset_id)
);
create index album_asset_asset on album_asset (asset_id);

create table shared_link (
  id uuid primary key default gen_random_uuid(),
  owner_id uuid not null references app_user on delete cascade,
  type text not null check (type in ('ALBUM', 'INDIVIDUAL')),
  album_id uuid references album on delete cascade,
  -- Random bytes; the owner's listing shows the link again, so they are not hashed.
  key bytea not null unique,
  slug text unique,
  password_hash text,
  description text,
  expires_at timestamptz,
  allow_upload boolean not null default false,
  allow_download boolean not null default true,
  show_metadata boolean not null default true,
  created_at timestamptz not null default now(),
  check ((type = 'ALBUM') = (album_id is not null))
);
create index shared_link_owner on shared_link (owner_id);
create index shared_link_album on shared_link (album_id);

create table shared_link_asset (
  link_id uuid not null references shared_link on delete cascade,
  asset_id uuid not null references asset on delete cascade,
  primary key (link_id, asset_id)
);
create index shared_link_asset_asset on shared_link_asset (asset_id);
