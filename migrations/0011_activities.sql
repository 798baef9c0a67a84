create table activity (
  id uuid primary key default gen_random_uuid(),
  album_id uuid not null references album on delete cascade,
  user_id uuid not null references app_user on delete cascade,
  asset_id uuid references asset on delete cascade,
  kind text not null check (kind in ('like', 'comment')),
  comment text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((kind = 'comment') = (comment is not null))
);
create index activity_album on activity (album_id, created_at);
create index activity_asset on activity (asset_id) where asset_id is not null;
create unique index activity_like on activity (album_id, user_id, asset_id) nulls not distinct
  where kind = 'like';

create table asset_edit (
  asset_id uuid not null references asset on delete cascade,
  position int not null,
  action text not null check (action in ('crop', 'rotate', 'mirror')),
  parameters jsonb not null,
  primary key (asset_id, position)
);

-- What the row of an edited asset says about its picture while nobody has edited it: there the edited
-- one is described. Edits are made to this size.
create table asset_unedited (
  asset_id uuid primary key references asset on delete cascade,
  width int not null,
  height int not null,
  thumbhash bytea
);
