-- The change log for clients that keep a copy of the library.

-- Change log. A row names what changed, not its value: readers send what the account may see now, or a
-- deletion. Rows are only added; a job keeps the newest of equal ones and drops old ones. Readers read up to
-- the oldest running transaction: a sequence would skip late commits.
create table change (
  scope_id uuid not null, -- account (and its partners), album (and its members), or everybody()
  xid xid8 not null default pg_current_xact_id(), -- transaction of the change
  id bigint generated always as identity, -- order within the transaction
  -- 'shown': an asset was added, or moved between Timeline, archive, Locked and trash. All about it is sent
  -- again, since clients that lost sight of it dropped that too. '…_gone': a deleted face or line. 'library':
  -- something of the account that no copy holds: what the server remembers of its library is stale.
  -- '…_unshared': the account of the scope has lost sight of something of another
  kind text not null check (kind in ('asset', 'shown', 'exif', 'metadata', 'edit', 'stack', 'partner',
    'user', 'album', 'album_user', 'album_asset', 'person', 'face', 'face_gone', 'ocr', 'ocr_gone',
    'memory', 'memory_asset', 'asset_unshared', 'stack_unshared', 'library')),
  subject_id uuid not null, -- what changed
  other_id uuid, -- second part of its key
  key text, -- metadata key
  is_open boolean not null default true, -- outside Locked before or after: others are not told of a deletion
  is_shared boolean not null default true, -- on the Timeline before or after: likewise for partners
  primary key (scope_id, xid, id)
);
-- Finds the changes of a person that the same transaction has logged before.
create index change_person on change (subject_id, xid, id) where kind = 'person';
-- Finds the stacks that partners may have had.
create index change_shared_stack on change (scope_id, xid) where kind = 'stack' and is_shared;

-- Time of transactions, for the age of rows of the log.
create table change_mark (
  taken_at timestamptz primary key default now(), -- when it was taken
  xid xid8 not null -- oldest running transaction at that time
);

-- State of the log: a single row.
create table change_log (
  only_row boolean primary key default true check (only_row), -- makes a second row impossible
  epoch text not null default '', -- database and cluster that the transaction ids belong to
  dropped_before xid8 not null default '0' -- copies older than this must start over
);
insert into change_log default values;

-- Progress of the copy of a session, by type.
create table sync_checkpoint (
  session_id uuid not null references session on delete cascade, -- session
  entity_type text not null, -- Immich's sync entity type
  ack text, -- last acknowledged position
  -- whether the copy may hold Locked items; set before the first one is sent
  locked text not null default 'none' check (locked in ('none', 'some', 'all')),
  updated_at timestamptz not null default now(), -- last change
  primary key (session_id, entity_type)
);

-- Scope of changes that concern every account.
create function everybody() returns uuid language sql immutable parallel safe as
  $$ select '00000000-0000-0000-0000-000000000000'::uuid $$;

-- Identifier of an edit, derived from its key: edits have none of their own, and clients want a stable one.
create function edit_id(asset_id uuid, "position" int) returns uuid
  language sql immutable parallel safe as $$
  select overlay(overlay(md5(asset_id::text || '/' || "position") placing '4' from 13)
    placing 'a' from 17)::uuid $$;

-- Logs that something of the libraries of these accounts has changed.
create function log_libraries(account_ids uuid[]) returns void language sql as $$
  insert into change (scope_id, kind, subject_id, is_open, is_shared)
  select id, 'library', id, false, false from app_user where id = any(account_ids)
$$;

-- Accounts that may open an album: its owner and its members.
create view album_viewer as
select album.id as album_id, album.owner_id as user_id from album
union all
select album_user.album_id, album_user.user_id from album_user;

-- An archived asset of another account is shown by albums only. Its owner may be a partner, then or later, and
-- phones keep what they have of partners until they are told to remove it; what they have of others they drop
-- themselves when no album has it. So everybody who loses sight of an archived asset gets a row in the own
-- scope: the log of the album is closed to those who have left it, that of a partner to all but partners.
-- The removal is sent unless the asset is shown in another way by then.

