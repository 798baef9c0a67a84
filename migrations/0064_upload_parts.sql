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
