-- Events for connected clients: NOTIFY in the transaction of the change, so that they come from any machine
-- and only once the change is committed. Commits with a NOTIFY wait for each other, so accounts without
-- listeners are skipped.

-- Accounts with connected clients.
create unlogged table live_listener (
  user_id uuid not null, -- account
  server_id uuid not null, -- server process
  until timestamptz not null, -- expiry: rows of a crashed process end by themselves
  primary key (user_id, server_id)
);

-- Whether an account has connected clients.
create function is_listened_to(wanted uuid) returns boolean language sql stable as
  $$ select exists (select from live_listener where user_id = wanted and until > now()) $$;

-- Sends an event, with ids in parts, since a payload has at most 8000 bytes; for more than 1500 ids, one
-- event 'many' without ids.
create function announce(user_id uuid, event text, ids uuid[]) returns void language plpgsql as $$
begin
  if cardinality(ids) > 1500 then
    perform pg_notify('live', json_build_object('user', user_id, 'event', 'many', 'ids', '[]'::json)::text);
    return;
  end if;
  for part in 0 .. greatest(cardinality(ids) - 1, 0) / 150 loop
    perform pg_notify('live', json_build_object(
      'user', user_id, 'event', event, 'ids', ids[part * 150 + 1 : part * 150 + 150])::text);
  end loop;
end $$;

create function announce_updated_assets(before asset[], after asset[]) returns void
  language plpgsql as $$
begin
  if not exists (select from live_listener where until > now()) then return; end if;
  perform announce(owner_id, event, array_agg(id)) from (
    -- Locked items are announced only when they go. An asset is 'ready' once it has a thumbnail and
    -- metadata, since clients read both with that event.
    select owner_id, id, case
      when not is_open then case when was_open then 'hide' end
      when is_trashed <> was_trashed then case when is_trashed then 'trash' else 'restore' end
      when is_hidden and not was_hidden then 'hide'
      when is_trashed or is_hidden or face is null then null
      when is_read and (old_face is null or not was_read) then 'ready'
      when old_face is null then null
      when face <> old_face then 'edited'
      when min_content <> max_content then 'update'
    end as event
    from (
      select id, owner_id, bool_or(is_now and locked_at is null) as is_open,
        bool_or(not is_now and locked_at is null) as was_open,
        bool_or(is_now and trashed_at is not null) as is_trashed,
        bool_or(not is_now and trashed_at is not null) as was_trashed,
        bool_or(is_now and visibility = 'hidden') as is_hidden,
        bool_or(not is_now and visibility = 'hidden') as was_hidden,
        min(encode(thumbhash, 'hex')) filter (where is_now) as face,
        min(encode(thumbhash, 'hex')) filter (where not is_now) as old_face,
        bool_or(is_now and has_metadata) as is_read,
        bool_or(not is_now and has_metadata) as was_read,
        min(content) as min_content, max(content) as max_content
      from (
        select id, owner_id, false as is_now, locked_at, trashed_at, visibility, thumbhash,
          metadata_read_at is not null as has_metadata,
          hash_record_extended((file_name, visibility, locked_at, is_favorite, stack_id,
            live_video_id, taken_at, local_taken_at, width, height, duration_ms), 0) as content
        from unnest(before)
        union all
        select id, owner_id, true, locked_at, trashed_at, visibility, thumbhash,
          metadata_read_at is not null,
          hash_record_extended((file_name, visibility, locked_at, is_favorite, stack_id,
            live_video_id, taken_at, local_taken_at, width, height, duration_ms), 0)
        from unnest(after)
      ) side group by id, owner_id
    ) both_sides
  ) found where event is not null and is_listened_to(owner_id) group by owner_id, event;
end $$;

create function announce_deleted_assets(before asset[]) returns void language plpgsql as $$
begin
  if not exists (select from live_listener where until > now()) then return; end if;
  perform announce(owner_id, 'delete', array_agg(id)) from unnest(before)
  where locked_at is null and is_listened_to(owner_id) group by owner_id;
end $$;

-- Sends an event that names no rows: clients read again what they show.
create function announce_to(account_ids uuid[], event text) returns void language plpgsql as $$
begin
  if not exists (select from live_listener where until > now()) then return; end if;
  perform announce(id, event, '{}') from unnest(account_ids) id where is_listened_to(id);
end $$;

-- Tells the owners of the changed rows. The argument is the event.
create function announced_to_owners() returns trigger language plpgsql as $$
begin
  perform announce_to(array(select distinct owner_id from touched), tg_argv[0]);
  return null;
end $$;

-- To everyone who may open the albums.
create function announce_albums(album_ids uuid[]) returns void language plpgsql as $$
begin
  if not exists (select from live_listener where until > now()) then return; end if;
  perform announce(user_id, 'album', array_agg(distinct album_id)) from album_viewer
  where album_id = any(album_ids) and is_listened_to(user_id) group by user_id;
end $$;

create function session_announced() returns trigger language plpgsql as $$
begin
  perform announce(user_id, 'session', array_agg(id)) from touched
  where is_listened_to(user_id) group by user_id;
  return null;
end $$;
call watch_rows('session', 'delete', 'session_announced');
