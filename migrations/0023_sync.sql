-- The log of migration 0012, for who and what is in the pictures. All of it is the owner's own: the
-- scopes of partners and albums have no such rows.

-- Looked at by the triggers below: what a transaction has said of a person before.
create index change_person on change (subject_id, xid, id) where kind = 'person';

-- A person is known without the PIN by a face outside Locked, or while it has none at all.
create function is_person_open(person uuid) returns boolean language sql stable as $$
  select coalesce(
    (select true from face join asset on asset.id = face.asset_id
      where face.person_id = person and asset.locked_at is null limit 1),
    not exists (select from face where face.person_id = person))
$$;

-- Whether it was so before this transaction, if the transaction has changed anything of it already:
-- a person who loses its faces and then goes was never open in between.
create function was_person_open(person uuid) returns boolean language sql stable as $$
  select is_open from change
  where kind = 'person' and subject_id = person and xid = pg_current_xact_id() order by id limit 1
$$;

create function person_logged() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into change (scope_id, kind, subject_id, is_open)
    select owner_id, 'person', id, coalesce(was_person_open(id), false) from added;
  else
    insert into change (scope_id, kind, subject_id, is_open)
    select owner_id, 'person', id,
      coalesce(was_person_open(id), merged_into is null and is_person_open(id))
    from gone where exists (select from app_user where app_user.id = gone.owner_id);
  end if;
  return null;
end $$;
create trigger person_logged_insert after insert on person
  referencing new table as added for each statement execute function person_logged();
create trigger person_logged_update after update on person
  referencing old table as gone for each statement execute function person_logged();
create trigger person_logged_delete after delete on person
  referencing old table as gone for each statement execute function person_logged();

-- Faces as they were (sign -1) and as they are (1). `moved`: whose it is or whether it counts has
-- changed, which may show or hide the person. All faces of an asset are sent again, which are few;
-- those that went are told one by one. Of assets that are gone nothing is said: what was known of them
-- went with them.
create function log_faces(ids uuid[], asset_ids uuid[], person_ids uuid[], signs int[], moved bool[])
  returns void language plpgsql as $$
begin
  if ids is null then return; end if;
  insert into change (scope_id, kind, subject_id, other_id, is_open)
  select distinct asset.owner_id, case when side.is_gone then 'face_gone' else 'face' end, asset.id,
    case when side.is_gone then side.id end, asset.locked_at is null
  from (
    select id, asset_id, bool_and(sign < 0) as is_gone
    from unnest(ids, asset_ids, signs) known (id, asset_id, sign) group by id, asset_id
  ) side join asset on asset.id = side.asset_id
  where exists (select from app_user where app_user.id = asset.owner_id);
  insert into change (scope_id, kind, subject_id, is_open)
  select owner_id, 'person', person_id, coalesce(was_person_open(person_id),
    was_open or coalesce(
      (select true from face join asset on asset.id = face.asset_id
        where face.person_id = touched.person_id and asset.locked_at is null
          and not face.id = any(came) limit 1),
      not had_any and not exists (
        select from face where face.person_id = touched.person_id and not face.id = any(came))))
  from (
    select asset.owner_id, side.person_id, bool_or(side.sign < 0) as had_any,
      bool_or(side.sign < 0 and asset.locked_at is null) as was_open,
      coalesce(array_agg(side.id) filter (where side.sign > 0), '{}') as came
    from unnest(ids, asset_ids, person_ids, signs, moved) side (id, asset_id, person_id, sign, moved)
    join asset on asset.id = side.asset_id
    where side.moved and side.person_id is not null
    group by asset.owner_id, side.person_id
  ) touched where exists (select from app_user where app_user.id = touched.owner_id);
end $$;

create function face_logged() returns trigger language plpgsql as $$
declare
  ids uuid[];
  asset_ids uuid[];
  person_ids uuid[];
  signs int[];
  moved bool[];
