-- The albums of an account that was removed are gone for their members while it waits to be restored. To the
-- copies that phones keep it is as if membership ended and began again, as with partners (0029).
create function member_albums_suspended(account uuid) returns void language sql as $$
  update album_user set since = pg_current_xact_id() from album
  where album.id = album_user.album_id and album.owner_id = account;
  insert into change (scope_id, kind, subject_id)
  select album_user.user_id, 'album', album.id from album
  join album_user on album_user.album_id = album.id
  where album.owner_id = account;
$$;

create or replace function partners_suspended() returns trigger language plpgsql as $$
begin
  update partner set since = pg_current_xact_id() where sharer_id = new.id;
  update partner set since = pg_current_xact_id() where viewer_id = new.id;
  perform member_albums_suspended(new.id);
  return null;
end $$;

-- The albums of those who wait now are taken back.
select member_albums_suspended(id) from app_user where deleted_at is not null;
