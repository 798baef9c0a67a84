-- Videos by their length: 'longer than a minute' read all videos of an account.
create index concurrently asset_duration on asset (owner_id, type, duration_ms)
  where type <> 'IMAGE' and visibility = 'timeline' and locked_at is null and trashed_at is null;
