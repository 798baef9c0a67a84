-- The searches for a part of a file name and of a description.
create index concurrently asset_folded_name on asset using gin (fold_text(file_name) gin_trgm_ops);
create index concurrently asset_exif_folded_description on asset_exif using gin (fold_text(description) gin_trgm_ops);
