-- Files that could not be decoded.

-- The list of files that could not be decoded, the latest uploads first.
create index asset_broken on asset (owner_id, created_at, id) where broken_reason is not null;
