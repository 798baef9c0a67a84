-- Imports of other programs' libraries: see src/areas/imports and src/areas/move-ins.

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

-- Faces that somebody has drawn by hand: no model finds them here.
alter table move_in_face add column is_drawn boolean not null default false; -- drawn by hand there
alter table move_in_face add column birth_date date; -- birth date of the person there

-- Scans have the day of the scan: the person may trust the other service more.
alter table asset_supplement add column trusts_date boolean not null default false; -- its date counts more than that of the file