-- Logs what the viewers of albums lose with archived assets that all albums stop to show.
create function log_unshared_assets(ids uuid[], owner_ids uuid[]) returns void language plpgsql as $$
begin
  if ids is null then return; end if;
  insert into change (scope_id, kind, subject_id)
  select distinct album_viewer.user_id, 'asset_unshared', lost.id
  from unnest(ids, owner_ids) lost (id, owner_id)
  join album_asset on album_asset.asset_id = lost.id
  join album_viewer on album_viewer.album_id = album_asset.album_id
    and album_viewer.user_id <> lost.owner_id
  where exists (select from app_user where app_user.id = lost.owner_id)
    and exists (select from app_user where app_user.id = album_viewer.user_id);
end $$;

-- Logs what accounts lose with albums, by pairs of both.
create function log_unshared_albums(album_ids uuid[], user_ids uuid[]) returns void language sql as $$
  insert into change (scope_id, kind, subject_id)
  select distinct lost.user_id, 'asset_unshared', asset.id
  from unnest(album_ids, user_ids) lost (album_id, user_id)
  join album_asset on album_asset.album_id = lost.album_id
  join asset on asset.id = album_asset.asset_id and asset.owner_id <> lost.user_id
  where asset.visibility = 'archive' and is_listed(asset.visibility, asset.locked_at, asset.trashed_at)
    and exists (select from album_count where album_count.album_id = lost.album_id
      and album_count.owner_id <> lost.user_id)
    and exists (select from app_user where app_user.id = lost.user_id)
$$;

-- Log changes of assets. Members of a stack tell who may see it and which is on top.
create function log_inserted_assets(after asset[]) returns void language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, is_open, is_shared)
  select owner_id, said.kind, said.subject_id, locked_at is null,
    is_on_timeline(visibility, locked_at, trashed_at)
  from unnest(after) cross join lateral (values ('shown', id), ('stack', stack_id))
    said (kind, subject_id)
  where said.subject_id is not null;
end $$;

create function log_updated_assets(before asset[], after asset[]) returns void language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, is_open, is_shared)
  with side as (
    select id, owner_id, locked_at is null as is_open,
      is_on_timeline(visibility, locked_at, trashed_at) as is_shared,
      is_listed(visibility, locked_at, trashed_at) as is_member,
      hash_record_extended((owner_id, type, sha1, file_name, visibility, locked_at, trashed_at,
        is_favorite, stack_id, live_video_id, taken_at, local_taken_at, file_modified_at, width,
        height, duration_ms, thumbhash, created_at, file_size), 0) as content,
      stack_id::text as stack, case when stack_id is not null then hash_record_extended(
        (stack_id, is_stack_child, visibility, locked_at is null, trashed_at is null), 0) end as seat
    from unnest(before)
    union all
    select id, owner_id, locked_at is null,
      is_on_timeline(visibility, locked_at, trashed_at),
      is_listed(visibility, locked_at, trashed_at),
      hash_record_extended((owner_id, type, sha1, file_name, visibility, locked_at, trashed_at,
        is_favorite, stack_id, live_video_id, taken_at, local_taken_at, file_modified_at, width,
        height, duration_ms, thumbhash, created_at, file_size), 0),
      stack_id::text, case when stack_id is not null then hash_record_extended(
        (stack_id, is_stack_child, visibility, locked_at is null, trashed_at is null), 0) end
    from unnest(after)
  ), changed as materialized (
    select id, owner_id, bool_or(is_open) as is_open, bool_or(is_shared) as is_shared,
      bool_or(is_member) as is_member,
      bool_or(is_open) <> bool_and(is_open) or bool_or(is_shared) <> bool_and(is_shared)
        or bool_or(is_member) <> bool_and(is_member) as is_moved,
      min(content) <> max(content) as is_changed,
      -- The top item of a stack depends on the state of all its members.
      min(seat) <> max(seat) or count(seat) = 1 as is_reseated,
      min(stack) as first_stack, max(stack) as last_stack
    from side group by id, owner_id
    having min(content) <> max(content) or min(seat) <> max(seat)
  )
  select owner_id, case when is_moved then 'shown' else 'asset' end, id, is_open, is_shared
  from changed where is_changed
  union all
  select album_asset.album_id, case when is_moved then 'album_asset' else 'asset' end, changed.id,
    is_open, is_shared
  from changed join album_asset on album_asset.asset_id = changed.id where is_member and is_changed
  union all
  select distinct owner_id, 'stack', stack::uuid, is_open, is_shared
  from changed cross join unnest(array[first_stack, last_stack]) stack
  where is_reseated and stack is not null;
  perform log_libraries(array(select distinct owner_id from unnest(after)));
  perform log_unshared_assets(array_agg(id), array_agg(owner_id)) from (
    select id, owner_id from unnest(before)
    where visibility = 'archive' and is_listed(visibility, locked_at, trashed_at)
    intersect
    select id, owner_id from unnest(after)
    where not is_listed(visibility, locked_at, trashed_at)) hidden;
