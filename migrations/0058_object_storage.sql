-- Originals in an object store (S3): see src/storage.

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
