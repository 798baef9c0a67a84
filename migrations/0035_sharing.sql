-- What guests, members of albums and partners see.

-- Links that hide from guests where items were taken.
create table shared_link_placeless (
  link_id uuid primary key references shared_link on delete cascade -- shared link
);

-- Derived files of the kind 'bare_image': a picture without metadata, for guests from whom places are hidden.
alter table asset_file drop constraint asset_file_kind_check;
alter table asset_file add constraint asset_file_kind_check check (kind in ('thumbnail', 'preview',
  'fullsize', 'encoded_video', 'bare_video', 'bare_image', 'sidecar', 'edited_thumbnail',
  'edited_preview', 'edited_fullsize'));

-- Uses of shared links. Nothing tells by whom.
create table shared_link_use (
  link_id uuid primary key references shared_link on delete cascade, -- shared link
  opened_count bigint not null default 0, -- visits of its page
  downloaded_count bigint not null default 0, -- files and archives that guests asked for
  last_opened_at timestamptz -- latest visit
);

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

-- A partner may see only what was taken on a day or later.
alter table partner add column shared_from date; -- first local day of capture; null: all

-- A copy keeps what is not shared any more until it is told to remove it.
create function log_assets_shared_no_more(before partner, after partner) returns void language sql as $$
  insert into change (scope_id, kind, subject_id)
  select after.viewer_id, 'asset_unshared', asset.id from asset
  where asset.owner_id = after.sharer_id
    and is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at)
    and asset.local_taken_at < after.shared_from
    and asset.local_taken_at >= coalesce(before.shared_from, '-infinity')
    and exists (select from app_user where app_user.id = after.viewer_id)
$$;

create or replace function partner_resent() returns trigger language plpgsql as $$
begin
  perform log_unshared_stacks(old.sharer_id, old.viewer_id, old.since);
  if old.hides_places <> new.hides_places then
    perform resend_albums(old.sharer_id);
  end if;
  perform log_assets_shared_no_more(old, new);
  new.since := pg_current_xact_id();
  return new;
end $$;
drop trigger partner_resent on partner;
create trigger partner_resent before update of hides_places, shared_from on partner for each row
  when ((old.hides_places, old.shared_from) is distinct from (new.hides_places, new.shared_from))
  execute function partner_resent();
