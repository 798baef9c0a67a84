create or replace function asset_announced() returns trigger language plpgsql as $$
begin
  if not exists (select from live_listener where until > now()) then return null; end if;
  if tg_op = 'DELETE' then
    perform announce(owner_id, 'delete', array_agg(id)) from gone
    where locked_at is null and is_listened_to(owner_id) group by owner_id;
    return null;
  end if;
  perform announce(owner_id, event, array_agg(id)) from (
    -- What is Locked is announced to nobody, only that it went. Ready is what has a picture and its
    -- metadata: clients read them once, with the event.
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
        from gone
        union all
        select id, owner_id, true, locked_at, trashed_at, visibility, thumbhash,
          metadata_read_at is not null,
          hash_record_extended((file_name, visibility, locked_at, is_favorite, stack_id,
            live_video_id, taken_at, local_taken_at, width, height, duration_ms), 0)
        from added
      ) side group by id, owner_id
    ) both_sides
  ) found where event is not null and is_listened_to(owner_id) group by owner_id, event;
  return null;
end $$;