end $$;

create function log_deleted_assets(before asset[]) returns void language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, is_open, is_shared)
  select gone.owner_id, said.kind, said.subject_id, gone.locked_at is null,
    is_on_timeline(gone.visibility, gone.locked_at, gone.trashed_at)
  from unnest(before) gone cross join lateral (values ('shown', gone.id), ('stack', gone.stack_id))
    said (kind, subject_id)
  where said.subject_id is not null
    and exists (select from app_user where app_user.id = gone.owner_id);
  perform log_unshared_assets(array_agg(id), array_agg(owner_id)) from unnest(before)
  where visibility = 'archive' and is_listed(visibility, locked_at, trashed_at);
end $$;

create function log_exif(before asset_exif[], after asset_exif[]) returns void language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id)
  with changed as materialized (
    select asset_id from (
      select exif.asset_id, hash_record_extended(exif, 0) as content from unnest(before) exif
      union all select exif.asset_id, hash_record_extended(exif, 0) from unnest(after) exif
    ) side group by asset_id having min(content) <> max(content) or count(*) = 1
  )
  select asset.owner_id, 'exif', asset.id from changed join asset on asset.id = changed.asset_id
  union all
  select album_asset.album_id, 'exif', album_asset.asset_id
  from changed join album_asset on album_asset.asset_id = changed.asset_id;
end $$;

-- Logs parts of assets, of the kind in the argument: `key` names a changed value, `id` a deleted line.
create function asset_part_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, other_id, key, is_open)
  select distinct asset.owner_id, tg_argv[0], asset.id,
    case tg_argv[0] when 'ocr_gone' then (to_jsonb(touched) ->> 'id')::uuid end,
    to_jsonb(touched) ->> 'key', asset.locked_at is null
  from touched join asset on asset.id = touched.asset_id;
  return null;
end $$;
call watch_rows('asset_metadata', 'insert, update, delete', 'asset_part_logged', 'metadata');
-- As for faces: all lines of an asset, and each deleted one.
call watch_rows('document_line', 'insert, update', 'asset_part_logged', 'ocr');
call watch_rows('document_line', 'delete', 'asset_part_logged', 'ocr_gone');
call watch_rows('document_edit', 'insert, update, delete', 'asset_part_logged', 'ocr');

-- Logs the asset too, since it tells whether it is edited.
create function asset_edit_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, other_id, is_open, is_shared)
  with changed as materialized (
    select asset.owner_id, asset.id, touched."position", asset.locked_at is null as is_open,
      is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at) as is_shared
    from touched join asset on asset.id = touched.asset_id
  )
  select owner_id, 'edit', id, edit_id(id, "position"), is_open, is_shared from changed
  union all
  select distinct owner_id, 'asset', id, null::uuid, is_open, is_shared from changed
  union all
  select distinct album_asset.album_id, 'asset', id, null::uuid, is_open, is_shared
  from changed join album_asset on album_asset.asset_id = changed.id;
  return null;
