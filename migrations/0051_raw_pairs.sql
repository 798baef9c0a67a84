-- Raw photos of which there is a picture, too.

-- Whether a file is a raw photo by its name: with the extensions of `media/formats.ts`, which a test compares. After
-- another extension the index below is built again.
create function is_raw_name(file_name text) returns boolean language sql immutable parallel safe as
  $$ select file_name like '%_.%' and lower(substring(file_name from '[^.]*$')) in (
    '3fr', 'ari', 'arw', 'cap', 'cin', 'cr2', 'cr3', 'crw', 'dcr', 'dng', 'erf', 'fff', 'iiq',
    'k25', 'kdc', 'mrw', 'nef', 'nrw', 'orf', 'ori', 'pef', 'raf', 'raw', 'rw2', 'rwl', 'sr2',
    'srf', 'srw', 'x3f') $$;

-- The name of a file without its extension, in small letters.
create function file_stem(file_name text) returns text language sql immutable parallel safe as
  $$ select lower(regexp_replace(file_name, '\.[^.]*$', '')) $$;

-- The raw photos of the Timeline that are in our store, newest first.
create index asset_raw on asset (owner_id, taken_at desc, id desc) include (file_size)
  where is_raw_name(file_name) and type = 'IMAGE' and library_id is null
    and visibility = 'timeline' and locked_at is null and trashed_at is null;