begin
  if tg_op = 'INSERT' then
    select array_agg(id), array_agg(asset_id), array_agg(person_id), array_agg(1), array_agg(true)
    into ids, asset_ids, person_ids, signs, moved from added;
  elsif tg_op = 'DELETE' then
    select array_agg(id), array_agg(asset_id), array_agg(person_id), array_agg(-1), array_agg(true)
    into ids, asset_ids, person_ids, signs, moved from gone;
  else
    select array_agg(id), array_agg(asset_id), array_agg(person_id), array_agg(sign),
      array_agg(is_moved)
    into ids, asset_ids, person_ids, signs, moved from (
      select id, asset_id, person_id, sign, min(place) over same <> max(place) over same as is_moved,
        min(content) over same <> max(content) over same as is_changed
      from (
        select id, asset_id, person_id, 1 as sign,
          hash_record_extended((asset_id, person_id, is_hidden), 0) as place,
          hash_record_extended((asset_id, person_id, is_hidden, x1, y1, x2, y2, image_width,
            image_height, source), 0) as content
        from added
        union all
        select id, asset_id, person_id, -1,
          hash_record_extended((asset_id, person_id, is_hidden), 0),
          hash_record_extended((asset_id, person_id, is_hidden, x1, y1, x2, y2, image_width,
            image_height, source), 0)
        from gone
      ) side window same as (partition by id)
    ) known where is_changed;
  end if;
  perform log_faces(ids, asset_ids, person_ids, signs, moved);
  return null;
end $$;
create trigger face_logged_insert after insert on face
  referencing new table as added for each statement execute function face_logged();
create trigger face_logged_update after update on face
  referencing old table as gone new table as added for each statement execute function face_logged();
create trigger face_logged_delete after delete on face
  referencing old table as gone for each statement execute function face_logged();

-- Who is on what goes into Locked, comes from there, or is gone. Before asset_faces_counted_delete,
-- by its name: that one removes the faces.
create function asset_cast_logged() returns trigger language plpgsql as $$
declare
  moved uuid[];
  opened uuid[];
begin
  if tg_op = 'DELETE' then
    select array_agg(id), array_agg(id) filter (where locked_at is null) into moved, opened from gone;
  else
    if not exists (select from gone where locked_at is not null)
      and not exists (select from added where locked_at is not null) then return null; end if;
    select array_agg(id), array_agg(id) filter (where was_open) into moved, opened from (
      select id, bool_or(was_open) as was_open from (
        select id, locked_at is null as is_open, locked_at is null as was_open from gone
        union all
        select id, locked_at is null, false from added
      ) side group by id having bool_or(is_open) <> bool_and(is_open)
    ) known;
  end if;
  insert into change (scope_id, kind, subject_id, is_open)
  select owner_id, 'person', person_id, coalesce(was_person_open(person_id),
    was_open or coalesce((select true from face join asset on asset.id = face.asset_id
      where face.person_id = touched.person_id and asset.locked_at is null
        and not asset.id = any(moved) limit 1), false))
  from (
    select owner_id, person_id, bool_or(asset_id = any(coalesce(opened, '{}'))) as was_open
    from face where asset_id = any(moved) and person_id is not null group by owner_id, person_id
  ) touched where exists (select from app_user where app_user.id = touched.owner_id);
  return null;
end $$;
create trigger asset_cast_logged_update after update on asset
  referencing old table as gone new table as added for each statement
  execute function asset_cast_logged();
create trigger asset_cast_logged_delete after delete on asset
  referencing old table as gone for each statement execute function asset_cast_logged();

-- As of faces: all lines that an asset has, and each that it has no more.
create function ocr_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, is_open)
  select distinct asset.owner_id, 'ocr', asset.id, asset.locked_at is null
  from touched join asset on asset.id = touched.asset_id;
  return null;
end $$;
create trigger document_line_logged_insert after insert on document_line
  referencing new table as touched for each statement execute function ocr_logged();
create trigger document_line_logged_update after update on document_line
  referencing new table as touched for each statement execute function ocr_logged();
create trigger document_edit_logged_insert after insert on document_edit
  referencing new table as touched for each statement execute function ocr_logged();
create trigger document_edit_logged_update after update on document_edit
  referencing new table as touched for each statement execute function ocr_logged();
create trigger document_edit_logged_delete after delete on document_edit
  referencing old table as touched for each statement execute function ocr_logged();

create function ocr_gone_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, other_id, is_open)
  select asset.owner_id, 'ocr_gone', asset.id, touched.id, asset.locked_at is null
  from touched join asset on asset.id = touched.asset_id;
  return null;
end $$;
create trigger document_line_logged_delete after delete on document_line
  referencing old table as touched for each statement execute function ocr_gone_logged();
