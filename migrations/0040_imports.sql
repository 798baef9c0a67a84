-- Imports of other programs' libraries: see src/areas/imports and src/areas/move-ins.

-- Files that the latest run of a move could not take in, the first 10,000.
create table move_in_failure (
  operation_id uuid not null references operation on delete cascade, -- operation
  position int not null, -- order, from 0
  name text not null, -- name of the file there
  reason text not null, -- why it was refused, in English
  primary key (operation_id, position)
);

-- Faces with names of the other server, until a face here has taken the name, or for 30 days.
create table move_in_face (
  asset_id uuid not null references asset on delete cascade, -- asset here
  name text not null, -- name of the person there
  x1 double precision not null, -- left edge, 0 to 1 of the displayed picture
  y1 double precision not null, -- top edge, 0 to 1
  x2 double precision not null, -- right edge, 0 to 1
  y2 double precision not null, -- bottom edge, 0 to 1
  created_at timestamptz not null default now(), -- move
  is_drawn boolean not null default false, -- drawn by hand there: no model finds it here
  birth_date date, -- birth date of the person there
  primary key (asset_id, name)
);
-- Faces that have waited for too long.
create index move_in_face_created on move_in_face (created_at);

-- Albums of other programs, and those that they have become here: two of one title stay two at the next run.
create table album_source (
  owner_id uuid not null references app_user on delete cascade, -- account that the album belongs to
  source text not null, -- program, and its account where it tells one
  key text not null, -- folder or identifier of the album there
  album_id uuid not null references album on delete cascade, -- album here
  primary key (owner_id, source, key)
);
-- An album here is one album there.
create unique index album_source_album on album_source (album_id, source);

-- Scans have the day of the scan: the person may trust the other service more.
alter table asset_supplement add column trusts_date boolean not null default false; -- its date counts more than that of the file
