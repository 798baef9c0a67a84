-- Of somebody else's picture, an album tells an account where it was taken unless that is hidden from the
-- owner of the album, or from whoever put the picture in. So what phones were sent of albums is sent again
-- to all members, not only to the partner, whenever that may have become another answer. Only where an
-- owner hides places from anybody: others lose nothing by it.
create function hides_any_place(sharer uuid) returns boolean language sql stable as $$
  select exists (select from partner where sharer_id = sharer and hides_places)
$$;

create or replace function resend_albums(viewer uuid, sharer uuid) returns void language sql as $$
  update album_user set since = pg_current_xact_id()
  where album_id in (select album_id from album_count where owner_id = sharer);
  update album set since = pg_current_xact_id()
  where id in (select album_id from album_count where owner_id = sharer);
$$;

create or replace function partner_albums_resent() returns trigger language plpgsql as $$
declare
  sharer uuid := case when tg_op = 'INSERT' then new.sharer_id else old.sharer_id end;
begin
  if tg_op = 'UPDATE' or (tg_op = 'DELETE' and old.hides_places) or hides_any_place(sharer) then
    perform resend_albums(null, sharer);
  end if;
  return null;
end $$;
drop trigger partner_albums_resent_insert on partner;
create trigger partner_albums_resent_insert after insert on partner for each row
  execute function partner_albums_resent();
drop trigger partner_albums_resent_delete on partner;
create trigger partner_albums_resent_delete after delete on partner for each row
  execute function partner_albums_resent();

-- An album that told the place is gone, or the picture from it, or a member: others may not tell.
create function other_albums_resent() returns trigger language plpgsql as $$
begin
  if not exists (select from partner where hides_places) then return null; end if;
  if tg_table_name = 'album_asset' then
    with other as (
      select distinct member.album_id from gone
      join asset on asset.id = gone.asset_id and hides_any_place(asset.owner_id)
      join album_asset member on member.asset_id = gone.asset_id
    ), of_members as (
      update album_user set since = pg_current_xact_id()
      where album_id in (select album_id from other)
    )
    update album set since = pg_current_xact_id() where id in (select album_id from other);
  else
    with other as (
      select distinct gone.user_id, member.album_id from gone
      join album_asset left_behind on left_behind.album_id = gone.album_id
      join asset on asset.id = left_behind.asset_id and hides_any_place(asset.owner_id)
      join album_asset member on member.asset_id = asset.id
    ), of_members as (
      update album_user set since = pg_current_xact_id() from other
      where album_user.album_id = other.album_id and album_user.user_id = other.user_id
    )
    update album set since = pg_current_xact_id() from other
    where album.id = other.album_id and album.owner_id = other.user_id;
  end if;
  return null;
end $$;
create trigger other_albums_resent after delete on album_asset
  referencing old table as gone for each statement execute function other_albums_resent();
create trigger other_albums_resent after delete on album_user
  referencing old table as gone for each statement execute function other_albums_resent();
select resend_albums(viewer_id, sharer_id) from partner where hides_places;

-- Captions of videos ended in the city. It belongs to the place, which not everybody who sees a video may
-- know, and is found and shown as such.
update video_moment set caption = regexp_replace(caption, ', in .*$', ''),
  words = setweight(to_tsvector('simple', regexp_replace(caption, ', in .*$', '')), 'A')
where kind = 'generated' and caption like '%, in %';
update asset_text_part set text = regexp_replace(text, ', in [^\n]*', '', 'g')
where kind = 'caption' and text like '%, in %';
