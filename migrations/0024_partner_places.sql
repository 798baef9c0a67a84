-- Copies that phones keep hold where pictures were taken. Once that is shown to a partner or hidden, what
-- was sent is sent again: the partner's Timeline, and the albums with something of theirs.
create function partner_resent() returns trigger language plpgsql as $$
begin
  new.since := pg_current_xact_id();
  return new;
end $$;
create trigger partner_resent before update of hides_places on partner for each row
  when (old.hides_places <> new.hides_places) execute function partner_resent();

create function resend_albums(viewer uuid, sharer uuid) returns void language sql as $$
  update album_user set since = pg_current_xact_id()
  where user_id = viewer and exists (select from album_count
    where album_count.album_id = album_user.album_id and album_count.owner_id = sharer);
  update album set since = pg_current_xact_id()
  where owner_id = viewer and exists (select from album_count
    where album_count.album_id = album.id and album_count.owner_id = sharer);
$$;

create function partner_albums_resent() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform resend_albums(new.viewer_id, new.sharer_id);
  else
    perform resend_albums(old.viewer_id, old.sharer_id);
  end if;
  return null;
end $$;
create trigger partner_albums_resent_insert after insert on partner for each row
  when (new.hides_places) execute function partner_albums_resent();
create trigger partner_albums_resent_update after update of hides_places on partner for each row
  when (old.hides_places <> new.hides_places) execute function partner_albums_resent();
create trigger partner_albums_resent_delete after delete on partner for each row
  when (old.hides_places) execute function partner_albums_resent();
