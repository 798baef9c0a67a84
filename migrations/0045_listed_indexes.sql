-- All items by size, and videos and recordings in the order of capture: those of the Timeline or those of the archive.
create index concurrently asset_listed_size on asset (owner_id, visibility, file_size desc, id desc)
  where visibility in ('timeline', 'archive') and locked_at is null and trashed_at is null;
create index concurrently asset_listed_type on asset (owner_id, visibility, type, taken_at desc, id desc)
  where type <> 'IMAGE' and visibility in ('timeline', 'archive') and locked_at is null and trashed_at is null;