end $$;
call watch_rows('asset_edit', 'insert, update, delete', 'asset_edit_logged');

create function tag_logged() returns trigger language plpgsql as $$
begin
  perform log_libraries(array(select distinct owner_id from touched));
  return null;
end $$;
call watch_rows('tag', 'insert, update, delete', 'tag_logged');

create function stack_logged() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into change (scope_id, kind, subject_id, is_open, is_shared)
    select owner_id, 'stack', id, false, false from touched;
  end if;
  perform announce_to(array(select distinct owner_id from touched), 'stack');
  return null;
end $$;
call watch_rows('stack', 'insert, update, delete', 'stack_logged');

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
create function album_unshared() returns trigger language plpgsql as $$
begin
  perform log_unshared_albums(array_agg(album_id), array_agg(user_id))
  from album_viewer where album_id = old.id;
  return old;
end $$;
-- Before, because members and assets are deleted with the album, in any order.
create trigger album_unshared before delete on album for each row execute function album_unshared();
call watch_rows('album', 'insert, update, delete', 'album_logged');

-- Rows that are deleted with their album are not logged: nobody can read the log of a deleted album.
create function album_user_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id)
  select album_id, 'album_user', user_id from touched
  where exists (select from album where album.id = touched.album_id);
  if tg_op <> 'UPDATE' then
    insert into change (scope_id, kind, subject_id) select user_id, 'album', album_id from touched
    where exists (select from app_user where app_user.id = touched.user_id);
  end if;
  if tg_op = 'DELETE' then
    perform log_unshared_albums(array_agg(album_id), array_agg(user_id))
    from touched where exists (select from album where album.id = touched.album_id);
    if exists (select from partner where hides_places) then
      perform resend_albums_left(array_agg(album_id), array_agg(user_id)) from touched;
    end if;
  end if;
  if tg_op = 'INSERT' then perform announce_albums(array(select album_id from touched)); end if;
  return null;
end $$;
call watch_rows('album_user', 'insert, update, delete', 'album_user_logged');

create function album_asset_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id)
  select album_id, 'album_asset', asset_id from touched
  where exists (select from album where album.id = touched.album_id);
  if tg_op = 'DELETE' then
    insert into change (scope_id, kind, subject_id)
    select distinct album_viewer.user_id, 'asset_unshared', asset.id
    from touched
    join album on album.id = touched.album_id
    join album_viewer on album_viewer.album_id = album.id
    join asset on asset.id = touched.asset_id and asset.owner_id <> album_viewer.user_id
    where asset.visibility = 'archive' and is_listed(asset.visibility, asset.locked_at, asset.trashed_at)
      and exists (select from app_user where app_user.id = album_viewer.user_id);
    if exists (select from partner where hides_places) then
      perform resend_albums_with(array(select asset_id from touched));
    end if;
  end if;
  perform announce_albums(array(select album_id from touched));
  return null;
end $$;
call watch_rows('album_asset', 'insert, delete', 'album_asset_logged');

-- Logs the stacks of a partner that the account may have got since `since`, when the partnership ends: it may
-- not read the log of the partner any more.
create function log_unshared_stacks(sharer uuid, viewer uuid, since xid8) returns void language sql as $$
  insert into change (scope_id, kind, subject_id)
  select viewer, 'stack_unshared', id from (
    select id from stack where owner_id = sharer and exists (
      select from asset where asset.stack_id = stack.id
        and is_on_timeline(asset.visibility, asset.locked_at, asset.trashed_at))
    union
    select subject_id from change
    where scope_id = sharer and kind = 'stack' and is_shared and xid >= since) known
  where exists (select from app_user where app_user.id = sharer)
    and exists (select from app_user where app_user.id = viewer)
