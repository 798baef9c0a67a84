-- An account that was removed shares nothing while it waits to be restored. To the copies that phones
-- keep it is as if the partnership ended and began again: both sides look at it once more, and after a
-- restore the partner's Timeline is sent anew.
create function partners_suspended() returns trigger language plpgsql as $$
begin
  update partner set since = pg_current_xact_id() where sharer_id = new.id;
  update partner set since = pg_current_xact_id() where viewer_id = new.id;
  return null;
end $$;
create trigger partners_suspended after update of deleted_at on app_user for each row
  when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function partners_suspended();

-- What those who wait now have shared is taken back.
update partner set since = pg_current_xact_id()
where exists (select from app_user
  where app_user.id in (sharer_id, viewer_id) and app_user.deleted_at is not null);
