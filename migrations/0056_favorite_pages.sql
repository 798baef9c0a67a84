-- Favorites in the order of capture: searches for them, alone or with a camera or a place, and those of the map. Few
-- assets are favorites, and none when it comes: the index costs an upload nothing.
create index asset_favorite_taken on asset (owner_id, taken_at desc, id desc)
  where is_favorite and locked_at is null and trashed_at is null;
