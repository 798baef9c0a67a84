-- The log of migration 0012, for what accounts share.

create function album_logged() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    insert into change (scope_id, kind, subject_id) select id, 'album', id from touched;
  end if;
  if tg_op <> 'UPDATE' then
    insert into change (scope_id, kind, subject_id) select owner_id, 'album', id from touched
    where exists (select from app_user where app_user.id = touched.owner_id);
  end if;
  return null;
end $$;
create trigger album_logged_insert after insert on album
  referencing new table as touched for each statement execute function album_logged();
create trigger album_logged_update after update on album
  referencing new table as touched for each statement execute function album_logged();
create trigger album_logged_delete after delete on album
  referencing old table as touched for each statement execute function album_logged();

-- Nobody can look into an album that is gone: what cascades from it needs no rows of its own.
create function album_user_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id)
  select album_id, 'album_user', user_id from touched
  where exists (select from album where album.id = touched.album_id);
  if tg_op <> 'UPDATE' then
    insert into change (scope_id, kind, subject_id) select user_id, 'album', album_id from touched
    where exists (select from app_user where app_user.id = touched.user_id);
  end if;
  return null;
end $$;
create trigger album_user_logged_insert after insert on album_user
  referencing new table as touched for each statement execute function album_user_logged();
create trigger album_user_logged_update after update on album_user
  referencing new table as touched for each statement execute function album_user_logged();
create trigger album_user_logged_delete after delete on album_user
  referencing old table as touched for each statement execute function album_user_logged();

create function album_asset_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id)
  select album_id, 'album_asset', asset_id from touched
  where exists (select from album where album.id = touched.album_id);
  return null;
end $$;
create trigger album_asset_logged_insert after insert on album_asset
  referencing new table as touched for each statement execute function album_asset_logged();
create trigger album_asset_logged_delete after delete on album_asset
  referencing old table as touched for each statement execute function album_asset_logged();

create function partner_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, other_id)
  select sharer_id, 'partner', sharer_id, viewer_id from touched
  where exists (select from app_user where app_user.id = touched.sharer_id)
  union all
  select viewer_id, 'partner', sharer_id, viewer_id from touched
  where exists (select from app_user where app_user.id = touched.viewer_id);
  return null;
end $$;
create trigger partner_logged_insert after insert on partner
  referencing new table as touched for each statement execute function partner_logged();
create trigger partner_logged_update after update on partner
  referencing new table as touched for each statement execute function partner_logged();
create trigger partner_logged_delete after delete on partner
  referencing old table as touched for each statement execute function partner_logged();

create function app_user_logged() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into change (scope_id, kind, subject_id)
    select everybody(), 'user', id from (
      select id, name, email, avatar_color, profile_image, profile_changed_at, deleted_at from gone
      union select id, name, email, avatar_color, profile_image, profile_changed_at, deleted_at from added
    ) side group by id having count(*) > 1;
  else
    insert into change (scope_id, kind, subject_id) select everybody(), 'user', id from touched;
  end if;
  return null;
end $$;
create trigger app_user_logged_insert after insert on app_user
  referencing new table as touched for each statement execute function app_user_logged();
create trigger app_user_logged_update after update on app_user
  referencing old table as gone new table as added for each statement
  execute function app_user_logged();
create trigger app_user_logged_delete after delete on app_user
  referencing old table as touched for each statement execute function app_user_logged();
