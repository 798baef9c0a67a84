-- Search by one of these, newest first.
create index concurrently asset_exif_owner_city on asset_exif (asset_owner_id, city, asset_taken_at desc, asset_id desc)
  where city is not null;
create index concurrently asset_exif_owner_state on asset_exif (asset_owner_id, state, asset_taken_at desc, asset_id desc)
  where state is not null;
create index concurrently asset_exif_owner_country on asset_exif (asset_owner_id, country, asset_taken_at desc, asset_id desc)
  where country is not null;
create index concurrently asset_exif_owner_make on asset_exif (asset_owner_id, make, asset_taken_at desc, asset_id desc)
  where make is not null;
create index concurrently asset_exif_owner_model on asset_exif (asset_owner_id, model, asset_taken_at desc, asset_id desc)
  where model is not null;
create index concurrently asset_exif_owner_lens on asset_exif (asset_owner_id, lens_model, asset_taken_at desc, asset_id desc)
  where lens_model is not null;
-- Rows that are not yet filled.
create index concurrently asset_exif_ownerless on asset_exif (asset_id) where asset_owner_id is null;
-- Archived videos by date and all archived items by size, merged with those of the Timeline: most archives have few.
create index concurrently asset_archive_type on asset (owner_id, type, taken_at desc, id desc)
  where type <> 'IMAGE' and visibility = 'archive' and locked_at is null and trashed_at is null;
create index concurrently asset_archive_size on asset (owner_id, file_size desc, id desc)
  where visibility = 'archive' and locked_at is null and trashed_at is null;
