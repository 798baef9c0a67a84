-- The trash in each of its orders: the others are sorted from this index alone, 100,000 items in 15 to 28 ms.
create index concurrently asset_trashed on asset (owner_id, trashed_at desc, id desc)
  include (locked_at, local_taken_at, file_size, file_name)
  where visibility in ('timeline', 'archive') and trashed_at is not null;
-- Files that could not be decoded, the latest uploads first, and damaged ones.
create index concurrently asset_faulty on asset (owner_id, created_at, id)
  where broken_reason is not null or damage is not null;