$$;

-- Logs the stacked assets in albums of the account, who is told of stacks while it is a partner.
create function log_stacked_members(sharer uuid, viewer uuid) returns void language sql as $$
  insert into change (scope_id, kind, subject_id)
  select album_asset.album_id, 'asset', asset.id
  from album_viewer
  join album_asset on album_asset.album_id = album_viewer.album_id
  join asset on asset.id = album_asset.asset_id and asset.owner_id = sharer
    and asset.stack_id is not null
  where album_viewer.user_id = viewer
    and is_listed(asset.visibility, asset.locked_at, asset.trashed_at)
    and exists (select from album_count where album_count.album_id = album_viewer.album_id
      and album_count.owner_id = sharer)
$$;

create function partner_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, other_id)
  select sharer_id, 'partner', sharer_id, viewer_id from touched
  where exists (select from app_user where app_user.id = touched.sharer_id)
  union all
  select viewer_id, 'partner', sharer_id, viewer_id from touched
  where exists (select from app_user where app_user.id = touched.viewer_id);
  if tg_op = 'DELETE' then
    perform log_unshared_stacks(sharer_id, viewer_id, since) from touched;
  end if;
  if tg_op <> 'UPDATE' then
    perform log_stacked_members(sharer_id, viewer_id) from touched;
    perform resend_albums(sharer_id) from touched
    where (tg_op = 'DELETE' and hides_places) or hides_any_place(sharer_id);
  end if;
  return null;
end $$;
call watch_rows('partner', 'insert, update, delete', 'partner_logged');

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
call watch_rows('app_user', 'insert', 'app_user_logged');
call watch_sides('app_user', 'update', 'app_user_logged');
call watch_rows('app_user', 'delete', 'app_user_logged');

-- People, faces and text are in the scope of their owner only.

-- Whether a person is known without the PIN: by a face outside Locked, or while it has no face.
create function is_person_open(person uuid) returns boolean language sql stable as $$
  select coalesce(
    (select true from face join asset on asset.id = face.asset_id
      where face.person_id = person and asset.locked_at is null limit 1),
    not exists (select from face where face.person_id = person))
$$;

-- Whether it was so before this transaction, if the transaction has logged the person already: a person
-- that loses its faces and is then deleted was never open in between.
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
call watch_sides('person', 'insert, update, delete', 'person_logged');

-- Logs faces as they were (sign -1) and are (1). `moved`: the person or the visibility has changed, which
-- may show or hide the person. All faces of an asset are sent again, deleted ones one by one. Faces of
-- deleted assets are not logged.
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
call watch_sides('face', 'insert, update, delete', 'face_logged');

-- Logs the people on assets that move to Locked or come from there. `opened`: those that were outside.
create function log_people_of(moved uuid[], opened uuid[]) returns void language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, is_open)
  select owner_id, 'person', person_id, coalesce(was_person_open(person_id),
    was_open or coalesce((select true from face join asset on asset.id = face.asset_id
      where face.person_id = touched.person_id and asset.locked_at is null
        and not asset.id = any(moved) limit 1), false))
  from (
    select owner_id, person_id, bool_or(asset_id = any(opened)) as was_open
    from face where asset_id = any(moved) and person_id is not null group by owner_id, person_id
  ) touched where exists (select from app_user where app_user.id = touched.owner_id);
end $$;

create function log_moved_people(before asset[], after asset[]) returns void language plpgsql as $$
declare
  locked uuid[];
  unlocked uuid[];
begin
  locked := array(
    select id from unnest(after) where locked_at is not null
    intersect select id from unnest(before) where locked_at is null);
  unlocked := array(
    select id from unnest(after) where locked_at is null
    intersect select id from unnest(before) where locked_at is not null);
  if cardinality(locked || unlocked) > 0 then
    perform log_people_of(locked || unlocked, locked);
    perform log_members_of_memories(locked || unlocked);
  end if;
