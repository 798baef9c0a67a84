-- The days of capture of what is archived are counted by the function of all days: what stays where it
-- is has gone from the sums before they are spread over the kinds.
create or replace function asset_counted() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into asset_count
    select owner_id, local_month, type, visibility, locked_at is not null, trashed_at is not null,
      is_favorite, is_stack_child, count(*), sum(file_size), (random() * 9e18)::bigint,
      bit_xor(hash_bits(sha256))
    from added group by 1, 2, 3, 4, 5, 6, 7, 8;
    insert into asset_day_count
    select owner_id, kind, day, count(*) from added cross join lateral (
      values ('upload', (created_at at time zone 'utc')::date), ('taken', local_day),
        ('archived', case visibility when 'archive' then local_day end)) at (kind, day)
    where visibility <> 'hidden' and locked_at is null and trashed_at is null and day is not null
    group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into asset_count
    select owner_id, local_month, type, visibility, locked_at is not null, trashed_at is not null,
      is_favorite, is_stack_child, -count(*), -sum(file_size), (random() * 9e18)::bigint,
      bit_xor(hash_bits(sha256))
    from gone group by 1, 2, 3, 4, 5, 6, 7, 8;
    insert into asset_day_count
    select owner_id, kind, day, -count(*) from gone cross join lateral (
      values ('upload', (created_at at time zone 'utc')::date), ('taken', local_day),
        ('archived', case visibility when 'archive' then local_day end)) at (kind, day)
    where visibility <> 'hidden' and locked_at is null and trashed_at is null and day is not null
    group by 1, 2, 3;
  else
    -- A change that moves no count still leaves a row of zeros: its stamp makes the new version.
    -- No change touches the bytes of an asset, so `contents` stays.
    insert into asset_count
    select owner_id, local_month, type, visibility, is_locked, is_trashed, is_favorite,
      is_stack_child, sum(sign), sum(sign * file_size), (random() * 9e18)::bigint, 0
    from (
      select owner_id, local_month, type, visibility, locked_at is not null as is_locked,
        trashed_at is not null as is_trashed, is_favorite, is_stack_child, 1 as sign, file_size
      from added
      union all
      select owner_id, local_month, type, visibility, locked_at is not null, trashed_at is not null,
        is_favorite, is_stack_child, -1, file_size
      from gone
    ) change
    group by 1, 2, 3, 4, 5, 6, 7, 8;
    -- What stays where it is has gone from the sums before they are spread over the kinds.
    insert into asset_day_count
    select owner_id, kind, day, sum(assets) from (
      select owner_id, local_day, (created_at at time zone 'utc')::date as upload_day,
        visibility = 'archive' as is_archived, sum(sign) as assets
      from (
        select owner_id, local_day, created_at, visibility, 1 as sign from added
        where visibility <> 'hidden' and locked_at is null and trashed_at is null
        union all
        select owner_id, local_day, created_at, visibility, -1 from gone
        where visibility <> 'hidden' and locked_at is null and trashed_at is null
      ) side group by 1, 2, 3, 4 having sum(sign) <> 0
    ) change cross join lateral (
      values ('upload', upload_day), ('taken', local_day),
        ('archived', case when is_archived then local_day end)) at (kind, day)
    where day is not null
    group by 1, 2, 3 having sum(assets) <> 0;
  end if;
  return null;
end $$;

-- Of the Timeline by itself: its first page would else read past all that was archived or trashed.
create index asset_timeline_taken on asset (owner_id, taken_at desc, id desc)
  where visibility = 'timeline' and locked_at is null and trashed_at is null;
drop index asset_type;
create index asset_type on asset (owner_id, type, taken_at desc, id desc)
  where type <> 'IMAGE' and visibility = 'timeline' and locked_at is null and trashed_at is null;

-- Timeline items that show a person, each once however many faces ('person': the id), or anyone who is
-- told apart ('recognised': 'yes').
alter table asset_fact_count drop constraint asset_fact_count_kind_check;
alter table asset_fact_count add constraint asset_fact_count_kind_check
  check (kind in ('place', 'camera', 'rating', 'tagged', 'person', 'recognised'));
-- Until those who count persons as well are there, a few migrations on.
drop trigger asset_facts_left on asset;
drop function asset_facts_left();
drop function count_facts(uuid[], int);

