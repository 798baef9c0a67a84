-- The members of albums in an order of their own.

-- Members are sorted by it and their asset where the order is by hand. What is added later is greater: microseconds
-- since 1970, with room in between; ordering by hand gives members smaller ones.
alter table album_asset add column position bigint not null default 0; -- place in an order by hand
alter table album_asset alter column position set default (extract(epoch from now()) * 1000000)::bigint * 1024;
-- A page of an album by place.
create index album_asset_position on album_asset (album_id, position, asset_id);

-- Albums that were ever ordered by hand: their members have places.
create table album_order (
  album_id uuid primary key references album on delete cascade, -- album
  is_by_hand boolean not null, -- shown in this order, not by date
  revision int not null default 1 -- incremented with each change of the order
);