end $$;

-- Copies hold where pictures were taken. When that is shown to a partner or withheld, the partner's copy is
-- sent again.
create function partner_resent() returns trigger language plpgsql as $$
begin
  perform log_unshared_stacks(old.sharer_id, old.viewer_id, old.since);
  perform resend_albums(old.sharer_id);
  new.since := pg_current_xact_id();
  return new;
end $$;
create trigger partner_resent before update of hides_places on partner for each row
  when (old.hides_places <> new.hides_places) execute function partner_resent();

-- An album shows a place unless it is withheld from the owner of the album or from the member who added the
-- picture. Albums are sent again to all members when that may have changed; only for accounts that withhold
-- places from anybody.
create function hides_any_place(sharer uuid) returns boolean language sql stable as $$
  select exists (select from partner where sharer_id = sharer and hides_places)
$$;

create function resend_albums(sharer uuid) returns void language sql as $$
  update album_user set since = pg_current_xact_id()
  where album_id in (select album_id from album_count where owner_id = sharer);
  update album set since = pg_current_xact_id()
  where id in (select album_id from album_count where owner_id = sharer);
$$;

-- An album that showed the place of these assets does not hold them any more: others may not show it.
create function resend_albums_with(asset_ids uuid[]) returns void language sql as $$
  with other as (
    select distinct member.album_id from unnest(asset_ids) gone (asset_id)
    join asset on asset.id = gone.asset_id and hides_any_place(asset.owner_id)
    join album_asset member on member.asset_id = gone.asset_id
  ), of_members as (
    update album_user set since = pg_current_xact_id()
    where album_id in (select album_id from other)
  )
  update album set since = pg_current_xact_id() where id in (select album_id from other);
$$;

-- Nor may the other albums of accounts that have left these, by pairs of both.
create function resend_albums_left(album_ids uuid[], user_ids uuid[]) returns void language sql as $$
  with other as (
    select distinct gone.user_id, member.album_id from unnest(album_ids, user_ids) gone (album_id, user_id)
    join album_asset left_behind on left_behind.album_id = gone.album_id
    join asset on asset.id = left_behind.asset_id and hides_any_place(asset.owner_id)
    join album_asset member on member.asset_id = asset.id
  ), of_members as (
    update album_user set since = pg_current_xact_id() from other
    where album_user.album_id = other.album_id and album_user.user_id = other.user_id
  )
  update album set since = pg_current_xact_id() from other
  where album.id = other.album_id and album.owner_id = other.user_id;
$$;

-- Albums of a deleted account are hidden from their members while it can be restored: to copies the
-- membership ends and begins again.
create function member_albums_suspended(account uuid) returns void language sql as $$
  update album_user set since = pg_current_xact_id() from album
  where album.id = album_user.album_id and album.owner_id = account;
  insert into change (scope_id, kind, subject_id)
  select album_user.user_id, 'album', album.id from album
  join album_user on album_user.album_id = album.id
  where album.owner_id = account;
$$;

-- A deleted account shares nothing while it can be restored: to copies the partnership ends and begins again.
create function partners_suspended() returns trigger language plpgsql as $$
begin
  if new.deleted_at is not null then
    perform log_unshared_stacks(sharer_id, viewer_id, since) from partner
    where new.id in (sharer_id, viewer_id);
    perform log_unshared_albums(array_agg(album_user.album_id), array_agg(album_user.user_id))
    from album join album_user on album_user.album_id = album.id where album.owner_id = new.id;
  end if;
  perform log_stacked_members(sharer_id, viewer_id) from partner
  where new.id in (sharer_id, viewer_id);
  update partner set since = pg_current_xact_id() where sharer_id = new.id;
  update partner set since = pg_current_xact_id() where viewer_id = new.id;
  perform member_albums_suspended(new.id);
  return null;
end $$;
create trigger partners_suspended after update of deleted_at on app_user for each row
  when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function partners_suspended();
