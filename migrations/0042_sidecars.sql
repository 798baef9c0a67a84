-- Changes that are written to XMP files beside the originals of external libraries, where an administrator wants it;
-- and converted videos that were deleted to make room.

-- Metadata that somebody has changed and the XMP file does not have yet, by asset.
create table sidecar_change (
  asset_id uuid primary key references asset on delete cascade, -- asset of an external library
  fields text[] not null default '{}', -- changed ones of 'date', 'description', 'place' and 'rating'
  tags_added text[] not null default '{}', -- paths of tags that it got
  tags_removed text[] not null default '{}', -- paths of tags that it lost
  revision int not null default 1, -- number of changes: tells whether there was one while the file was written
  retry_at timestamptz, -- it is not tried before; null: now
  error text -- why the last try has failed
);
-- Changes that are due.
create index sidecar_change_due on sidecar_change (retry_at);

-- Whether administrators want XMP files to be written.
create function writes_sidecars() returns boolean language sql stable as $$
  select exists (select from system_config
    where section = 'libraries' and value ->> 'writeSidecars' = 'true')
$$;

-- Items of a list without those of another one.
create function without_texts(list text[], others text[]) returns text[] language sql immutable as $$
  select array(select unnest(list) except select unnest(others) order by 1)
$$;

-- Both lists, each item once.
create function join_texts(list text[], others text[]) returns text[] language sql immutable as $$
  select array(select unnest(list) union select unnest(others) order by 1)
$$;

-- Records the fields that people have changed: what a new reading of the files changes is in the files.
create function sidecar_fields_changed() returns trigger language plpgsql as $$
begin
  if not writes_sidecars() then return null; end if;
  insert into sidecar_change (asset_id, fields)
  select id, fields from (
    select asset.id, array_remove(array[
      case when 'dateTimeOriginal' = any(edited)
        and (added.date_time_original, added.time_zone)
          is distinct from (gone.date_time_original, gone.time_zone) then 'date' end,
      case when 'description' = any(edited)
        and added.description is distinct from gone.description then 'description' end,
      case when ('latitude' = any(edited) or 'longitude' = any(edited))
        and (added.latitude, added.longitude, added.city, added.state, added.country)
          is distinct from (gone.latitude, gone.longitude, gone.city, gone.state, gone.country)
        then 'place' end,
      case when 'rating' = any(edited)
        and added.rating is distinct from gone.rating then 'rating' end], null) as fields
    from gone join added using (asset_id)
      cross join lateral (select gone.edited_fields || added.edited_fields as edited) either
      join asset on asset.id = asset_id and asset.library_id is not null
    where cardinality(gone.edited_fields || added.edited_fields) > 0
  ) changed
  where cardinality(fields) > 0 order by id
  on conflict (asset_id) do update set revision = sidecar_change.revision + 1, retry_at = null,
    fields = join_texts(sidecar_change.fields, excluded.fields);
  return null;
end $$;
call watch_sides('asset_exif', 'update', 'sidecar_fields_changed');

-- Records tags that assets got and lost.
create function record_sidecar_tags(asset_ids uuid[], got text[], lost text[]) returns void
  language sql as $$
  insert into sidecar_change (asset_id, tags_added, tags_removed)
  select asset.id, array_remove(array_agg(distinct tag.got), null),
    array_remove(array_agg(distinct tag.lost), null)
  from unnest(asset_ids, got, lost) tag (asset_id, got, lost)
    -- Tags that an asset gets when it is read for the first time are in its file.
    join asset on asset.id = tag.asset_id and asset.library_id is not null
      and asset.metadata_read_at is not null
  group by asset.id order by asset.id
  on conflict (asset_id) do update set revision = sidecar_change.revision + 1, retry_at = null,
    tags_added = join_texts(without_texts(sidecar_change.tags_added, excluded.tags_removed),
      excluded.tags_added),
    tags_removed = join_texts(without_texts(sidecar_change.tags_removed, excluded.tags_added),
      excluded.tags_removed)
$$;

create function sidecar_tags_changed() returns trigger language plpgsql as $$
begin
  if not writes_sidecars() then return null; end if;
  perform record_sidecar_tags(array_agg(touched.asset_id),
    array_agg(case when tg_op = 'INSERT' then tag.value end),
    array_agg(case when tg_op = 'DELETE' then tag.value end))
  from touched join tag on tag.id = touched.tag_id;
  return null;
end $$;
call watch_rows('tag_asset', 'insert, delete', 'sidecar_tags_changed');

-- A tag has another path.
create function sidecar_tag_moved() returns trigger language plpgsql as $$
begin
  if writes_sidecars() then
    perform record_sidecar_tags(array_agg(asset_id), array_agg(new.value), array_agg(old.value))
    from tag_asset where tag_id = new.id;
  end if;
  return null;
end $$;
create trigger sidecar_tag_moved after update of value on tag for each row
  when (old.value <> new.value) execute function sidecar_tag_moved();

-- Videos whose conversion was deleted to make room: it is made again when somebody plays them.
create table deleted_transcode (
  asset_id uuid primary key references asset on delete cascade -- video
);

-- Converted videos and their sizes.
create index asset_file_transcode on asset_file (asset_id) include (size)
  where kind in ('encoded_video', 'bare_video');

-- Files that their library leaves out are hidden at once; and scans tell what they have skipped.
alter table library_file add column is_left_out boolean not null default false; -- a pattern or the import paths of its library leave it out: its item is in the trash until they do not any more
alter table library add column scan_note text; -- what the last scan has skipped, such as symbolic links; null: nothing
alter table library add column mounts text[] not null default '{}'; -- where other disks were mounted below its import paths when it was scanned
