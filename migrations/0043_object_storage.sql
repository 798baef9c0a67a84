-- Files in an object store (S3): see src/storage.

alter table original add column object_key text; -- key of its object; null: it is a file
-- One place has the content.
alter table original add constraint original_place check (path is null or object_key is null);

-- Objects that are to be deleted. One that is being written has a row, too, which the commit of its original deletes: so
-- that no crash leaves an object that nobody knows.
create table object_deletion (
  key text primary key, -- key of the object
  due_at timestamptz not null -- it is not deleted before
);
-- The next deletions.
create index object_deletion_due on object_deletion (due_at);

alter table instance add column object_store_marked_at timestamptz; -- its object store has the mark of this library; null: it has none

alter table person add column thumbnail_object text; -- key of the object with the thumbnail; null: it is a file
alter table operation_file add column object_key text; -- key of the object with the file; null: it is a file

-- An object that a row names is not deleted any more; one that it has named is deleted in an hour: who has read the row
-- a moment ago can still read the object.
create function object_named() returns trigger language plpgsql as $$
declare
  named text;
  unnamed text;
begin
  if tg_op <> 'DELETE' then named = to_jsonb(new) ->> tg_argv[0]; end if;
  if tg_op <> 'INSERT' then unnamed = to_jsonb(old) ->> tg_argv[0]; end if;
  delete from object_deletion where key = named;
  insert into object_deletion (key, due_at) select unnamed, now() + interval '1 hour'
  where unnamed ~ '^(derived|profiles|exports)/' on conflict (key) do nothing;
  return null;
end $$;

-- The conditions are checked before anything is called: a name of a file costs a comparison.
create procedure watch_objects(owner regclass, named name) language plpgsql as $$
declare
  is_object constant text := '%s.%I ~ ''^(derived|profiles|exports)/''';
  is_new constant text := format(is_object, 'new', named);
  was_old constant text := format(is_object, 'old', named);
begin
  execute format('create trigger %I after insert on %s for each row when (%s)
    execute function object_named(%L)', owner || '_object_inserted', owner, is_new, named);
  execute format('create trigger %I after update of %I on %s for each row
    when (old.%I is distinct from new.%I and (%s or %s)) execute function object_named(%L)',
    owner || '_object_updated', named, owner, named, named, is_new, was_old, named);
  execute format('create trigger %I after delete on %s for each row when (%s)
    execute function object_named(%L)', owner || '_object_deleted', owner, was_old, named);
end $$;
call watch_objects('asset_file', 'name');
call watch_objects('video_frame', 'name');
call watch_objects('person', 'thumbnail_object');
call watch_objects('app_user', 'profile_image');
call watch_objects('operation_file', 'object_key');

-- An export that is over has no object.
create function export_object_over() returns trigger language plpgsql as $$
begin
  update operation_file set object_key = null where id = new.id and object_key is not null;
  return null;
end $$;
create trigger operation_export_over after update of state on operation for each row
  when (new.state in ('failed', 'cancelled', 'expired')) execute function export_object_over();

-- Parts of large unfinished uploads that the object store has, so that another server continues them when the one that
-- received them is gone: see src/storage/upload-parts.ts.
create table upload_part (
  upload_id uuid not null, -- upload; parts of one that is over are deleted soon after
  position int not null check (position >= 0), -- number of the parts before it, which all are there
  size int not null check (size > 0), -- bytes
  sha256 bytea not null check (length(sha256) = 32), -- SHA-256 of its bytes
  object_key text not null, -- key of its object
  primary key (upload_id, position)
);

-- Machines beside an object store have data folders of their own, of which one gets the files when they are moved back:
-- see src/storage/file-folder.ts.
alter table instance add column file_folder_id uuid; -- identity of the data folder that files were moved to; null: each that has the mark of the library