create or replace function tag_text_changed() returns trigger language plpgsql as $$
begin
  insert into asset_text_change (asset_id)
  select distinct tag_asset.asset_id
  from (select id, value from added except select id, value from gone) renamed
  join tag_asset on tag_asset.tag_id = renamed.id;
  return null;
end $$;

-- The log of changes also tells of who and what is in the pictures.
alter table change drop constraint change_kind_check;
alter table change add constraint change_kind_check
  check (kind in ('asset', 'shown', 'exif', 'metadata', 'edit', 'stack', 'partner', 'user', 'album',
    'album_user', 'album_asset', 'person', 'face', 'face_gone', 'ocr', 'ocr_gone'));

-- The members of a stack tell who may see it, and which of them stands for it.
create or replace function asset_logged() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into change (scope_id, kind, subject_id, is_open, is_shared)
    select owner_id, 'shown', id, locked_at is null, is_on_timeline(visibility, locked_at, trashed_at)
    from added
    union all
    select owner_id, 'stack', stack_id, locked_at is null,
      is_on_timeline(visibility, locked_at, trashed_at)
    from added where stack_id is not null;
    return null;
  elsif tg_op = 'DELETE' then
    insert into change (scope_id, kind, subject_id, is_open, is_shared)
    select owner_id, kind, subject_id, locked_at is null,
      is_on_timeline(visibility, locked_at, trashed_at)
    from gone cross join lateral (values ('shown', id), ('stack', stack_id)) said (kind, subject_id)
    where subject_id is not null
      and exists (select from app_user where app_user.id = gone.owner_id);
    return null;
  end if;
  insert into change (scope_id, kind, subject_id, is_open, is_shared)
  with side as (
    select id, owner_id, locked_at is null as is_open,
      is_on_timeline(visibility, locked_at, trashed_at) as is_shared,
      is_on_shelf(visibility, locked_at, trashed_at) as is_member,
      hash_record_extended((owner_id, type, sha1, file_name, visibility, locked_at, trashed_at,
        is_favorite, stack_id, live_video_id, taken_at, local_taken_at, file_modified_at, width,
        height, duration_ms, thumbhash, created_at, file_size), 0) as content,
      stack_id::text as stack, case when stack_id is not null then hash_record_extended(
        (stack_id, is_stack_child, visibility, locked_at is null, trashed_at is null), 0) end as seat
    from gone
    union all
    select id, owner_id, locked_at is null,
      is_on_timeline(visibility, locked_at, trashed_at),
      is_on_shelf(visibility, locked_at, trashed_at),
      hash_record_extended((owner_id, type, sha1, file_name, visibility, locked_at, trashed_at,
        is_favorite, stack_id, live_video_id, taken_at, local_taken_at, file_modified_at, width,
        height, duration_ms, thumbhash, created_at, file_size), 0),
      stack_id::text, case when stack_id is not null then hash_record_extended(
        (stack_id, is_stack_child, visibility, locked_at is null, trashed_at is null), 0) end
    from added
  ), changed as materialized (
    select id, owner_id, bool_or(is_open) as is_open, bool_or(is_shared) as is_shared,
      bool_or(is_member) as is_member,
      bool_or(is_open) <> bool_and(is_open) or bool_or(is_shared) <> bool_and(is_shared)
        or bool_or(is_member) <> bool_and(is_member) as is_moved,
      min(content) <> max(content) as is_changed,
      -- Who stands for a stack follows from where its members are.
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
  return null;
end $$;

-- And this is what it says itself.
drop trigger stack_logged_insert on stack;
drop trigger stack_logged_update on stack;
drop trigger stack_logged_delete on stack;
create or replace function stack_logged() returns trigger language plpgsql as $$
begin
  insert into change (scope_id, kind, subject_id, is_open, is_shared)
  select owner_id, 'stack', id, false, false from touched;
  return null;
end $$;
create trigger stack_logged_update after update on stack
  referencing new table as touched for each statement execute function stack_logged();

-- What has no letter or digit is no document.
create or replace function document_placed() returns trigger language plpgsql as $$
begin
  select asset.owner_id, asset.taken_at, asset.type = 'IMAGE'
    and new.has_enough and new.folded <> ''
    and is_on_shelf(asset.visibility, asset.locked_at, asset.trashed_at)
  into new.owner_id, new.taken_at, new.is_listed
  from asset where asset.id = new.asset_id;
  return new;
end $$;
update document set is_listed = false where is_listed and folded = '';
